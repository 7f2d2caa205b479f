"""Damaged files: every kind of file of a workspace, flipped, truncated, deleted or replaced, then asked.

What is damaged when a file is opened is refused, or has no effect on any answer; derived data may be rebuilt.
Never a wrong answer, a traceback or a crash.
"""

import os
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from torture.asked import Answer, ask, outcome
from torture.damages import DAMAGES, Damage, delete, truncate
from torture.figures import Figures
from torture.forked import on_all_processors
from torture.full_workspace import DOCUMENTS, build

Case = tuple[Path, Damage]

CASES = 2200  # at scale 1: some 300 kinds of files, each with seven of eleven damages
_IN_PLACE = (".db", "lock")  # endings of files that are written in place: never shared
_REMOVABLE = (
    "evaluations/*.json"  # to delete the file is the way to remove one (docs/reference/workspace-files.md)
)
_RANDOM_NAMES = re.compile(r"[0-9a-f]{12,32}|\d{4}-[\d-]+T[\d-]+")  # of parts, files of tantivy, evaluations


def run(scale: float, seed: int, documents: int = DOCUMENTS) -> Figures:
    """Damage one file at a time, each in a copy of the workspace."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = build(folder, folder / "earlier", documents)
        expected, _ = ask(path)  # in this process: from now on children have all code

        def share(cases: Sequence[Case], number: int) -> Figures:
            return damaged(path, folder / "earlier", expected, cases, Random(f"{seed} {number}"))

        return on_all_processors(share, chosen(path, Random(seed), round(CASES * scale)))


def damaged(
    path: Path, earlier: Path | None, expected: Mapping[str, Answer], cases: Sequence[Case], random: Random
) -> Figures:
    """The outcomes of damages to a workspace that gives the expected answers."""
    figures = Figures()
    for file, damage in cases:
        copy = linked_copy(path, path.parent / f"copy-{os.getpid()}")
        done = damage(copy / file, _others(path, earlier, file), random)
        figures.record(f"{file}: {done}", *outcome(copy, expected))
        shutil.rmtree(copy)
    return figures


def linked_copy(path: Path, copy: Path) -> Path:
    """A copy of a workspace with the same files: stores never write to a file in place."""

    def link(source: str, target: str) -> None:
        shutil.copyfile(source, target) if source.endswith(_IN_PLACE) else os.link(source, target)

    shutil.copytree(path, copy, copy_function=link)
    return copy


def chosen(path: Path, random: Random, cases: int) -> list[Case]:
    """Kinds of files and damages by turns, so that any number of cases is spread over all."""
    kinds, found = list(_kinds(path).values()), []
    random.shuffle(kinds)
    for n in range(cases):
        turn, number = divmod(n, len(kinds))
        file, damage = random.choice(kinds[number]), DAMAGES[(turn + number) % len(DAMAGES)]
        found.append((file, truncate if damage is delete and file.match(_REMOVABLE) else damage))
    return found


def _kinds(path: Path) -> dict[str, list[Path]]:
    """The files of a workspace by what they are."""
    found = defaultdict[str, list[Path]](list)
    for file in sorted(path.rglob("*")):
        if file.is_file() and not file.name.endswith("lock"):
            found[_kind(file.relative_to(path))].append(file.relative_to(path))
    return found


def _kind(file: Path) -> str:
    return _RANDOM_NAMES.sub("*", file.as_posix())


def _others(path: Path, earlier: Path | None, file: Path) -> list[Path]:
    """Other valid files of a kind: of this workspace, and of its earlier state where that is recorded.

    A model or a list of changes is one file, whose earlier state is as valid as the current one.
    """
    others = [path / each for each in _kinds(path)[_kind(file)] if each != file]
    if earlier and ("parts" in file.parts or file.name == "manifest.json"):
        others += [earlier / each for each in _kinds(earlier).get(_kind(file), ())]
    return others
