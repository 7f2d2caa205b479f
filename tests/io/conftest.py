"""Fixtures that write files, compress them and read documents from them."""

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import zstandard

from querykin.io.documents import read_documents
from querykin.types import Document, SkippedRecord

COMPRESS = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,  # as the zstd command does
}


class Outcome(NamedTuple):
    documents: list[Document]
    problems: list[SkippedRecord]


@pytest.fixture
def read():
    """Read sources to the end."""

    def run(*sources: Any, **options: Any) -> Outcome:
        problems: list[SkippedRecord] = []
        documents = read_documents(sources, problems.append, **options)
        return Outcome(list(documents), problems)

    return run


@pytest.fixture
def file(tmp_path: Path):
    """Write a file below the test's folder and return its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(params=COMPRESS)
def compression(request: pytest.FixtureRequest):
    """Each suffix with its compression function, including "" for none."""
    return request.param, COMPRESS[request.param]


@pytest.fixture(params=[ending for ending in COMPRESS if ending])
def compressed(request: pytest.FixtureRequest):
    """Each suffix of a compression with its function."""
    return request.param, COMPRESS[request.param]
