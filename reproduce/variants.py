"""Web kernels over words instead of stems, with raw instead of damped term frequencies: what ours is not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.measures.web_kernel import WebKernel
from querykin.measures.word_overlap import distinct
from querykin.search.expansion import Expansions
from querykin.text.tokenizer import tokenize
from querykin.vectors import Vectors
from querykin.weighting.tfidf import centroid


@dataclass(frozen=True)
class Variant(WebKernel):
    """The web kernel with two more switches."""

    log_tf: bool = True
    stems: bool = True

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems or words."""
        expansions, corpus = self.expander.expand(texts, self.results), self.expander.corpus
        shares = self._shares(expansions)
        same = np.arange(corpus.vocabulary.count, dtype=np.int32)
        feature_of, idf = (
            (corpus.vocabulary.stem, corpus.statistics.stem_idf)
            if self.stems
            else (same, corpus.statistics.idf)
        )
        context = centroid(expansions, shares, feature_of, idf, self.terms, self.log_tf, self.space)
        own = (
            self._own_words(expansions, shares) if self.stems else self._own_forms(texts, expansions, shares)
        )
        full = context.add(own)
        # Without a weight of its own, a word that all results hold can come out below 0 by the last bit.
        return self.shortened(Vectors(full.indptr, full.features, np.maximum(full.weights, 0), full.space))

    def _own_forms(self, texts: Sequence[str], expansions: Expansions, shares: Float64Array) -> Vectors:
        """The text's words as they are, weighted like their stems."""
        stemmed = self._own_words(expansions, shares)
        vocabulary, tokens = self.expander.corpus.vocabulary, tokenize(texts)
        numbers = vocabulary.lookup(tokens)
        known, hashes = vocabulary.lookup_stems(tokens)
        stems = np.where(known >= 0, known, -1 - hashes)
        first, kept, _ = distinct(tokens.indptr, np.where(numbers >= 0, numbers, -1 - tokens.hashes))
        weights = np.zeros(len(kept))
        for text in range(len(texts)):
            held = dict(zip(*(values.tolist() for values in stemmed.row(text)), strict=True))
            for place in range(first[text], first[text + 1]):
                weights[place] = held.get(int(stems[kept[place]]), 0.0)
        features = np.where(numbers >= 0, numbers, -1 - tokens.hashes)[kept]
        rows = Vectors(first, features, weights, stemmed.space).mask_rows(expansions.covered)
        return rows.select(rows.weights > 0)
