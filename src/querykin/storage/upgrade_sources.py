"""The arrays that format 2 has and format 1 has not: sources, and hashes of the content of documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from querykin.errors import DamagedFile
from querykin.storage.array_files import load, save
from querykin.storage.content_hash import content_hash
from querykin.storage.source_names import DEFAULT_SOURCE


def add_sources(folder: Path, metadata: dict[str, Any], kind: str) -> None:
    """Write the missing arrays of a store and complete its metadata.

    All documents and queries belong to the source "default".
    """
    if not metadata or kind not in ("corpus", "repository"):
        return
    metadata["source_names"] = [DEFAULT_SOURCE]
    try:
        (_corpus if kind == "corpus" else _repository)(folder / "parts", metadata)
    except zstandard.ZstdError as error:
        raise DamagedFile(folder, f"stored documents cannot be read ({error})") from None


def _corpus(parts: Path, metadata: dict[str, Any]) -> None:
    documents = 0
    for name in metadata["segments"]:
        hashes = np.array([content_hash(record) for record in _records(parts / name)], np.int64)
        save(parts / name, content_hashes=hashes)
        documents += len(hashes)
    save(parts / metadata["sources"], source_ids=np.zeros(documents, np.int32))


def _records(segment: Path) -> Iterator[bytes]:
    """The stored documents of a segment, each as it is stored."""
    records, blocks, block_starts = (load(segment, name) for name in ("records", "blocks", "block_starts"))
    texts, number = (segment / "texts.zst").open("rb"), 0
    with texts:
        for block in range(len(blocks) - 1):
            raw = zstandard.ZstdDecompressor().decompress(texts.read(int(blocks[block + 1] - blocks[block])))
            while number < len(records) - 1 and records[number + 1] <= block_starts[block + 1]:
                begin, end = records[number : number + 2] - block_starts[block]
                yield raw[begin:end]
                number += 1


def _repository(parts: Path, metadata: dict[str, Any]) -> None:
    folder = parts / metadata["queries"]
    counts = load(folder, "counts")
    live = np.flatnonzero(counts > 0)
    save(
        folder,
        source_indptr=np.array([0, len(live)]),
        source_queries=live,
        source_counts=counts[live],
        fingerprint_indptr=np.array([0, 0]),
        fingerprints=np.zeros(0, np.int64),
    )
