"""The search engine with other score bonuses, for title matches and for term proximity."""

import numpy as np

from querykin.compute.arrays import Float64Array, Int8Array, Int32Array, Int64Array, UInt32Array, UInt64Array
from querykin.compute.jit import njit
from querykin.compute.threads import zeroed_scratch
from querykin.corpus.corpus import Corpus
from querykin.search.bm25 import TITLE_BONUS, inlined_mark, inlined_unmark
from querykin.search.tantivy_engine import TantivyEngine

NEAR = 3  # words apart


class BonusEngine(TantivyEngine):
    """Scores x (1 + title x T) x (1 + near x P) instead of the engine's bonus for titles.

    T is the share of the query in the title times that of the title in the query. P is the number of
    pairs of query words that occur near each other, relative to the number of words less one, at most 1.
    """

    def __init__(self, corpus: Corpus, title: float = TITLE_BONUS, near: float = 0.0) -> None:
        super().__init__(corpus)
        self.title, self.near = title, near

    def _rank(
        self, proposed: list[Int64Array], stems: Int64Array, idf: Float64Array
    ) -> tuple[Int64Array, Float64Array, UInt64Array]:
        doc_ids, scores, matched = super()._rank(proposed, stems, idf)
        stem = self.corpus.vocabulary.stem
        with zeroed_scratch(np.int8, len(stem)) as slot:
            parts = [
                _bonuses(
                    segment.tokens_of(ordinals),
                    segment.indptr,
                    segment.title_lengths,
                    stem,
                    ordinals,
                    stems,
                    idf,
                    slot,
                )
                for segment, ordinals in zip(self.corpus.segments, proposed, strict=True)
            ]
        titled, near = (np.concatenate([np.zeros(0), *values]) for values in zip(*parts, strict=True))
        changed = (1 + self.title * titled) / (1 + TITLE_BONUS * titled) * (1 + self.near * near)
        return doc_ids, scores * changed, matched


@njit
def _bonuses(
    tokens: UInt32Array,
    indptr: Int64Array,
    titles: Int32Array,
    stem: Int32Array,
    ordinals: Int64Array,
    terms: Int64Array,
    idf: Float64Array,
    slot: Int8Array,
) -> tuple[Float64Array, Float64Array]:
    fitting, near = np.zeros(len(ordinals)), np.zeros(len(ordinals))
    inlined_mark(terms, slot)
    for p in range(len(ordinals)):
        begin, end = indptr[ordinals[p]], indptr[ordinals[p] + 1]
        title_end = begin + titles[ordinals[p]]
        titled = np.zeros(len(terms), np.bool_)
        together = np.zeros((len(terms), len(terms)), np.bool_)
        last = np.full(len(terms), -NEAR - 1)
        in_title = 0
        for i in range(begin, end):
            t = slot[stem[tokens[i] >> 2]] - 1
            if t < 0:
                continue
            if i < title_end:
                titled[t] = True
                in_title += 1
            for other in range(len(terms)):
                if other != t and last[other] >= i - NEAR:
                    together[min(t, other), max(t, other)] = True
            last[t] = i
        fitting[p] = (idf * titled).sum() / idf.sum() * in_title / max(1, titles[ordinals[p]])
        near[p] = min(1.0, together.sum() / max(1, len(terms) - 1))
    inlined_unmark(terms, slot)
    return fitting, near
