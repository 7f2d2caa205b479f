"""What happens when derived data (an index, co-occurrence counts) is missing or stale: one policy, one place."""

from collections.abc import Callable
from enum import Enum

from querykin.errors import WorkspaceError
from querykin.progress import Progress


class BuildPolicy(Enum):
    """Whether derived data is built on demand.

    BUILD brings what is missing or stale up to date; SERVE builds only what is missing and serves what is
    there, with a message when it is stale; REFUSE never builds: what is missing is a NotBuilt error.
    """

    BUILD = "build"
    SERVE = "serve"
    REFUSE = "refuse"


class NotBuilt(WorkspaceError):
    """A measure lacks an index or counts, and the policy does not allow building them on demand."""

    def __init__(self, measure: str, lacks: str) -> None:
        super().__init__(f"measure {measure!r} {lacks}; next: querykin build --measures {measure}")


class State(Enum):
    """The state of derived data relative to what it is derived from."""

    CURRENT = "current"
    STALE = "stale"
    MISSING = "missing"


def ensure_built(
    state: State,
    policy: BuildPolicy,
    update: Callable[[], None],
    refuse: Callable[[], WorkspaceError],
    progress: Progress,
    missing: str = "",
    stale: str = "",
) -> None:
    """Apply the policy: build, refuse, or serve what is there.

    `missing` is the message before a build on demand, `stale` the one when stale data is served.
    """
    if state is State.CURRENT:
        return
    if policy is BuildPolicy.REFUSE:
        if state is State.MISSING:
            raise refuse()
        return
    if state is State.MISSING or policy is BuildPolicy.BUILD:
        if state is State.MISSING and missing:
            progress.message(missing)
        update()
    elif stale:
        progress.message(stale)
