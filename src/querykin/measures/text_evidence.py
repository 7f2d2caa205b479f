"""Evidence about a text: what the corpus knows of it, and how far a general embedding model can be trusted.

A name of one's own domain is spelled out by a pretrained model in word pieces that mean nothing, while the
corpus has a document about it. The evidence decides which of the two is listened to.
"""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.corpus.corpus import Corpus
from querykin.measures.expansion_measure import relevance_weights
from querykin.search.engine import ParsedQueries, SearchResults

TITLE_DEPTH = 3  # results in which a document about the text is looked for
ENOUGH_WHOLE_WORDS = 0.5  # with this share of whole words a model is trusted fully
TITLE_DISTRUST = 0.5  # trust that a text loses when it is the title of a document
POWER = 2.0  # a result counts (score / best score) to this power, as in web-kernel
TRUST_SETTINGS = f"trust={TITLE_DEPTH},{ENOUGH_WHOLE_WORDS},{TITLE_DISTRUST},{POWER}"  # rows depend on them


@dataclass(frozen=True)
class TextEvidence:
    """What the corpus knows of each of several texts.

    `covered`: the results match enough of the text. `matched`: the share of the text's idf mass that its
    results match, weighted by their relevance. `titled`: a document has the text as its title.
    """

    covered: BoolArray
    matched: Float64Array
    titled: BoolArray

    def trust(self, whole_words: Float64Array) -> Float64Array:
        """How far an embedding model that knows this share of a text's words is to be trusted, from 0 to 1.

        The model is distrusted only as far as the corpus matches the text: where it does not cover it, there
        is nothing else to trust.
        """
        known = np.minimum(1.0, whole_words / ENOUGH_WHOLE_WORDS) * (1 - TITLE_DISTRUST * self.titled)
        return np.where(self.covered, 1 - self.matched * (1 - known), 1.0)


def text_evidence(
    corpus: Corpus, queries: ParsedQueries, results: SearchResults, covered: BoolArray
) -> TextEvidence:
    """The evidence in the search results of several texts."""
    return TextEvidence(covered, _matched(queries, results), _titled(corpus, queries, results))


def _matched(queries: ParsedQueries, results: SearchResults) -> Float64Array:
    coverage = results.term_coverage(queries, relevance_weights(results, POWER))
    owners, size = np.repeat(np.arange(len(queries)), np.diff(queries.indptr)), len(queries)
    matched = np.bincount(owners, queries.idf * coverage, minlength=size)
    shares: Float64Array = matched / np.maximum(np.bincount(owners, queries.idf, minlength=size), 1e-12)
    return np.minimum(shares, 1.0)


def _titled(corpus: Corpus, queries: ParsedQueries, results: SearchResults) -> BoolArray:
    stem = corpus.vocabulary.stem
    found = np.zeros(len(queries), np.bool_)
    for text in range(len(queries)):
        wanted = set(queries.terms(text)[0].tolist())
        begin, end = int(results.indptr[text]), int(results.indptr[text + 1])
        for result in range(begin, min(end, begin + TITLE_DEPTH)):
            documents, ordinal = results.segments[results.segment_ids[result]], results.ordinals[result]
            first = documents.indptr[ordinal]
            title = documents.tokens[first : first + documents.title_lengths[ordinal]] >> 2
            if wanted and wanted == set(stem[title].tolist()):
                found[text] = True
                break
    return found
