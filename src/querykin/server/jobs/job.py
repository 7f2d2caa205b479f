"""A job as clients see it: what it is, its state, how far it is, and how it ended."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from querykin.progress import duration


class State(StrEnum):
    """The state of a job; `interrupted` is one whose process died or whose service stopped."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        """Whether the state cannot change any more."""
        return self not in (State.QUEUED, State.RUNNING)


@dataclass(frozen=True)
class Step:
    """The part of a job that is under way: steps done of a total, where that is known."""

    title: str
    done: int = 0
    total: int | None = None
    seconds_left: float | None = None


@dataclass(frozen=True)
class Job:
    """A job at one moment."""

    id: str
    kind: str
    title: str
    arguments: Mapping[str, Any]
    origin: str  # path of the page it was started from
    created: str
    state: State
    step: Step | None = None
    message: str = ""  # the last one of its work
    result: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""  # what went wrong, and what to do

    @property
    def link(self) -> str:
        """The path of the page with the result; empty before it is done."""
        return str(self.result.get("link", "")) if self.state is State.DONE else ""

    @property
    def headline(self) -> str:
        """What the job does right now, in a few words."""
        if self.state is State.QUEUED:
            return "waiting for its turn; one job runs at a time"
        return self.step.title if self.step else ""

    @property
    def detail(self) -> str:
        """Numbers of the step under way and the last message."""
        step, parts = self.step, []
        if step and step.total:
            left = "" if step.seconds_left is None else f", {duration(step.seconds_left)} left"
            parts.append(f"{step.done:,} of {step.total:,}{left}.")
        return " ".join([*parts, self.message]).strip()

    def progress_json(self) -> dict[str, Any]:
        """What the page of the job shows while it waits."""
        return {
            "id": self.id,
            "state": self.state,
            "headline": self.headline,
            "detail": self.detail,
            "step": asdict(self.step) if self.step else None,
            "link": self.link,
            "error": self.error,
        }
