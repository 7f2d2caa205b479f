"""The records that travel between the parts: documents, hits, explanations, problems."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isnan
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    """A text that the corpus knows, under an id of the user's choosing.

    >>> Document("7", title="Java", text="An island of Indonesia.").title
    'Java'
    """

    id: str
    title: str = ""
    text: str = ""
    url: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """A piece of input that was skipped: where it stands and what is wrong with it."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.message}"


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
    """How much one shared term adds to a score."""

    term: str
    share: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the corpus that speaks for one side of a pair."""

    side: str
    document: str
    title: str
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two texts got their score: the shares of the terms sum to it."""

    a: str
    b: str
    measure: str
    score: float
    contributions: tuple[Contribution, ...] = ()
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()  # what else there is to say on how the texts were read


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """An explanation as JSON knows it: null for a score that is not there."""
    return {**asdict(explanation), "score": None if isnan(explanation.score) else explanation.score}
