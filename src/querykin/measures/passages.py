"""Where does it say so? Short passages of the corpus that hold what two texts share."""

from collections.abc import Sequence

import numpy as np

from querykin.compiled import Longs, Reals, cleared
from querykin.engines.ranking import mark, unmark
from querykin.engines.snippets import snippet
from querykin.engines.windows import window
from querykin.expansion import Expander, Expansions
from querykin.records import Contribution, Passage
from querykin.text import clean, stem, tokenise

LENGTH = 240  # characters
PER_SIDE = 2
_TERMS = 32  # shared terms that decide; at most 126, since slots are bytes


def choose_passages(
    expander: Expander, texts: Sequence[str], limit: int, stems: Longs, shares: Reals
) -> list[Passage]:
    """For each text the passages that hold the heaviest of the shared stems."""
    stems, shares = _merge(stems, shares)
    found = []
    for side, text in zip("ab", texts, strict=True):
        expansions = expander.expand([text], limit)
        worth = [
            _worth(expander, expansions, r, stems, shares) for r in range(len(expansions.results.documents))
        ]
        best = sorted(range(len(worth)), key=lambda r: -worth[r])[:PER_SIDE]
        found += [excerpt(expander, expansions, r, side, stems, shares) for r in best if worth[r] > 0]
    return found


def _merge(stems: Longs, shares: Reals) -> tuple[Longs, Reals]:
    """Distinct stems, the heaviest first: several words may have one stem."""
    distinct, place = np.unique(stems.astype(np.int64), return_inverse=True)
    total: Reals = np.bincount(place, shares, minlength=len(distinct)).astype(np.float64)
    order = np.argsort(-total, kind="stable")[:_TERMS]
    return distinct[order], total[order]


def _worth(expander: Expander, expansions: Expansions, result: int, stems: Longs, shares: Reals) -> float:
    """What a result's window holds of the shared score, times its weight among the results."""
    tokens = expansions.tokens[expansions.windows[result] : expansions.windows[result + 1]]
    held = np.isin(stems, expander.corpus.vocabulary.stem[tokens >> 2])
    return float(shares[held].sum() * expansions.results.scores[result])


def excerpt(expander: Expander, expansions: Expansions, result: int, side: str, stems: Longs,
            weights: Reals) -> Passage:  # fmt: skip
    """The stretch of a result's window that holds the most weight, as text."""
    results, stem = expansions.results, expander.corpus.vocabulary.stem
    segment = results.segments[results.holders[result]]
    with cleared(np.int8, len(stem)) as slot:
        mark(stems, slot)
        begin, end = window(segment.tokens, segment.starts, int(expansions.begins[result]),
                            int(expansions.ends[result]), stem, weights, LENGTH, slot)  # fmt: skip
        unmark(stems, slot)
    place = int(results.places[result])
    document = segment.document(place)
    return Passage(side, document.id, document.title, document.url, snippet(segment, place, begin, end))


def marked(passage: str, contributions: Sequence[Contribution]) -> list[tuple[str, bool]]:
    """A passage in pieces, with those marked that are words of these terms.

    >>> marked("Roses are red.", [Contribution("rose", 0.7)])
    [('Roses', True), (' are red.', False)]
    """
    terms = {stem(part.term) for part in contributions}
    passage, end, pieces = clean(passage), 0, list[tuple[str, bool]]()
    tokens = tokenise([passage])
    for token in range(len(tokens.begin)):
        if stem(tokens.word(token)) in terms:
            begin = int(tokens.begin[token])
            pieces += [(passage[end:begin], False)] if begin > end else []
            end = begin + int(tokens.length[token])
            pieces.append((passage[begin:end], True))
    return [*pieces, (passage[end:], False)] if end < len(passage) else pieces
