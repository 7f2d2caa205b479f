"""Short passages of the corpus that hold the terms two texts share."""

from collections.abc import Iterable

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.threads import zeroed_scratch
from querykin.search.bm25 import mark, unmark
from querykin.search.expansion import Expander, Expansions
from querykin.search.kernel_arrays import segment_arrays
from querykin.search.snippets import snippet
from querykin.search.windows import window
from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.text.normalization import to_nfc
from querykin.types import Passage

LENGTH = 240  # characters
PER_SIDE = 2
_TERMS = 32  # shared terms that decide; at most 126, since slots are bytes


def choose_passages(
    expander: Expander, expansions: Expansions, stems: Int64Array, shares: Float64Array
) -> list[Passage]:
    """For each of two expanded texts the passages that hold the largest shares of the shared stems."""
    stems, shares = _merge(stems, shares)
    chosen = []
    for text, side in enumerate("ab"):
        results = range(expansions.indptr[text], expansions.indptr[text + 1])
        value = {r: _value(expander, expansions, r, stems, shares) for r in results}
        best = sorted(results, key=lambda r: -value[r])[:PER_SIDE]
        chosen += [excerpt(expander, expansions, r, side, stems, shares) for r in best if value[r] > 0]
    return chosen


def _merge(stems: Int64Array, shares: Float64Array) -> tuple[Int64Array, Float64Array]:
    """Distinct stems, the largest share first: several words may have one stem."""
    distinct, ordinal = np.unique(stems.astype(np.int64), return_inverse=True)
    total: Float64Array = np.bincount(ordinal, shares, minlength=len(distinct)).astype(np.float64)
    order = np.argsort(-total, kind="stable")[:_TERMS]
    return distinct[order], total[order]


def _value(
    expander: Expander, expansions: Expansions, result: int, stems: Int64Array, shares: Float64Array
) -> float:
    """The share of the score whose stems a result's window holds, times the result's own score."""
    tokens = expansions.tokens[expansions.windows[result] : expansions.windows[result + 1]]
    held = np.isin(stems, expander.corpus.vocabulary.stem[tokens >> 2])
    return float(shares[held].sum() * expansions.results.scores[result])


def excerpt(
    expander: Expander,
    expansions: Expansions,
    result: int,
    side: str,
    stems: Int64Array,
    weights: Float64Array,
) -> Passage:
    """The part of a result's window with the largest weight of stems, as text."""
    results, stem = expansions.results, expander.corpus.vocabulary.stem
    segment = results.segments[results.segment_ids[result]]
    with zeroed_scratch(np.int8, len(stem)) as slot:
        mark(stems, slot)
        begin, end = window(
            segment_arrays(segment, results.ordinals[result : result + 1]),
            int(expansions.begins[result]),
            int(expansions.ends[result]),
            stem,
            weights,
            LENGTH,
            slot,
        )
        unmark(stems, slot)
    ordinal = int(results.ordinals[result])
    document = segment.document(ordinal)
    return Passage(side, document.id, document.title, document.url, snippet(segment, ordinal, begin, end))


def marked(passage: str, terms: Iterable[str], analyzer: Analyzer = DEFAULT) -> list[tuple[str, bool]]:
    """A passage in pieces, marked where a piece is a word of these terms.

    >>> marked("Roses are red.", ["rose"])
    [('Roses', True), (' are red.', False)]
    """
    languages, terms = range(len(analyzer.languages)), list(terms)
    stems = [{analyzer.stem(term, language) for term in terms} for language in languages]
    passage, end, pieces = to_nfc(passage), 0, list[tuple[str, bool]]()
    tokens = analyzer.tokenize([passage])
    for token in range(len(tokens.begin)):
        word = tokens.word(token)
        if any(analyzer.stem(word, language) in stems[language] for language in languages):
            begin, stop = max(end, int(tokens.begin[token])), int(tokens.begin[token] + tokens.length[token])
            pieces += [(passage[end:begin], False)] if begin > end else []
            pieces += [(passage[begin:stop], True)] if stop > begin else []
            end = max(end, stop)
    return [*pieces, (passage[end:], False)] if end < len(passage) else pieces
