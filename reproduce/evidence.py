"""Evidence for a pair in the corpus, by a mechanical rule that was fixed before any score was seen.

A text is *known* when it is covered and at least one of its 200 results contains all of its stems. A pair has *evidence*
when both texts are covered and at least one of the 200 results of one text contains all stems of the other, anywhere in
the document. A contrast has evidence when the pair that the paper scores higher has evidence and the texts of the lower
pair are covered: a pair that is never mentioned together should get a low score.
"""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Int64Array
from querykin.search.expansion import Expander
from reproduce.sahami_pairs import Contrast, Pair

RESULTS = 200


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for a pair in the corpus."""

    covered: bool
    unknown: tuple[str, ...]  # texts without a result that contains all their stems
    mentions: int  # results of one text that contain all stems of the other, in both directions

    def __bool__(self) -> bool:
        return self.covered and self.mentions > 0

    @property
    def reason(self) -> str:
        """Why there is no evidence."""
        if self.unknown:
            return f"no document holds all words of {' or '.join(map(repr, self.unknown))}"
        if not self.covered:
            return "a text is not covered"
        return "" if self else f"no result of one text (of {RESULTS}) holds all words of the other"


def evidence(expander: Expander, pair: Pair) -> Evidence:
    """Apply the rule to a pair."""
    texts = [pair.a, pair.b]
    queries, _, covered = expander.search(texts, RESULTS)
    stems = [queries.terms(t)[0] for t in range(2)]
    holds = [[_holds(expander, text, wanted) for wanted in stems] for text in texts]
    unknown = tuple(text for t, text in enumerate(texts) if not holds[t][t].any())
    return Evidence(bool(covered.all()), unknown, int(holds[0][1].sum() + holds[1][0].sum()))


def contrast_has_evidence(expander: Expander, contrast: Contrast) -> bool:
    """Apply the rule to a contrast."""
    return bool(evidence(expander, contrast.higher)) and evidence(expander, contrast.lower).covered


def _holds(expander: Expander, text: str, wanted: Int64Array) -> BoolArray:
    """Which results of a text contain all the wanted stems."""
    results, stem = expander.search([text], RESULTS)[1], expander.corpus.vocabulary.stem
    contains = np.zeros(len(results.documents), np.bool_)
    for r, (holder, place) in enumerate(zip(results.segment_ids, results.ordinals, strict=True)):
        segment = results.segments[holder]
        tokens = segment.tokens[segment.indptr[place] : segment.indptr[place + 1]]
        contains[r] = np.isin(wanted, stem[tokens >> 2]).all()
    return contains
