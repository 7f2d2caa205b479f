"""Records of judging: tasks, their items, judgements, and the progress of raters."""

from dataclasses import dataclass

from querykin.server.scales import Scale


@dataclass(frozen=True)
class Proposal:
    """A measure that suggested a candidate, with rank and score; not shown to raters."""

    measure: str
    rank: int
    score: float


@dataclass(frozen=True)
class Item:
    """A query and a candidate to grade, at a position in the shuffled list of a task."""

    position: int
    query: str
    candidate: str
    proposals: tuple[Proposal, ...] = ()
    need: str = ""  # what the person who asked wants, where the task says so


@dataclass(frozen=True)
class JudgementTask:
    """A list of pairs to grade on one scale; a task without items accepts any pair."""

    name: str
    scale: Scale
    measures: tuple[str, ...]
    items: int
    created: str


@dataclass(frozen=True)
class Judgement:
    """A rater's grade of a pair; None where the rater could not judge it."""

    task: str
    query: str
    candidate: str
    rater: str
    grade: float | None
    at: str
    note: str = ""


@dataclass(frozen=True)
class Progress:
    """Number of pairs that a rater is done with, and how many of them the rater could not judge."""

    rater: str
    done: int
    total: int  # 0 for a task without items
    not_judged: int = 0
