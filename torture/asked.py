"""The questions of `full_workspace`, asked in a child, and what their answers say of a changed workspace."""

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from querykin.errors import QuerykinError
from querykin.progress import Advance
from torture.forked import LIMIT, Child
from torture.full_workspace import open_workspace, questions

ANSWERED, REFUSED, TRACEBACK = "answered", "refused", "traceback"
Answer = tuple[str, str]  # one of these words; what was answered, or the message


class Messages:
    """Collects what a user would be shown."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def message(self, text: str) -> None:
        """A line for the user."""
        self.messages.append(text)

    @contextmanager
    def task(self, title: str, total: int | None) -> Iterator[Advance]:
        """Work that takes a while."""
        self.messages.append(title)
        yield lambda number: None


def ask(path: Path) -> tuple[dict[str, Answer], list[str]]:
    """All answers of a workspace that is opened now, by question, and the messages that were shown."""
    progress, found = Messages(), {}
    workspace = None
    for name, question in questions(path).items():
        try:
            workspace = workspace or open_workspace(path, progress)
            found[name] = ANSWERED, repr(question(workspace)).replace(str(path), "PATH")
        except QuerykinError as error:
            found[name] = REFUSED, str(error)
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            found[name] = TRACEBACK, f"{error!r} in {place.filename.rpartition('/')[2]}:{place.lineno}"
    return found, progress.messages


def outcome(path: Path, expected: Mapping[str, Answer] | None, limit: float = LIMIT) -> tuple[str, str]:
    """What asking in a child comes to, and the details; without `expected` any answers will do."""
    ended = Child(lambda: ask(path)).wait(limit)
    if ended.failure:
        return ended.failure, ended.detail
    answers, messages = ended.result
    for name, (kind, text) in answers.items():
        if kind == TRACEBACK:
            return "traceback", f"{name}: {text}"
    for name, (kind, text) in answers.items():
        if expected is not None and kind == ANSWERED and text != expected[name][1]:
            return "wrong", f"{name}: {_difference(text, expected[name][1])}"
    refused = {name: text for name, (kind, text) in answers.items() if kind == REFUSED}
    if refused:
        return "refused", next(iter(refused.values()))
    return ("rebuilt", messages[0]) if messages else ("same answers", "")


def _difference(found: str, expected: str) -> str:
    at = next((n for n, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), 0)
    return f"...{found[max(0, at - 20) : at + 40]!r} instead of ...{expected[max(0, at - 20) : at + 40]!r}"
