"""From the records of a log to tables of counts, in bounded memory.

Sessions are dropped when they are counted. Meanwhile their ids are hashes with a salt that is never stored.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from secrets import token_bytes

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.errors import InputError
from querykin.io.log_files import LogRecord
from querykin.io.query_records import MAX_COUNT
from querykin.logs.session_counts import MAX_EVENTS, MAX_QUERIES, NO_PAGE, count_sessions
from querykin.logs.sorted_runs import MAX_ROWS, Columns, RunWriter, pieces_of, sum_counts, write_counts
from querykin.logs.text_tables import MAX_TEXTS, TextWriter
from querykin.querylog.counted_queries import query_key
from querykin.storage.content_hash import content_hash

# The tables of counts of a part, with the number of their keys.
TABLES = {"sessions": 1, "co-sessions": 2, "clicks": 2, "page-sessions": 1, "reformulations": 2}
_BATCH = 1 << 16  # records that become arrays at once
_LAST_SECOND = 1e12  # milliseconds of later times would not be exact
_CACHED = 1 << 16  # texts whose keys are kept
_TOGETHER = MAX_ROWS // (MAX_QUERIES // 2)  # rows of sessions: of them come up to so many times as many pairs


@dataclass(frozen=True)
class LogTotals:
    """What the records of an addition amount to."""

    sessions: int = 0
    left_out: int = 0  # sessions of too many queries or rows
    queries: int = 0
    pages: int = 0
    clicks: int = 0  # pairs of query and page
    co_sessions: int = 0  # pairs of queries
    reformulations: int = 0  # pairs of queries


class LogCounter:
    """Counts the records of a log; `folder` is for what does not fit in memory."""

    def __init__(self, folder: Path, max_rows: int = MAX_ROWS, max_texts: int = MAX_TEXTS) -> None:
        self._folder, self._salt = folder, token_bytes(16)
        self._queries = TextWriter(folder / "queries", max_texts)
        self._pages = TextWriter(folder / "pages", max_texts)
        self._rows = RunWriter(folder / "rows", 5, max_rows, MAX_EVENTS + 1)
        self._counts = {name: RunWriter(folder / name, keys + 1, max_rows) for name, keys in TABLES.items()}
        self._records = 0
        self._key = lru_cache(_CACHED)(self._query_key)
        self._page = lru_cache(_CACHED)(self._page_key)

    def _query_key(self, query: str) -> int:
        key = query_key(query)
        self._queries.add(key, query)
        return key

    def _page_key(self, url: str) -> int:
        key = content_hash(url.encode("utf-8", "replace"))
        self._pages.add(key, url)
        return key

    def add(self, records: Iterable[LogRecord]) -> None:
        """Count records; those of one session may be anywhere."""
        batches = {name: _Batch(writer) for name, writer in (*self._counts.items(), ("rows", self._rows))}
        for record in map(_checked, records):
            self._records += 1
            query = self._key(record.query)
            if record.reformulation:
                other = self._key(record.reformulation)
                if other != query:
                    batches["reformulations"].add(query, other, record.count)
            elif record.session:
                page = self._page(record.url) if record.url else NO_PAGE
                time = int(record.time * 1000)
                session = self._session_key(record.session)
                batches["rows"].add(session, time, self._records, query, page)
            else:
                batches["clicks"].add(query, self._page(record.url), record.count)
        for batch in batches.values():
            batch.flush()

    def _session_key(self, session: str) -> int:
        digest = blake2b(session.encode("utf-8", "replace"), key=self._salt, digest_size=8).digest()
        return int.from_bytes(digest, "little") >> 1

    def write(self, folder: Path) -> LogTotals:
        """Write all tables to the folder of a part."""
        sessions, left_out = self._count_sessions()
        rows = {
            name: write_counts(folder / name, _summed(self._counts[name], keys), keys)
            for name, keys in TABLES.items()
        }
        queries, pages = self._queries.write(folder / "queries"), self._pages.write(folder / "pages")
        return LogTotals(
            sessions, left_out, queries, pages, rows["clicks"], rows["co-sessions"], rows["reformulations"]
        )

    def _count_sessions(self) -> tuple[int, int]:
        """Add the counts of all sessions; returns the number of those that counted, and of the others."""
        total = left_out = 0
        for rows in chain.from_iterable(pieces_of(each, _TOGETHER) for each in self._rows.merged()):
            found = count_sessions(*rows)
            total, left_out = total + found.sessions, left_out + found.left_out
            self._count("sessions", found.queries)
            self._count("co-sessions", *found.pairs)
            self._count("reformulations", *found.reformulations)
            self._count("clicks", *found.clicks)
            self._count("page-sessions", found.pages)
        return total, left_out

    def _count(self, name: str, *keys: Int64Array) -> None:
        self._counts[name].add(*keys, np.ones(len(keys[0]), np.int64))


def _checked(record: LogRecord) -> LogRecord:
    """A record that a caller has made; an InputError if it is none that a file could have."""
    if not isinstance(record, LogRecord):
        raise InputError(f"a log consists of LogRecords, got {record!r:.80}")
    if not (record.query and isinstance(record.count, int) and 1 <= record.count <= MAX_COUNT):
        raise InputError(
            f"a LogRecord needs a query and a count from 1 to {MAX_COUNT:,}, got {record!r:.200}"
        )
    if not abs(record.time) <= _LAST_SECOND:
        raise InputError(f"the time of a LogRecord is in seconds, got {record.time}")
    return record


def _summed(writer: RunWriter, keys: int) -> Iterator[Columns]:
    for rows in writer.merged():
        yield sum_counts(rows[:keys], rows[keys])


class _Batch:
    """Rows one after another, which become arrays many at a time."""

    def __init__(self, writer: RunWriter) -> None:
        self._writer, self._values, self._width = writer, array("q"), 0

    def add(self, *row: int) -> None:
        """Append a row."""
        self._values.extend(row)
        self._width = len(row)
        if len(self._values) >= _BATCH * len(row):
            self.flush()

    def flush(self) -> None:
        """Hand the rows on."""
        if self._values:
            rows = np.array(self._values, np.int64).reshape(-1, self._width)
            self._writer.add(*(np.ascontiguousarray(column) for column in rows.T))
            self._values = array("q")
