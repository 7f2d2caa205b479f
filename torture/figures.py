"""The outcome of one part: how many attempts there were, and how many of them went wrong."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Attempt = tuple[str, str, str]  # what was attempted, the outcome, a detail if it is a failure
FAILURES = ("lost", "wrong", "traceback", "crash", "over limit")


@dataclass
class Figures:
    """Attempts by kind, outcomes by kind, and a line for each failure.

    >>> figures = Figures()
    >>> figures.record("truncated tokens.npy", "refused")
    >>> figures.record("flipped bit in tokens.npy", "wrong", "suggest answered 'b' instead of 'a'")
    >>> figures.attempts, figures.outcomes["refused"], figures.failures
    (2, 1, ["flipped bit in tokens.npy: wrong: suggest answered 'b' instead of 'a'"])
    """

    attempts: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Figures":
        """The figures whose attributes were passed as JSON."""
        return cls(content["attempts"], Counter(content["outcomes"]), content["failures"])

    def record(self, attempt: str, outcome: str, detail: str = "") -> None:
        """Count an attempt; an outcome of `FAILURES` is kept with what identifies the attempt."""
        self.attempts += 1
        self.outcomes[outcome] += 1
        if outcome in FAILURES:
            self.failures.append(f"{attempt}: {outcome}: {detail}")

    def add(self, other: "Figures") -> None:
        """Count the attempts of another run, too."""
        self.attempts += other.attempts
        self.outcomes += other.outcomes
        self.failures += other.failures
