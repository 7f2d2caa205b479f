"""What company does a word keep? Counts of neighbours on disk, for every word and every listed phrase.

Counting a part adds to what is there: the row of a unit is the sum of its rows in all parts. Documents that
come later are counted into a new part; when documents have gone, everything is counted anew.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, make_indptr
from querykin.cooccurrence.counting import DISTANCE, ROOM, Documents, UnitCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.corpus.corpus import Corpus
from querykin.storage.array_files import ArrayFile, load, save
from querykin.storage.store import Manifest, Store
from querykin.vectors import Vectors

MAX_PARTS = 6  # a row is added up from all of them; past this everything is counted anew
MIN_PHRASE_COOCCURRENCES = (
    30  # neighbours at distance 3 that a phrase must have to stand for itself: five occurrences
)


class _Rows:
    """The rows of one part: words, then phrases."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.indptr: Int64Array = load(folder, f"{kind}-indptr")
        self.contexts = load(folder, f"{kind}-contexts")
        self.counts = load(folder, f"{kind}-counts")

    def of(self, unit: int) -> tuple[Int64Array, Float64Array]:
        if unit + 1 >= len(self.indptr):
            return np.zeros(0, np.int64), np.zeros(0)
        part = slice(self.indptr[unit], self.indptr[unit + 1])
        return self.contexts[part].astype(np.int64), self.counts[part].astype(np.float64)


class CooccurrenceCounts:
    """Counted neighbours; a snapshot that shows the new state after `update`."""

    def __init__(self, path: Path, distance: int = DISTANCE) -> None:
        self._store, self._distance = Store(path, "cooccurrence"), distance
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        metadata = manifest.metadata
        self.state = f"{manifest.store_id} {manifest.generation}"
        self.store_id: str = metadata.get("corpus_id", "")  # of the corpus
        self.distance: int = metadata.get("distance", DISTANCE)  # it was a constant once, and not noted
        self._metadata, self._parts = metadata, [self._store.part(name) for name in metadata.get("parts", [])]
        self._words = [_Rows(folder, "words") for folder in self._parts]
        self._phrases = [_Rows(folder, "phrases") for folder in self._parts]
        self.phrases = Phrases.open(self._store.part(metadata["phrases"])) if metadata else Phrases.of([])
        self.marginals: Int64Array = _summed([load(folder, "words-marginals") for folder in self._parts])
        evidence = _summed([load(folder, "phrases-marginals") for folder in self._parts])
        self.usable: BoolArray = evidence * DISTANCE >= MIN_PHRASE_COOCCURRENCES * self.distance
        self.total = float(self.marginals.sum())

    def __bool__(self) -> bool:
        return bool(self._metadata)

    @property
    def counted_at_other_distance(self) -> bool:
        """Whether they were counted at another distance than the one asked for."""
        return bool(self) and self.distance != self._distance

    def behind(self, corpus: Corpus) -> bool:
        """Whether documents have come or gone since they were counted, or another distance is asked for."""
        return (
            not self
            or self.counted_at_other_distance
            or self._metadata["statistics_version"] != corpus.statistics.version
            or self._metadata["corpus_id"] != corpus.store_id
        )

    def rows(self, units: Int64Array, phrases: bool) -> Vectors:
        """The neighbours of words or phrases, one row each."""
        parts = self._phrases if phrases else self._words
        found = [_added([part.of(unit) for part in parts]) for unit in units.tolist()]
        sizes = [len(features) for features, _ in found]
        indptr = make_indptr(sizes)
        features = np.concatenate([np.zeros(0, np.int64), *(features for features, _ in found)])
        return Vectors(
            indptr, features, np.concatenate([np.zeros(0), *(counts for _, counts in found)]), self.state
        )

    def update(
        self, corpus: Corpus, phrases: Callable[[], Phrases], rebuild: bool = False, room: int = ROOM
    ) -> None:
        """Count what has not been counted; phrases are asked for only when everything is counted anew."""
        with self._store.writing():
            self._store.read(self._load)
            if not rebuild and not self.behind(corpus):
                return  # somebody else has counted meanwhile
            fresh = rebuild or not self._continues(corpus)
            metadata: dict[str, Any] = {} if fresh else dict(self._metadata)
            since = metadata.get("next_doc_id", 0)
            if fresh:
                listed, metadata["phrases"] = phrases(), self._store.new_part("phrases")
                listed.save(self._store.part(metadata["phrases"]))
            else:
                listed = self.phrases
            name = self._store.new_part("counts")
            _write(self._store.part(name), _documents(corpus, since), listed, self._distance, room)
            metadata |= {
                "parts": [*metadata.get("parts", []), name],
                "corpus_id": corpus.store_id,
                "statistics_version": corpus.statistics.version,
                "next_doc_id": corpus.next_doc_id,
                "documents": len(corpus),
                "distance": self._distance,
            }
            self._store.commit(metadata, [metadata["phrases"], *metadata["parts"]])
        self._store.read(self._load)

    def _continues(self, corpus: Corpus) -> bool:
        """Whether all documents counted so far are still there, and were counted as they would be now."""
        same = self.store_id == corpus.store_id and not self.counted_at_other_distance
        if not self or not same or len(self._parts) >= MAX_PARTS:
            return False
        still = sum(
            int((segment.doc_ids[segment.live(corpus.tombstones)] < self._metadata["next_doc_id"]).sum())
            for segment in corpus.segments
        )
        return still == int(self._metadata["documents"])


def _documents(corpus: Corpus, since: int) -> Documents:
    parts = []
    for segment in corpus.segments:
        ordinals = np.flatnonzero(segment.live(corpus.tombstones) & (segment.doc_ids >= since))
        parts.append((segment.tokens, segment.indptr, ordinals))
    return Documents(parts, corpus.vocabulary.hashes[: corpus.vocabulary.count])


def _write(folder: Path, documents: Documents, phrases: Phrases, distance: int, room: int) -> None:
    kinds: dict[str, Iterator[UnitCounts]] = {
        "words": documents.words(distance, room),
        "phrases": documents.phrases(phrases, distance, room),
    }
    for kind, counted in kinds.items():
        contexts = ArrayFile(folder / f"{kind}-contexts.npy", np.int32)
        counts = ArrayFile(folder / f"{kind}-counts.npy", np.int32)
        sizes, marginals = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
        for some in counted:
            contexts.append(some.contexts)
            counts.append(some.counts)
            sizes.append(some.sizes)
            marginals.append(some.marginals)
            del some  # its room is needed for those that come next
        contexts.close()
        counts.close()
        indptr = np.cumsum(np.concatenate(sizes))
        save(folder, **{f"{kind}-indptr": indptr, f"{kind}-marginals": np.concatenate(marginals)})


def _summed(parts: list[Int64Array]) -> Int64Array:
    """The sum of several tables, of which later ones may be longer."""
    total = np.zeros(max((len(part) for part in parts), default=0), np.int64)
    for part in parts:
        total[: len(part)] += part
    return total


def _added(rows: list[tuple[Int64Array, Float64Array]]) -> tuple[Int64Array, Float64Array]:
    """The sum of several rows."""
    if len(rows) == 1:
        return rows[0]
    features = np.concatenate([np.zeros(0, np.int64), *(row[0] for row in rows)])
    distinct, ordinal = np.unique(features, return_inverse=True)
    counts = np.concatenate([np.zeros(0), *(row[1] for row in rows)])
    return distinct, np.bincount(ordinal, counts, minlength=len(distinct)).astype(np.float64)
