"""The log of a workspace: counts of sessions, clicks and reformulations. No session is stored.

Every addition is one part with its own tables; what is read is their sum.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from typing_extensions import TypedDict

from querykin.compute.arrays import Int64Array
from querykin.defaults import MIN_SESSIONS
from querykin.errors import DamagedFile, InputError
from querykin.io.log_files import LogRecord
from querykin.logs.log_counter import TABLES, LogCounter, LogTotals
from querykin.logs.sorted_runs import CountTable, merged_counts, sorted_rows
from querykin.logs.text_tables import Texts, TextTable, merged_texts
from querykin.storage.atomic_write import PRIVATE_FOLDER, create_folder
from querykin.storage.content_hash import content_hash
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.mirror import MANIFEST
from querykin.storage.source_names import DEFAULT_SOURCE, known_source, source_name
from querykin.storage.store import Manifest, Store

KIND = "log"


class Addition(TypedDict):
    """One addition: its part, where it came from, and its number of sessions."""

    part: str
    source: str
    fingerprint: str
    sessions: Number


class _Metadata(TypedDict):
    """The metadata of the store."""

    additions: list[Addition]
    offered_from: Number  # sessions from which on queries are in the repository; 0: they are not yet


@dataclass(frozen=True)
class LogChange:
    """What an addition has, or with `dry_run` would have, and whether the log has changed."""

    totals: LogTotals
    is_known: bool = False  # the log has the same content already
    removed: int = 0  # earlier additions of the source that were replaced


class Log:
    """The log on disk; a snapshot that shows the new state after `add` and `remove_source`.

    >>> log = Log(getfixture("tmp_path") / "log")
    >>> asked = [LogRecord("apple pie", session=str(n), url="/pie") for n in range(3)]
    >>> log.add([*asked, LogRecord("pie crust", session="1", time=60.0)]).totals.sessions
    3
    >>> sorted(log.seen_queries(min_sessions=3))
    [('apple pie', 3)]
    """

    def __init__(self, path: Path) -> None:
        self.store = Store(path, KIND)
        self.store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        found = check_metadata(self.store, manifest.metadata, _Metadata) if manifest.metadata else None
        self.additions: list[Addition] = found["additions"] if found else []
        self.offered_from = found["offered_from"] if found else None  # nothing was ever added
        parts = [each["part"] for each in self.additions]
        if unlisted := set(parts) - set(manifest.parts):
            raise DamagedFile(self.store.path / MANIFEST, f"it has no part {min(unlisted)!r}, which it names")
        self.state = f"{manifest.store_id} {content_hash(' '.join(parts).encode()):016x}"

    def __len__(self) -> int:
        return len(self.additions)

    @property
    def sessions(self) -> int:
        """The number of sessions that were counted."""
        return sum(each["sessions"] for each in self.additions)

    def sources(self) -> dict[str, int]:
        """The number of additions of each source."""
        names = sorted(each["source"] for each in self.additions)
        return {name: names.count(name) for name in names}

    def add(
        self,
        records: Iterable[LogRecord],
        source: str = DEFAULT_SOURCE,
        *,
        replace: bool = False,
        dry_run: bool = False,
    ) -> LogChange:
        """Count the records of a log; content that the log has already, from any source, changes nothing.

        Counted twice, a query of few sessions would be one of enough. Records of one session belong into one
        call. With `replace` they take the place of what the source has.
        """
        name = source_name(source)
        if dry_run:
            with TemporaryDirectory() as folder:
                (target := Path(folder) / "part").mkdir()
                return LogChange(_counted(records, Path(folder) / "runs", target))
        with self._changing():
            part, runs = self.store.new_part("counts"), self.store.new_part("runs")
            totals = _counted(records, self.store.part(runs), self.store.part(part))
            self.store.discard(runs)
            sealed = self.store.seal(part)
            fingerprint = f"{content_hash(repr(sorted(sealed.items())).encode()):016x}"
            removed = [each for each in self.additions if replace and each["source"] == name]
            kept = [each for each in self.additions if each not in removed]
            if [each["fingerprint"] for each in removed] == [fingerprint]:
                return LogChange(totals, is_known=True)
            if any(each["fingerprint"] == fingerprint for each in kept):
                return LogChange(totals, is_known=True)
            new = Addition(part=part, source=name, fingerprint=fingerprint, sessions=totals.sessions)
            self._commit([*kept, new])
        return LogChange(totals, removed=len(removed))

    def remove_source(self, source: str) -> int:
        """Remove what a source has added; returns the number of additions."""
        with self._changing():
            name = known_source(source, self.sources())
            kept = [each for each in self.additions if each["source"] != name]
            removed = len(self.additions) - len(kept)
            self._commit(kept)
        return removed

    def note_offered(self, min_sessions: int) -> None:
        """Record that the queries of so many sessions are in the repository."""
        with self._changing():
            self._commit(self.additions, min_sessions)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock of the store, in a folder that only its owner may enter."""
        create_folder(self.store.path, PRIVATE_FOLDER)
        with self.store.changing(self._load):
            yield

    def _commit(self, additions: Sequence[Addition], offered_from: int = 0) -> None:
        metadata = _Metadata(additions=list(additions), offered_from=offered_from)
        self.store.commit({**metadata}, [each["part"] for each in additions])

    # What the measures are made of.

    def has(self, relation: str) -> bool:
        """Whether there are any clicks, sessions or reformulations."""
        return any(len(table) for table in self.counts(relation))

    def counts(self, name: str) -> list[CountTable]:
        """The tables of one name, one for each addition."""
        return [CountTable(self.store.part(each["part"]) / name, TABLES[name]) for each in self.additions]

    def texts(self, name: str) -> list[TextTable]:
        """The texts of queries or pages, a table for each addition."""
        return [TextTable(self.store.part(each["part"]) / name) for each in self.additions]

    def sessions_by_query(self) -> tuple[Int64Array, Int64Array]:
        """The keys of all queries, ascending, and the number of sessions that asked each.

        Where sessions are not given, it is the largest count of a page that was clicked, or of a
        reformulation: what is certain without knowing whose clicks they were.
        """
        none = np.zeros(0, np.int64)
        found = [(none, none)]
        for queries, counts in merged_counts(self.counts("sessions")):
            found.append((queries, counts))
        for queries, _, counts in merged_counts(self.counts("clicks")):
            found.append(_largest(queries, counts))
        for firsts, seconds, counts in merged_counts(self.counts("reformulations")):
            found.append(_largest(np.concatenate([firsts, seconds]), np.tile(counts, 2)))
        return _largest(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def seen_queries(self, min_sessions: int = MIN_SESSIONS) -> Iterable[tuple[str, int]]:
        """The queries that enough sessions asked, with the number of these sessions."""
        keys, counts = self.sessions_by_query()
        seen = counts >= min_sessions
        keys, counts = keys[seen], counts[seen]
        for texts in self.texts_of("queries", keys):
            yield from zip(texts.decoded(), counts[np.searchsorted(keys, texts.keys)].tolist(), strict=True)

    def texts_of(self, name: str, keys: Int64Array) -> Iterable[Texts]:
        """The texts of ascending keys, piece by piece."""
        for piece in merged_texts(self.texts(name)):
            yield piece.take(np.flatnonzero(np.isin(piece.keys, keys)))


def _counted(records: Iterable[LogRecord], runs: Path, target: Path) -> LogTotals:
    counter = LogCounter(runs)
    counter.add(records)
    totals = counter.write(target)
    if not totals.queries:
        raise InputError("no queries in the log; nothing was added")
    return totals


def _largest(keys: Int64Array, values: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Each key once, ascending, with its largest value."""
    keys, values = sorted_rows([(keys, values)], 2)
    last = np.append(keys[1:] != keys[:-1], True) if len(keys) else np.zeros(0, np.bool_)
    return keys[last], values[last]
