"""Publication of an index's rows to OpenSearch.

Rows of a new build go to a new index, which takes the alias once it is complete; readers see the rows before
or after. Rows of the build that is published already are compared with the index, and only what differs is
sent, into the index in use: every row is right by itself. A killed publication continues: what has arrived
differs no more. The index that lost the alias is kept until the next publication, for readers of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from querykin.compute.arrays import BoolArray, Int64Array
from querykin.counted_nouns import counted
from querykin.errors import WorkspaceError
from querykin.index.block_max_index import BlockMaxIndex
from querykin.index.block_max_layout import QuantizedRows
from querykin.index.catalog import indexed_parts
from querykin.index.index import Index
from querykin.measures.base import Measure
from querykin.measures.vector_measure import VectorMeasure
from querykin.opensearch.bulk import delete_action, index_action, send_bulk
from querykin.opensearch.connection import Connection
from querykin.opensearch.differences import Differences, find_differences, versions
from querykin.progress import Progress
from querykin.querylog.repository import Repository
from querykin.retrieval.published_rows import MAPPINGS, SETTINGS, PublishedBuild, PublishedState, read_state
from querykin.retrieval.row_terms import row_text

_STEP = 1 << 14  # rows read at once


def is_publishable(kind: type[Measure]) -> bool:
    """Whether the rows of a kind of measure are unit rows of 16-bit weights, fit for term frequencies."""
    return issubclass(kind, VectorMeasure) and kind.layout == "block-max"


def publishable(measure: Measure) -> list[VectorMeasure]:
    """The parts of a measure whose rows can be published."""
    return [part for part in indexed_parts(measure) if is_publishable(type(part))]


def build_of(index: Index, measure: str) -> PublishedBuild:
    """The build of an index, as published rows name it."""
    built = index.committed
    assert built is not None
    return PublishedBuild(
        measure, built.index_settings, built.space, built.statistics_version, built.source_ids
    )


def generation_of(index: Index, repository: Repository) -> str:
    """Identifies the state of an index and of the repository behind it."""
    return f"{index.generation} {repository.generation}"


@dataclass(frozen=True)
class _Rows:
    """The rows to be published, by ascending query id: row `rows[i]` of segment `segments[i]`."""

    index: Index
    repository: Repository
    query_ids: Int64Array
    segments: Int64Array
    rows: Int64Array

    @classmethod
    def of(cls, index: Index, repository: Repository) -> "_Rows":
        """The rows of an index that may be returned."""
        found = [
            (segment.query_ids[live & segment.filled].astype(np.int64), np.flatnonzero(live & segment.filled))
            for segment, live in zip(index.segments, index.live_rows(repository), strict=True)
        ]
        none = np.zeros(0, np.int64)
        query_ids = np.concatenate([none, *(ids for ids, _ in found)])
        order = np.argsort(query_ids)
        segments = np.repeat(np.arange(len(found)), [len(ids) for ids, _ in found])
        rows = np.concatenate([none, *(rows for _, rows in found)])
        return cls(index, repository, query_ids[order], segments[order], rows[order])

    def batches(self, chosen: Int64Array) -> Iterator[tuple[Int64Array, QuantizedRows]]:
        """Rows given by their places, some at a time: the places and the rows."""
        for number, segment in enumerate(self.index.segments):
            here = chosen[self.segments[chosen] == number]
            assert isinstance(segment.rows, BlockMaxIndex)
            for begin in range(0, len(here), _STEP):
                places = here[begin : begin + _STEP]
                yield places, segment.rows.read(self.rows[places])

    def versions(self) -> Int64Array:
        """A hash of each row and of the count of its query; the order of its terms does not matter."""
        hashes = np.zeros(len(self.query_ids), np.uint64)
        for places, rows in self.batches(np.arange(len(self.query_ids))):
            terms = (rows.features.astype(np.uint64) << np.uint64(16)) ^ rows.weights.astype(np.uint64)
            terms *= np.uint64(0x9E3779B97F4A7C15)
            terms ^= terms >> np.uint64(29)
            terms *= np.uint64(0xBF58476D1CE4E5B9)
            hashes[places] = np.add.reduceat(terms, rows.indptr[:-1])
        hashes += self.repository.counts[self.query_ids].astype(np.uint64) * np.uint64(0x94D049BB133111EB)
        return versions(self.query_ids, hashes.view(np.int64))

    def actions(self, row_versions: Int64Array, missing: BoolArray) -> Iterator[bytes]:
        """The bulk actions that index some of the rows."""
        for places, rows in self.batches(np.flatnonzero(missing)):
            norms = self._norms(places)
            for number, place in enumerate(places.tolist()):
                part = slice(rows.indptr[number], rows.indptr[number + 1])
                query_id = int(self.query_ids[place])
                yield index_action(
                    query_id,
                    {
                        "number": query_id,
                        "version": int(row_versions[place]),
                        "query": self.repository.query(query_id),
                        "count": int(self.repository.counts[query_id]),
                        "norm": norms[number],
                        "row": row_text(rows.features[part], rows.weights[part]),
                    },
                )

    def _norms(self, places: Int64Array) -> list[float]:
        """The norms of rows of one segment."""
        segment = self.index.segments[self.segments[places[0]]]
        norms: list[float] = segment.candidate_stats[self.rows[places]].tolist()
        return norms


class Publication:
    """Brings the rows under an alias up to date with an index of the workspace."""

    def __init__(self, connection: Connection, alias: str, index: Index, measure: str) -> None:
        self._connection, self._alias, self._index = connection, alias, index
        self._build = build_of(index, measure)
        self._target = f"{alias}-{self._build.name}"

    def run(self, repository: Repository, progress: Progress, dry_run: bool = False) -> Differences:
        """Send what is missing, delete what is in excess, and give the alias to the index."""
        connection, target = self._connection, self._target
        connection.check_version()
        published = read_state(connection, self._alias)
        self._check_owner(published)
        rows = _Rows.of(self._index, repository)
        row_versions = rows.versions()
        if read_state(connection, target) is None:
            if dry_run:
                work = Differences(np.ones(len(row_versions), np.bool_), np.zeros(0, np.int64))
                return self._announce(work, published, progress)
            state = PublishedState(target, self._build, "")
            connection.create_index(target, SETTINGS, {**MAPPINGS, "_meta": state.metadata()})
        work = find_differences(connection, target, rows.query_ids, row_versions)
        self._announce(work, published, progress)
        if dry_run:
            return work
        actions = chain(map(delete_action, work.extra.tolist()), rows.actions(row_versions, work.missing))
        with progress.task(f"publishing {self._build.measure}", work.size) as advance:
            send_bulk(connection, target, actions, advance)
        state = PublishedState(target, self._build, generation_of(self._index, repository))
        connection.finish(target, state.metadata())
        self._take_alias(published)
        return work

    def _check_owner(self, published: PublishedState | None) -> None:
        if published is None:
            return
        if published.index == self._alias:
            raise WorkspaceError(
                f"{self._alias!r} of {self._connection} is an index, not an alias; next: choose another "
                "--index"
            )
        if published.build.source_ids != self._build.source_ids:
            raise WorkspaceError(
                f"{self._alias!r} of {self._connection} holds rows of another workspace; next: choose "
                "another --index"
            )
        if published.build.measure != self._build.measure:
            raise WorkspaceError(
                f"{self._alias!r} of {self._connection} holds rows of {published.build.measure}, not of "
                f"{self._build.measure}; next: choose another --index"
            )

    def _announce(
        self, work: Differences, published: PublishedState | None, progress: Progress
    ) -> Differences:
        same = published is not None and published.index == self._target
        where = f"into {self._target}, in use" if same else f"into the new index {self._target}"
        to_send = counted(int(work.missing.sum()), "row")
        progress.message(
            f"{self._build.measure}: {to_send} to publish, {len(work.extra):,} to delete, {where}"
        )
        return work

    def _take_alias(self, published: PublishedState | None) -> None:
        """Move the alias in one step; its indexes that neither have it nor had it just now are deleted."""
        kept = {self._target}
        if published is None or published.index != self._target:
            actions = [{"add": {"index": self._target, "alias": self._alias}}]
            if published:
                actions.append({"remove": {"index": published.index, "alias": self._alias}})
                kept.add(published.index)
            self._connection.request("POST", "/_aliases", {"actions": actions})
        named = re.compile(rf"{re.escape(self._alias)}-[0-9a-f]+")  # not those of a longer alias
        for name, content in self._connection.request("GET", f"/{self._alias}-*/_mapping").items():
            ours = content["mappings"].get("_meta", {}).get("querykin", {}).get("build", {})
            same_workspace = ours.get("source_ids") == self._build.source_ids
            if name not in kept and named.fullmatch(name) and same_workspace:
                self._connection.request("DELETE", f"/{name}", missing={})
