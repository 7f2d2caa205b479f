"""Hostile workspaces: every array and all metadata rewritten with consistent checksums, then asked.

Somebody may hand over a workspace whose checksums are all right and whose contents are not. No kernel may read
or write out of bounds for it: it is refused, or answers something.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.storage.array_files import save
from querykin.storage.store import manifest_checksum, seal
from torture.asked import ask, outcome
from torture.damage import linked_copy
from torture.figures import Figures
from torture.full_workspace import build

CASES = 1500  # at scale 1
Change = Callable[[Path], str]  # changes a workspace; returns what was done
_VALUES: tuple[Any, ...] = (
    None,
    -1,
    10**30,
    1e308,
    float("nan"),
    "",
    "x",
    [],
    {},
    [None],
    ["../.."],
    {"x": 1},
    True,
)


def run(scale: float, seed: int) -> Figures:
    """Rewrite one array, or one entry of a manifest, in a copy of the workspace."""
    figures, random = Figures(), Random(seed)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = build(folder)
        ask(path)  # in this process: from now on children have all code
        for change in changes(path, random, round(CASES * scale)):
            copy = linked_copy(path, folder / "copy")
            done = change(copy)
            found, detail = outcome(copy, None)
            figures.record(done, found, detail)
            shutil.rmtree(copy)
    return figures


def changes(path: Path, random: Random, number: int) -> Iterator[Change]:
    """Changes of arrays, each array by turns, and of metadata, one in five."""
    arrays = [file.relative_to(path) for file in sorted(path.rglob("*.npy"))]
    manifests = [file.relative_to(path) for file in sorted(path.rglob("manifest.json"))]
    random.shuffle(arrays)
    for n in range(number):
        if n % 5 == 4:
            yield _metadata_change(random.choice(manifests), random)
        else:
            yield _array_change(arrays[n % len(arrays)], random)


def _array_change(name: Path, random: Random) -> Change:
    def change(workspace: Path) -> str:
        file = workspace / name
        kind, values = _hostile(np.load(file), random)
        file.unlink()
        save(file.parent, **{file.stem: values})
        _seal_again(file.parent)
        return f"{name}: {kind}"

    return change


def _hostile(values: NDArray[Any], random: Random) -> tuple[str, NDArray[Any]]:
    """Other values for an array, and what they are."""
    generator = np.random.default_rng(random.randrange(1 << 32))
    changed, size = values.copy(), len(values)
    flat = changed.reshape(-1)
    at = random.randrange(flat.size) if flat.size else 0
    is_float = values.dtype.kind == "f"
    largest = np.inf if is_float else np.iinfo(values.dtype).max
    smallest = -np.inf if is_float else np.iinfo(values.dtype).min
    kind = random.choice(
        [
            "largest",
            "smallest",
            "beyond",
            "last",
            "first",
            "nan",
            "all-largest",
            "all-smallest",
            "zeros",
            "reversed",
            "noise",
            "other-type",
            "float",
            "big-endian",
            "longer",
            "shorter",
            "empty",
            "deeper",
        ]
    )
    if kind == "largest":
        flat[at : at + 1] = largest
    elif kind == "smallest":
        flat[at : at + 1] = smallest
    elif kind == "beyond":  # a little more than any value there is
        flat[at : at + 1] = min(flat.max(initial=0) + random.randint(1, 3), largest) if not is_float else 2.0
    elif kind == "last":
        flat[-1:] = largest
    elif kind == "first":
        flat[:1] = largest
    elif kind == "nan":
        flat[at : at + 1] = np.nan if is_float else largest // 2
    elif kind == "all-largest":
        flat[:] = largest
    elif kind == "all-smallest":
        flat[:] = smallest
    elif kind == "zeros":
        flat[:] = 0
    elif kind == "reversed":
        changed = np.ascontiguousarray(changed[::-1])
    elif kind == "noise":
        raw = generator.integers(0, 256, flat.nbytes, np.uint8)
        changed = raw.view(values.dtype).reshape(values.shape)
    elif kind == "other-type":
        changed = changed.astype(np.int16 if values.dtype != np.int16 else np.int64)
    elif kind == "float":
        changed = changed.astype(np.float64 if values.dtype != np.float64 else np.int64)
    elif kind == "big-endian":
        changed = changed.astype(values.dtype.newbyteorder(">"))
    elif kind == "longer":
        changed = np.concatenate([changed, changed[-3:], changed[:1]])
    elif kind == "shorter":
        changed = changed[: max(0, size - random.randint(1, 3))]
    elif kind == "empty":
        changed = changed[:0]
    else:
        changed = changed[..., None] if values.ndim == 1 else flat
    return kind, changed


def _seal_again(part: Path) -> None:
    """Record the files of a part as they are now."""
    manifest = part.parent.parent / "manifest.json"
    content = json.loads(manifest.read_text("utf-8"))
    content["parts"][part.name] = seal(part)
    _write_manifest(manifest, content)


def _write_manifest(path: Path, content: dict[str, Any]) -> None:
    content["checksum"] = manifest_checksum(content)
    path.unlink()
    path.write_text(json.dumps(content), "utf-8")


def _metadata_change(name: Path, random: Random) -> Change:
    def change(workspace: Path) -> str:
        path = workspace / name
        content = json.loads(path.read_text("utf-8"))
        places = list(_places(content["metadata"])) or [()]
        place, value = random.choice(places), deepcopy(random.choice(_VALUES))
        if not place:
            content["metadata"] = value
        else:
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


def _places(content: Any) -> Iterator[tuple[Any, ...]]:
    """The place of every entry, nested ones too."""
    entries = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    for key, value in entries:
        yield (key,)
        for place in _places(value):
            yield key, *place
