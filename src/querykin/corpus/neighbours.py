"""What company does a word keep? Counts of neighbours on disk, for every word and every listed phrase.

Counting a part adds to what is there: the row of a unit is the sum of its rows in all parts. Documents that
come later are counted into a new part; when documents have gone, everything is counted anew.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compiled import Bools, Longs, Reals, ragged
from querykin.corpus.cooccurrence import DISTANCE, ROOM, Counted, Documents
from querykin.corpus.corpus import Corpus
from querykin.corpus.phrases import Phrases
from querykin.storage import ArrayFile, Manifest, Store, load, save
from querykin.vectors import Vectors

MOST_PARTS = 6  # a row is added up from all of them; past this everything is counted anew
LEAST_EVIDENCE = 30  # neighbours at distance 3 that a phrase must have to stand for itself: five occurrences


class _Rows:
    """The rows of one part: words, then phrases."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.first: Longs = load(folder, f"{kind}-first")
        self.contexts = load(folder, f"{kind}-contexts")
        self.counts = load(folder, f"{kind}-counts")

    def of(self, unit: int) -> tuple[Longs, Reals]:
        if unit + 1 >= len(self.first):
            return np.zeros(0, np.int64), np.zeros(0)
        part = slice(self.first[unit], self.first[unit + 1])
        return self.contexts[part].astype(np.int64), self.counts[part].astype(np.float64)


class Neighbours:
    """Counted neighbours; a snapshot that shows the new state after `update`."""

    def __init__(self, path: Path, distance: int = DISTANCE) -> None:
        self._store, self._wanted = Store(path, "neighbours"), distance
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        facts = manifest.facts
        self.state = f"{manifest.lineage} {manifest.generation}"
        self.lineage: str = facts.get("lineage", "")  # of the corpus
        self.distance: int = facts.get("distance", DISTANCE)  # it was a constant once, and not noted
        self._facts, self._parts = facts, [self._store.part(name) for name in facts.get("parts", [])]
        self._words = [_Rows(folder, "words") for folder in self._parts]
        self._phrases = [_Rows(folder, "phrases") for folder in self._parts]
        self.phrases = Phrases.open(self._store.part(facts["phrases"])) if facts else Phrases.of([])
        self.margins: Longs = _summed([load(folder, "words-margins") for folder in self._parts])
        evidence = _summed([load(folder, "phrases-margins") for folder in self._parts])
        self.usable: Bools = evidence * DISTANCE >= LEAST_EVIDENCE * self.distance
        self.total = float(self.margins.sum())

    def __bool__(self) -> bool:
        return bool(self._facts)

    @property
    def other_distance(self) -> bool:
        """Whether they were counted at another distance than the one asked for."""
        return bool(self) and self.distance != self._wanted

    def behind(self, corpus: Corpus) -> bool:
        """Whether documents have come or gone since they were counted, or another distance is asked for."""
        return (
            not self
            or self.other_distance
            or self._facts["epoch"] != corpus.statistics.epoch
            or self._facts["lineage"] != corpus.lineage
        )

    def rows(self, units: Longs, phrases: bool) -> Vectors:
        """The neighbours of words or phrases, one row each."""
        parts = self._phrases if phrases else self._words
        found = [_added([part.of(unit) for part in parts]) for unit in units.tolist()]
        sizes = [len(features) for features, _ in found]
        first = ragged(sizes)
        features = np.concatenate([np.zeros(0, np.int64), *(features for features, _ in found)])
        return Vectors(
            first, features, np.concatenate([np.zeros(0), *(counts for _, counts in found)]), self.state
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
            facts: dict[str, Any] = {} if fresh else dict(self._facts)
            since = facts.get("next_serial", 0)
            if fresh:
                listed, facts["phrases"] = phrases(), self._store.new_part("phrases")
                listed.save(self._store.part(facts["phrases"]))
            else:
                listed = self.phrases
            name = self._store.new_part("counts")
            _write(self._store.part(name), _documents(corpus, since), listed, self._wanted, room)
            facts |= {
                "parts": [*facts.get("parts", []), name],
                "lineage": corpus.lineage,
                "epoch": corpus.statistics.epoch,
                "next_serial": corpus.next_serial,
                "documents": len(corpus),
                "distance": self._wanted,
            }
            self._store.commit(facts, [facts["phrases"], *facts["parts"]])
        self._store.read(self._load)

    def _continues(self, corpus: Corpus) -> bool:
        """Whether all documents counted so far are still there, and were counted as they would be now."""
        same = self.lineage == corpus.lineage and not self.other_distance
        if not self or not same or len(self._parts) >= MOST_PARTS:
            return False
        still = sum(
            int((segment.serials[segment.alive(corpus.dead)] < self._facts["next_serial"]).sum())
            for segment in corpus.segments
        )
        return still == int(self._facts["documents"])


def _documents(corpus: Corpus, since: int) -> Documents:
    parts = []
    for segment in corpus.segments:
        places = np.flatnonzero(segment.alive(corpus.dead) & (segment.serials >= since))
        parts.append((segment.tokens, segment.first, places))
    return Documents(parts, corpus.vocabulary.hashes[: corpus.vocabulary.count])


def _write(folder: Path, documents: Documents, phrases: Phrases, distance: int, room: int) -> None:
    kinds: dict[str, Iterator[Counted]] = {
        "words": documents.words(distance, room),
        "phrases": documents.phrases(phrases, distance, room),
    }
    for kind, counted in kinds.items():
        contexts = ArrayFile(folder / f"{kind}-contexts.npy", np.int32)
        counts = ArrayFile(folder / f"{kind}-counts.npy", np.int32)
        sizes, margins = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
        for some in counted:
            contexts.append(some.contexts)
            counts.append(some.counts)
            sizes.append(some.sizes)
            margins.append(some.margins)
            del some  # its room is needed for those that come next
        contexts.close()
        counts.close()
        first = np.cumsum(np.concatenate(sizes))
        save(folder, **{f"{kind}-first": first, f"{kind}-margins": np.concatenate(margins)})


def _summed(parts: list[Longs]) -> Longs:
    """The sum of several tables, of which later ones may be longer."""
    total = np.zeros(max((len(part) for part in parts), default=0), np.int64)
    for part in parts:
        total[: len(part)] += part
    return total


def _added(rows: list[tuple[Longs, Reals]]) -> tuple[Longs, Reals]:
    """The sum of several rows."""
    if len(rows) == 1:
        return rows[0]
    features = np.concatenate([np.zeros(0, np.int64), *(row[0] for row in rows)])
    distinct, place = np.unique(features, return_inverse=True)
    counts = np.concatenate([np.zeros(0), *(row[1] for row in rows)])
    return distinct, np.bincount(place, counts, minlength=len(distinct)).astype(np.float64)
