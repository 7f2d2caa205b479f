"""Records shared by all packages: documents, changes, hits, explanations, skipped input."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import isnan
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the corpus, under an id chosen by the user.

    >>> Document("7", title="Java", text="An island of Indonesia.").title
    'Java'
    """

    id: str
    title: str = ""
    text: str = ""
    url: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)
    source: str = field(default="", compare=False, repr=False)  # file or feed; "": chosen when it is added


def with_source(document: Document, source: str) -> Document:
    """The document with a source, unless it has one."""
    return document if document.source else replace(document, source=source)


def document_json(document: Document) -> dict[str, Any]:
    """A document with all its parts as a JSON object."""
    return {
        "id": document.id,
        "title": document.title,
        "text": document.text,
        "url": document.url,
        "fields": dict(document.fields),
        "source": document.source,
    }


@dataclass(frozen=True, slots=True)
class Change:
    """What an operation did, or with `dry_run` would do, to the documents or queries of a workspace."""

    added: int = 0
    replaced: int = 0  # known before: a document with another content or source, a query with another count
    repeated: int = 0  # occurred earlier in the same input: of documents the last counts, counts are summed
    removed: int = 0
    unchanged: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.replaced or self.removed)


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """A record of an input that was skipped: its file and line, and the reason."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        location = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{location}: {self.message}"


@dataclass(frozen=True, slots=True)
class SkippedFile(SkippedRecord):
    """A file of a folder or archive that was skipped; the message names it."""

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result."""

    document_id: str
    title: str
    snippet: str
    url: str
    score: float


@dataclass(frozen=True, slots=True)
class Contribution:
    """The part of a score that comes from one shared term."""

    term: str
    share: float
    part: str = ""  # the measure that compares by the term, where a measure is a sum of several

    @property
    def label(self) -> str:
        """The term, with the measure it comes from."""
        return f"{self.part}: {self.term}" if self.part else self.term


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of the corpus that supports one side of a pair."""

    side: str
    document: str
    title: str
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two texts got their score: the contributions sum to it, the largest first, also negative ones.

    >>> found = (Contribution("rose", 0.1), Contribution("war", -0.3))
    >>> [each.term for each in Explanation("a", "b", "dense-prob", -0.2, found).contributions]
    ['war', 'rose']
    """

    a: str
    b: str
    measure: str
    score: float
    contributions: tuple[Contribution, ...] = ()
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()  # how the texts were interpreted, where that is not obvious
    percentile: float | None = None  # per cent of random pairs of past queries with a lower score
    bounded: bool = True  # scores of the measure are between -1 and 1

    def __post_init__(self) -> None:
        by_size = sorted(self.contributions, key=lambda each: -abs(each.share))
        object.__setattr__(self, "contributions", tuple(by_size))


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """An explanation as a JSON object; the score is null where the measure has none."""
    found = asdict(explanation)
    del found["bounded"]  # of the measure, not of the pair
    return {
        **found,
        "score": None if isnan(explanation.score) else explanation.score,
        "contributions": [{"term": each.label, "share": each.share} for each in explanation.contributions],
        "percentile": None if explanation.percentile is None else round(explanation.percentile, 3),
    }


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
