"""Causes of the verdicts on Alfonseca et al. (2009)."""

from itertools import product

from reproduce.causes.yih_meek import FIRST_RANKS
from reproduce.published import REVERSED, UNCLEAR, same_cause

RARE_PHRASES = (
    "Phrases are found in 7 to 39 % of the texts: three quarters of the titles occur too rarely in 39.5 million words, where the paper counts hundreds of "
    "billions; and a phrase is rarer than its words, so contexts are lost."
)
FEW_CONTEXTS = (
    "A geometric mean is 0 as soon as one word never occurs with a context: over a corpus of this size few contexts are left of a text of four "
    "words, nearly all of them common words."
)
SAME_SIGN = "The difference has the paper's sign; 55 queries leave a wide interval."

WORDS, PHRASES, KERNEL = "`distributional`", "`distributional-ngrams`", "`web-kernel-paper`"
UQV, NEUQS, BIRD = "uqv100", "neuqs QR", "bird"


def _above(higher: str, lower: str, metric: str, name: str) -> str:
    return f"Alfonseca et al. 2009, table 3: {higher} above {lower} in {metric}: {name}, snippets of 160 characters"


CAUSES = {
    **same_cause(
        UNCLEAR,
        RARE_PHRASES,
        *(
            _above(PHRASES, WORDS, metric, name)
            for metric, name in product(("mAP", "P@1", "P@3", "P@5", "AUC-PR"), (UQV, NEUQS, BIRD))
        ),
        _above(PHRASES, KERNEL, "P@1", NEUQS),
    ),
    **same_cause(
        REVERSED,
        FEW_CONTEXTS,
        *(
            _above(higher, KERNEL, metric, name)
            for higher, metric, name in product((WORDS, PHRASES), ("mAP", "AUC-PR"), (UQV, BIRD))
        ),
        *(_above(higher, KERNEL, "P@5", BIRD) for higher in (WORDS, PHRASES)),
    ),
    **same_cause(
        UNCLEAR, FEW_CONTEXTS, *(_above(higher, KERNEL, "P@3", BIRD) for higher in (WORDS, PHRASES))
    ),
    **same_cause(
        UNCLEAR,
        FIRST_RANKS,
        *(
            _above(higher, KERNEL, metric, UQV)
            for higher, metric in product((WORDS, PHRASES), ("P@1", "P@3", "P@5"))
        ),
        *(_above(higher, KERNEL, "P@1", BIRD) for higher in (WORDS, PHRASES)),
    ),
    **same_cause(
        UNCLEAR,
        SAME_SIGN,
        _above(WORDS, KERNEL, "AUC-PR", NEUQS),
        *(_above(PHRASES, KERNEL, metric, NEUQS) for metric in ("P@3", "P@5", "AUC-PR")),
    ),
}
