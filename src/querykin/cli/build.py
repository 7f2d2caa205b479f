"""Bring everything stale up to date: `querykin build`."""

from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    Messages,
    QuietOption,
    WorkspaceOption,
    measure_names,
    open_workspace,
)

if TYPE_CHECKING:
    from querykin.workspace import Workspace


def build(
    measures: Annotated[str, typer.Option("--measures", help="Names, separated by commas.")] = "web-kernel",
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make every row anew, weighted by today's statistics.")
    ] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Expand and index the queries that are new or stale. Can be stopped at any moment and continued."""
    opened, messages = open_workspace(workspace, config, quiet), Messages(quiet)
    names = measure_names(measures, "build")
    for name in names:
        opened.check_ready(name)
    for name in names:
        bring_up_to_date(opened, name, rebuild, messages)
        _ask_once(opened, name)


def _ask_once(opened: "Workspace", name: str) -> None:
    """Compile what a search needs, and keep it on disk: the first query somebody types shall not wait."""
    if opened.needs(name):
        opened.suggest(opened.repository.query(int(opened.repository.live_ids()[0])), 1, name)


def bring_up_to_date(opened: "Workspace", name: str, rebuild: bool, messages: Messages) -> None:
    """Do it for every index that a measure needs."""
    opened.learn(name, rebuild)
    parts = opened.needs(name)
    if not parts:
        messages.say(f"{name}: needs no index; it goes through the whole repository")
    for part in parts:
        _bring_up_to_date(opened, part, rebuild, messages)


def _bring_up_to_date(opened: "Workspace", name: str, rebuild: bool, messages: Messages) -> None:
    """Plan, say what there is to do, do it."""
    plan = opened.plan(name, rebuild)
    if not plan.needed:
        messages.say(f"{name}: {len(opened.repository):,} queries are indexed; nothing to do")
        return
    kept = f", {plan.done:,} finished earlier" if plan.done else ""
    messages.say(f"{name}: {len(plan.missing):,} queries to index, {len(plan.stale):,} stale{kept}")
    with messages.progress(f"building {name}", len(plan.todo)) as advance:
        opened.run(plan, name, advance)
    index = opened.index(name)
    cut = (
        f", which leave out at most {index.truncation_error:.0%} of a row's squared length"
        if 0 < index.truncation_error < 1
        else ""
    )
    rows = max(1, sum(len(segment) for segment in index.segments))
    messages.say(
        f"{name}: done, {len(opened.repository):,} queries indexed, {index.terms:.0f} terms and "
        f"{index.bytes / rows:,.0f} bytes a row{cut}"
    )
