"""Causes of the verdicts on Yih (2009)."""

from itertools import product

from reproduce.published import REVERSED, UNCLEAR, same_cause

TERM_FEATURES = (
    "At equal results tfidf is a strong baseline; a likely reason for the rest: articles of an encyclopedia are alike in form, so position, capitals "
    "and length add less to tf and df than on web pages."
)
STRAIGHT_LOSS = (
    "A difference of two cosines lies between -1 and 1, where log(1 + exp(-D)) is nearly a straight line: preferences that are right already pull as "
    "strongly as wrong ones. Scaled differences (ours) do not lose."
)
THREE_RANKS = "The paper's differences at three ranks are .011 to .025; the intervals of these sets are as wide or wider."
ONE_SUM = (
    "One sum of log tf and log df weighs both the results of a query, thousands of words long, and a page of a few dozen words, nearly all of "
    "which occur once; it cannot multiply tf and idf as TFIDF does. The pages of the paper were whole web pages."
)
FEW_QUERIES = "The difference has the paper's sign; 86 queries leave a wide interval."
ONE_POINT = "86 queries, and one point of a curve moves with a few pairs: the interval is wide."

TFIDF, SSE, LOG, PREFERENCE = "`tfidf`", "TWEAK sse", "TWEAK log", "TWEAK preference"
NEUQS, TREC, PATENT = "neuqs QR", "trec_tasks", "patent"


def _above(higher: str, lower: str, metric: str, name: str) -> str:
    return f"Yih 2009, table 1: {higher} above {lower} in {metric}: {name}, 30 results each"


def _page(corpus: str, higher: str, lower: str, metric: str) -> str:
    return f"Yih 2009, table 2: {higher} above {lower} in {metric}: chorus, {corpus}, 30 results each"


_SUGGESTIONS = {
    **same_cause(
        UNCLEAR,
        TERM_FEATURES,
        *(_above(loss, TFIDF, "AUC", name) for loss, name in product((SSE, LOG), (NEUQS, TREC, PATENT))),
        *(_above(loss, TFIDF, "MAP", TREC) for loss in (SSE, LOG)),
        _above(SSE, TFIDF, "MAP", PATENT),
    ),
    **same_cause(
        REVERSED,
        STRAIGHT_LOSS,
        *(_above(PREFERENCE, TFIDF, "AUC", name) for name in (NEUQS, PATENT)),
        _above(PREFERENCE, TFIDF, "MAP", PATENT),
        *(_above(PREFERENCE, LOG, "MAP", name) for name in (NEUQS, PATENT)),
    ),
    **same_cause(
        UNCLEAR,
        STRAIGHT_LOSS,
        *(_above(PREFERENCE, TFIDF, metric, TREC) for metric in ("AUC", "MAP")),
        _above(PREFERENCE, TFIDF, "MAP", NEUQS),
        _above(PREFERENCE, LOG, "MAP", TREC),
    ),
    **same_cause(
        UNCLEAR,
        THREE_RANKS,
        *(
            _above(higher, lower, "P@3", name)
            for (higher, lower), name in product(
                ((TFIDF, LOG), *product((PREFERENCE,), (TFIDF, SSE, LOG))), (NEUQS, TREC, PATENT)
            )
        ),
    ),
}
_PAGES = {
    **same_cause(
        REVERSED,
        ONE_SUM,
        *(_page(corpus, "TF&DF", "TFIDF", "AUC") for corpus in ("encyclopedia", "catalogue")),
    ),
    **same_cause(UNCLEAR, FEW_QUERIES, _page("encyclopedia", "plain text", "TFIDF", "AUC")),
    **same_cause(
        UNCLEAR,
        ONE_POINT,
        _page("encyclopedia", "TFIDF", "plain text", "TPR at FPR .1"),
        _page("encyclopedia", "HTML", "TFIDF", "TPR at FPR .1"),
        _page("encyclopedia", "HTML", "plain text", "TPR at FPR .1"),
        _page("encyclopedia", "plain text", "TFIDF", "TPR at FPR .2"),
        _page("encyclopedia", "HTML", "TFIDF", "TPR at FPR .2"),
        _page("encyclopedia", "HTML", "plain text", "TPR at FPR .2"),
        _page("catalogue", "TFIDF", "TF&DF", "TPR at FPR .1"),
        _page("catalogue", "TFIDF", "plain text", "TPR at FPR .1"),
        _page("catalogue", "HTML", "plain text", "TPR at FPR .1"),
        _page("catalogue", "TFIDF", "TF&DF", "TPR at FPR .2"),
        _page("catalogue", "HTML", "plain text", "TPR at FPR .2"),
    ),
}
CAUSES = {**_SUGGESTIONS, **_PAGES}
