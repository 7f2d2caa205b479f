"""Causes of the verdicts on Metzler et al. (2007)."""

from itertools import product

from reproduce.published import REVERSED, UNCLEAR, same_cause

LEXICAL = (
    "Excellent matches of the paper were mostly the query or a part of it; here suggestions are longer than the query, and one more word "
    "is no lexical match."
)
FEW_EXACT = (
    "Backoff differs from DenseProb only where a suggestion is the query or has its stems; these are few."
)
OWN_WORDS = (
    "Variations of a need share words; the 20 likeliest words of encyclopedia articles, which are all that DenseProb and Backoff use, say less than "
    "the query's own."
)
STEMS = "Few suggestions have the query's stems in the same number but other forms of them."
FEW_QUERIES = "48 queries, nearly all of whose first suggestions are good: the interval is wide."

EXCELLENT = "trec_tasks, highly relevant (Excellent)"
GOOD = "trec_tasks, relevant (Excellent and Good)"
POOL = "uqv100, search of a pool, same need"


def _figure2(higher: str, lower: str, on: str) -> str:
    return f"Metzler et al. 2007, figure 2: `{higher}` above `{lower}`: {on}"


CAUSES = {
    **same_cause(
        REVERSED,
        LEXICAL,
        *(
            _figure2(higher, lower, EXCELLENT)
            for higher, lower in product(("lexical", "stemming"), ("dense-prob", "sparse-prob"))
        ),
    ),
    **same_cause(UNCLEAR, STEMS, _figure2("stemming", "lexical", EXCELLENT)),
    **same_cause(
        UNCLEAR, FEW_EXACT, *(_figure2("backoff", "dense-prob", on) for on in (EXCELLENT, GOOD, POOL))
    ),
    **same_cause(UNCLEAR, OWN_WORDS, *(_figure2("backoff", "sparse-prob", on) for on in (EXCELLENT, GOOD))),
    **same_cause(REVERSED, OWN_WORDS, _figure2("backoff", "sparse-prob", POOL)),
    **same_cause(
        UNCLEAR,
        FEW_QUERIES,
        f"Metzler et al. 2007, table 4: `backoff` above `lexical` in precision at k: {GOOD}",
    ),
}
