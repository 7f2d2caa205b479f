"""What was replaced in a query, and by what."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replacement:
    """Words of a query that have no evidence, and the known words used instead."""

    typed: str
    used: str

    def __str__(self) -> str:
        return f"no evidence for {self.typed!r}, using {self.used!r}"


@dataclass(frozen=True, slots=True)
class Correction:
    """A query with its unknown words replaced by known ones.

    >>> print(Correction("active speaker", (Replacement("speeker", "speaker"),)))
    no evidence for 'speeker', using 'speaker'
    """

    text: str
    replacements: tuple[Replacement, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, self.replacements))
