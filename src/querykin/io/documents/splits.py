"""Splits of the input: pieces of bounded size that are read independently of each other.

A split is a run of whole files, or a range of lines of one large file of JSON lines. The splits depend on
the input alone, so that documents are processed in the same batches wherever their splits are read.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from querykin.errors import InputError
from querykin.io.compression import MAGIC_LENGTH, detect_compression
from querykin.io.documents.sources import SourceFile
from querykin.io.encodings import encoding_of
from querykin.io.file_kinds import kind_of
from querykin.io.split_size import SPLIT_BYTES
from querykin.io.streams import PIECE, as_file, counted

_JSON_LINES = "jsonl"


@dataclass(frozen=True)
class SplitFile:
    """A file of a split, or the lines of it that begin in a range of bytes."""

    file: SourceFile
    source: int  # the number of the named source it is from
    source_name: str  # to which its documents belong
    in_folder: bool  # or in an archive: what cannot be read is reported and is no error
    is_last: bool  # of the files of its source
    url: str = ""  # of the page in the file, where a sitemap says it
    begin: int = 0
    end: int | None = None  # None: to the end of the file

    @property
    def is_range(self) -> bool:
        """Whether it is a part of a file only."""
        return self.begin > 0 or self.end is not None

    @property
    def size(self) -> int:
        """Bytes as stored."""
        return (self.file.size if self.end is None else self.end) - self.begin


Split = tuple[SplitFile, ...]


def plan_splits(files: Iterable[SplitFile], max_bytes: int = SPLIT_BYTES) -> Iterator[Split]:
    """Files in runs of at most this size; larger ones alone or, if possible, as several ranges of lines."""
    run, size = list[SplitFile](), 0
    for each in files:
        if run and size + each.size > max_bytes:
            yield tuple(run)
            run, size = [], 0
        if each.size > max_bytes and _has_utf8_lines(each.file):
            for begin, end in pairwise(_line_borders(each.file, max_bytes)):
                last = end == each.file.size
                yield (replace(each, begin=begin, end=None if last else end, is_last=each.is_last and last),)
        else:
            run.append(each)
            size += each.size
    if run:
        yield tuple(run)


def _has_utf8_lines(file: SourceFile) -> bool:
    """Whether a file is plain JSON lines in UTF-8: then any of its lines can be read without the others."""
    if file.path is None or file.member is not None or [each.name for each in file.formats] != [_JSON_LINES]:
        return False
    try:
        with file.path.open("rb") as raw:
            opened = as_file(counted(raw, file.name, None))
            head = opened.peek(PIECE)
            is_plain = detect_compression(head[:MAGIC_LENGTH], file.compression, file.name) is None
            return is_plain and kind_of(head) is None and b"\n" in head and encoding_of(opened) == "utf-8"
    except (OSError, InputError):
        return False  # what is wrong is said when it is read


def _line_borders(file: SourceFile, max_bytes: int) -> Iterator[int]:
    """Offsets of line begins at least this many bytes apart, 0 and the size of the file included."""
    assert file.path is not None
    at = 0
    with file.path.open("rb") as opened:
        while at < file.size:
            yield at
            opened.seek(at + max_bytes - 1)
            while (line := opened.readline(PIECE)) and not line.endswith(b"\n"):
                pass
            at = min(opened.tell(), file.size)
    yield file.size
