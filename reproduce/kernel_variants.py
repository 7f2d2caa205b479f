"""Variants of the web kernel: words instead of stems, raw instead of logarithmic term frequencies."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.measures.expansion_measure import relevance_weights
from querykin.measures.surface import distinct_features
from querykin.measures.web_kernel import WebKernel
from querykin.search.expansion import Expansions
from querykin.text.tokenizer import tokenize
from querykin.vectors import Vectors
from querykin.weighting.tfidf import centroid


@dataclass(frozen=True)
class Variant(WebKernel):
    """The web kernel with two more switches."""

    log_tf: bool = True
    stems: bool = True

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows over stems or words; weights are not quantized."""
        corpus, shares = self.expander.corpus, relevance_weights(expansions.results, self.power)
        words = np.arange(corpus.vocabulary.count, dtype=np.int32)
        feature_of, idf = (
            (corpus.vocabulary.stem, corpus.statistics.stem_idf)
            if self.stems
            else (words, corpus.statistics.idf)
        )
        context = centroid(expansions, shares, feature_of, idf, self.terms, self.log_tf, self.space)
        own = self._query_terms(expansions, shares) if self.stems else self._query_words(expansions, shares)
        full = context.add(own)
        # Without its own weight, a word that occurs in all results can be below 0 by rounding.
        return self.truncate(Vectors(full.indptr, full.features, np.maximum(full.weights, 0), full.space))

    def _query_words(self, expansions: Expansions, shares: Float64Array) -> Vectors:
        """The text's words as they are, weighted like their stems."""
        stemmed = self._query_terms(expansions, shares)
        vocabulary, tokens = self.expander.corpus.vocabulary, tokenize(expansions.queries.texts)
        word_ids = vocabulary.lookup(tokens)
        stem_ids, hashes = vocabulary.lookup_stems(tokens)
        stems = np.where(stem_ids >= 0, stem_ids, -1 - hashes)
        words = np.where(word_ids >= 0, word_ids, -1 - tokens.hashes)
        indptr, positions, _ = distinct_features(tokens.indptr, words)
        weights = np.zeros(len(positions))
        for text in range(len(expansions.queries)):
            of_stem = dict(zip(*(values.tolist() for values in stemmed.row(text)), strict=True))
            for i in range(indptr[text], indptr[text + 1]):
                weights[i] = of_stem.get(int(stems[positions[i]]), 0.0)
        rows = Vectors(indptr, words[positions], weights, stemmed.space).mask_rows(expansions.covered)
        return rows.select(rows.weights > 0)
