"""Upgrade of a workspace from format 1 (querykin 0.1) to format 2, in place.

Every part is converted into a new one, whose name follows from the old: arrays are copied with the checksums
of their blocks, other files are hard links (copies where links are not supported), and arrays that format 1
has not are added (`upgrade_sources`). Then the manifest is replaced and the old parts are deleted. Two stores
move to another folder; they are converted into the new one, and the old one is kept until the end. The corpus
comes last: until its manifest is replaced, this version refuses the workspace; afterwards querykin 0.1 does.
An upgrade that was killed continues when it is run again.
"""

import json
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from querykin.errors import DamagedFile, WorkspaceError
from querykin.storage.atomic_write import sync_to_disk, write_text
from querykin.storage.block_checksums import append_footer
from querykin.storage.checked_json import with_checksum
from querykin.storage.part_folders import (
    MARKER,
    check_file_name,
    check_part_name,
    link_or_copy,
    make_folder,
    mark,
    own_folders,
    remove_own,
)
from querykin.storage.store import FORMAT, locked, read_manifest, seal
from querykin.storage.upgrade_sources import add_sources

File = tuple[str, str]  # part, name

# Folders of stores that are renamed; the kind of a store is the name of its folder.
MOVED_FOLDERS = {"neighbours": "cooccurrence", "query-words": "query-log"}

# Arrays that are renamed: kind of store, kind of part -> old name -> new name. A number may follow the name.
ARRAYS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("corpus", "segment"): {
        "first": "indptr",
        "titles": "title_lengths",
        "serials": "doc_ids",
        "keys": "id_hashes",
    },
    ("cooccurrence", "counts"): {
        "words-first": "words-indptr",
        "words-margins": "words-marginals",
        "phrases-first": "phrases-indptr",
        "phrases-margins": "phrases-marginals",
    },
    ("index", "segment"): {
        "numbers": "query_ids",
        "sizes": "candidate_stats",
        "first": "indptr",
        "most": "max_weights",
        "list_first": "list_indptr",
        "row_first": "row_indptr",
    },
}
# Metadata keys that are renamed, by kind of store.
METADATA: Mapping[str, Mapping[str, str]] = {
    "corpus": {"next_serial": "next_doc_id"},
    "cooccurrence": {
        "lineage": "corpus_id",
        "epoch": "statistics_version",
        "next_serial": "next_doc_id",
    },
    "latent": {"lineage": "corpus_id", "counted": "counts_version"},
    "query-log": {"lineage": "repository_id"},
    "index": {"visible": "committed", "pending": "in_progress"},
}
# The same for the two builds in the metadata of an index.
BUILD = {
    "measure": "index_settings",
    "epoch": "statistics_version",
    "lineage": "source_ids",
    "state": "corpus_version",
    "next_serial": "next_doc_id",
    "words": "vocabulary_size",
    "lost_mass": "truncation_error",
}
_OLD_TOMBSTONES, _TOMBSTONES = "dead.npy", "tombstones.npy"  # in format 1 a file of the corpus's statistics
_PART = re.compile(r"\b[a-z]+-[0-9a-f]{12}\b")  # the name of a part
_DRAFT = ".upgrade"  # suffix of files and folders that are incomplete or being deleted


def upgrade_workspace(path: Path, progress_callback: Callable[[str], None] = lambda store: None) -> list[str]:
    """Convert a workspace of format 1; returns the names of the converted stores, none if it is up to date.

    `progress_callback` receives the name of each store before it is converted.
    """
    if not path.is_dir():
        raise WorkspaceError(f"there is no workspace in {path}; next: querykin corpus add FILE")
    stores = _outdated_stores(path)
    if not stores and not list(_leftovers(path)):
        return []
    with ExitStack() as locks:
        for folder in _store_folders(path):
            locks.enter_context(locked(folder))
        for folder in stores:
            progress_callback(folder.relative_to(path).as_posix())
            _convert(folder)
        for leftover in list(_leftovers(path)):
            _delete(leftover)
    return [folder.relative_to(path).as_posix() for folder in stores]


def _store_folders(path: Path) -> list[Path]:
    """The folders of all stores, the corpus last."""
    names = ("repository", "latent", *MOVED_FOLDERS, *MOVED_FOLDERS.values())
    folders = [*(path / name for name in names), *sorted((path / "index").glob("*")), path / "corpus"]
    return [folder for folder in folders if (folder / "manifest.json").is_file()]


def _outdated_stores(path: Path) -> list[Path]:
    formats = {folder: _format(folder) for folder in _store_folders(path)}
    # Once the corpus is converted, a moved store lives in its new folder, and the old one is a leftover.
    moved = formats.get(path / "corpus") == FORMAT
    return [
        folder
        for folder, found in formats.items()
        if found != FORMAT and not (moved and folder.name in MOVED_FOLDERS)
    ]


def _format(folder: Path) -> int:
    found = read_manifest(folder / "manifest.json")["format"]
    if found not in (1, FORMAT):
        raise WorkspaceError(
            f"{folder / 'manifest.json'} has format {found}; this version converts format 1 to format "
            f"{FORMAT}: use the version that wrote it"
        )
    return int(found)


def _convert(folder: Path) -> None:
    """Convert the parts of a store and replace its manifest, in a new folder if it moves."""
    manifest, new_files, recorded = _converted(folder / "manifest.json")
    target = folder.with_name(MOVED_FOLDERS.get(folder.name, folder.name))
    draft = folder if target == folder else _draft(target)
    if draft != folder:  # an upgrade that was killed before the corpus was converted may have left both
        for existing in filter(Path.exists, (draft, target)):
            _delete(existing)
    for part in sorted({part for part, _ in new_files}):
        mark(folder / "parts" / part, manifest["store_id"])  # to be deleted
    parts = {part: draft / "parts" / part for part in manifest["parts"]}
    for path in parts.values():
        if path.exists():  # of an upgrade that was killed
            _delete(path)
        make_folder(path, manifest["store_id"])
    for old, (part, name) in new_files.items():
        (parts[part] / name).parent.mkdir(exist_ok=True)
        _transfer(folder.joinpath("parts", *old), parts[part] / name, *recorded[old])
    add_sources(draft, manifest["metadata"], manifest["kind"])
    manifest["parts"] = {part: seal(path) for part, path in parts.items()}
    if parts:
        sync_to_disk(draft / "parts")
    draft.mkdir(exist_ok=True)
    write_text(draft / "manifest.json", json.dumps(with_checksum(manifest), indent=1))
    if draft != folder:
        os.rename(draft, target)
        sync_to_disk(target.parent)


def _converted(path: Path) -> tuple[dict[str, Any], dict[File, File], dict[File, tuple[int, int]]]:
    """The manifest in the new format, its parts empty; of each file the new name, and size and CRC-32."""
    raw = read_manifest(path)
    kind = MOVED_FOLDERS.get(raw["kind"], raw["kind"])
    try:
        new_files, recorded = {}, {}
        for part, files in raw["parts"].items():
            for file, (size, crc) in files.items():
                old = check_part_name(part), check_file_name(file)
                new_files[old], recorded[old] = _new_file(kind, part, file), (int(size), int(crc))
        metadata = _renamed_parts(_new_metadata(kind, raw["facts"]))
        parts = {*map(_new_part, raw["parts"]), *(part for part, _ in new_files.values())}
        parts |= {metadata["sources"]} if "sources" in metadata else set()
        manifest: dict[str, Any] = {
            "format": FORMAT,
            "kind": kind,
            "generation": int(raw["generation"]),
            "store_id": str(raw["lineage"]),
            "metadata": metadata,
            "parts": dict.fromkeys(sorted(parts)),
        }
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DamagedFile(path, repr(error)) from error
    return manifest, new_files, recorded


def _new_part(name: str) -> str:
    """The name of a converted part; stores name parts of others, so it depends on the old name alone."""
    return f"{name.rpartition('-')[0]}-{xxh3_64_hexdigest(name.encode())[:12]}"


def _renamed_parts(value: Any) -> Any:
    """Metadata with the new names of all parts."""
    if isinstance(value, str):
        return _PART.sub(lambda found: _new_part(found[0]), value)
    if isinstance(value, list):
        return [_renamed_parts(each) for each in value]
    if isinstance(value, dict):
        return {key: _renamed_parts(each) for key, each in value.items()}
    return value


def _new_file(kind: str, part: str, file: str) -> File:
    """The part and the name of a file in format 2."""
    part_kind, _, suffix = part.rpartition("-")
    if (kind, part_kind, file) == ("corpus", "statistics", _OLD_TOMBSTONES):
        return _new_part(f"tombstones-{suffix}"), _TOMBSTONES
    name = re.fullmatch(r"(.+?)((?:-\d+)?\.npy)", file)
    if name is None:
        return _new_part(part), file
    return _new_part(part), ARRAYS.get((kind, part_kind), {}).get(name[1], name[1]) + name[2]


def _new_metadata(kind: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    metadata = _with_new_keys(facts, METADATA.get(kind, {}))
    if kind == "corpus" and metadata:
        suffix = metadata["statistics"].rpartition("-")[2]
        metadata |= {"tombstones": f"tombstones-{suffix}", "sources": f"sources-{suffix}"}
    if kind == "index":
        metadata = {name: build and _new_build(build) for name, build in metadata.items()}
    return metadata


def _new_build(facts: Mapping[str, Any]) -> dict[str, Any]:
    build = _with_new_keys(facts, BUILD)
    build["index_settings"] = build["index_settings"].replace(" held_mass=", " min_idf_coverage=")
    return build


def _with_new_keys(facts: Mapping[str, Any], new_keys: Mapping[str, str]) -> dict[str, Any]:
    return {new_keys.get(key, key): value for key, value in facts.items()}


def _transfer(source: Path, target: Path, size: int, crc: int) -> None:
    """Copy an array with a footer; make another file appear under a second name."""
    try:
        content = source.read_bytes()
    except FileNotFoundError:
        raise DamagedFile(source, "it is missing") from None
    if len(content) != size or zlib.crc32(content) != crc:
        raise DamagedFile(source, "it differs from what was written")
    if target.suffix == ".npy":
        target.write_bytes(content)
        append_footer(target)
    else:
        link_or_copy(source, target)


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}{_DRAFT}")


def _leftovers(path: Path) -> Iterator[Path]:
    """Files and folders of the old format that a converted workspace no longer needs."""
    yield from path.glob(f".*{_DRAFT}")
    yield from (path / name for name in MOVED_FOLDERS if (path / name).exists())
    for folder in _store_folders(path):
        yield from folder.glob(".manifest.json.*")
        manifest = read_manifest(folder / "manifest.json")
        if manifest["format"] == FORMAT:
            own = own_folders(folder / "parts", manifest["store_id"])
            yield from (part for part in own if part.name not in manifest["parts"])


def _delete(path: Path) -> None:
    """Delete a file, or a folder as a whole: it disappears under its name before its files do."""
    if not path.is_dir():
        path.unlink()
    elif (path / MARKER).exists():
        remove_own(path, (path / MARKER).read_text("ascii"))
    else:
        draft = path if path.name.endswith(_DRAFT) else _draft(path)
        if draft != path:
            os.rename(path, draft)
        shutil.rmtree(draft)
