"""Hostile workspaces: every array and all metadata rewritten with consistent checksums, then asked.

Somebody may hand over a workspace whose checksums are all right and whose contents are not. No kernel may read
or write out of bounds for it: it is refused, or answers something.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from querykin.storage.array_files import save
from querykin.storage.checked_json import CHECKSUM, with_checksum
from querykin.storage.store import seal
from torture.asked import ask, outcome
from torture.damage import linked_copy
from torture.figures import Figures
from torture.forked import on_all_processors
from torture.full_workspace import DOCUMENTS, build
from torture.hostile_values import METADATA, REWRITINGS

CASES = 2000  # at scale 1
Change = Callable[[Path, Random], str]  # changes a workspace; returns what was done


def run(scale: float, seed: int, documents: int = DOCUMENTS) -> Figures:
    """Rewrite one array, or one entry of a manifest, in a copy of the workspace."""
    with TemporaryDirectory() as scratch:
        path = build(Path(scratch), documents=documents)
        ask(path)  # in this process: from now on children have all code

        def share(cases: Sequence[Change], number: int) -> Figures:
            return rewritten(path, cases, Random(f"{seed} {number}"))

        return on_all_processors(share, changes(path, Random(seed), round(CASES * scale)))


def rewritten(path: Path, cases: Sequence[Change], random: Random) -> Figures:
    """The outcomes of changes of a workspace."""
    figures = Figures()
    for change in cases:
        copy = linked_copy(path, path.parent / f"copy-{os.getpid()}")
        done = change(copy, random)
        figures.record(done, *outcome(copy, None))
        shutil.rmtree(copy)
    return figures


def changes(path: Path, random: Random, cases: int) -> list[Change]:
    """Changes of arrays, each array by turns, and of metadata, one in five."""
    arrays = [file.relative_to(path) for file in sorted(path.rglob("*.npy"))]
    manifests = [file.relative_to(path) for file in sorted(path.rglob("manifest.json"))]
    random.shuffle(arrays)
    return [
        _metadata_change(random.choice(manifests)) if n % 5 == 4 else _array_change(arrays[n % len(arrays)])
        for n in range(cases)
    ]


def _array_change(name: Path) -> Change:
    def change(workspace: Path, random: Random) -> str:
        file, kind = workspace / name, random.choice(list(REWRITINGS))
        values = REWRITINGS[kind](np.load(file), random)
        file.unlink()
        save(file.parent, **{file.stem: values})
        part = next(folder for folder in file.parents if folder.parent.name == "parts")
        manifest = part.parent.parent / "manifest.json"
        content = json.loads(manifest.read_text("utf-8"))
        content["parts"][part.name] = seal(part)
        _write_manifest(manifest, content)
        return f"{name}: {kind}"

    return change


def _metadata_change(name: Path) -> Change:
    def change(workspace: Path, random: Random) -> str:
        path = workspace / name
        content = json.loads(path.read_text("utf-8"))
        place, value = random.choice(list(_places(content["metadata"]))), deepcopy(random.choice(METADATA))
        owner = content["metadata"]
        for key in place[:-1]:
            owner = owner[key]
        if random.random() < 0.1:
            del owner[place[-1]]
            value = "nothing"
        else:
            owner[place[-1]] = value
        _write_manifest(path, content)
        return f"{name}: metadata {'.'.join(map(str, place))} = {value!r}"

    return change


def _write_manifest(path: Path, content: dict[str, Any]) -> None:
    del content[CHECKSUM]
    path.unlink()
    path.write_text(json.dumps(with_checksum(content)), "utf-8")


def _places(content: Any) -> Iterator[tuple[Any, ...]]:
    """The place of every entry, nested ones too."""
    nested = enumerate(content) if isinstance(content, list) else ()
    for key, value in content.items() if isinstance(content, dict) else nested:
        yield (key,)
        for place in _places(value):
            yield key, *place
