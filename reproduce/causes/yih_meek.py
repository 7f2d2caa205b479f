"""Causes of the verdicts on Yih & Meek (2007)."""

from itertools import product

from reproduce.published import REVERSED, UNCLEAR, same_cause

WORDS_IN_COMMON = (
    "Of suggestions with a word of the query 80 % are relevant on trec_tasks and 75 % on neuqs QR, so shared words alone are right at the first "
    "ranks; KL prefers the topic alone, as the encyclopedia tells much about it and little about the task."
)
FIRST_RANKS = "All of them are right at the first ranks for nearly all queries (P@1 .87 and more), so little is left to differ."
SAME_WORDS = "They count the same shared words and differ only by the lengths of the two texts, which are much alike here."
NEAR_THE_TOP = (
    "Over the same results all three are right at the first rank for 87 % of the queries and more: little is left to differ, and 46 or 55 queries leave wide "
    "intervals."
)
KL_TOPIC = (
    "KL keeps the 20 likeliest words of the results, those of the topic; over an encyclopedia the kernel's 50 words of each document hold "
    "more of what the query asks."
)
FITTING_RESULTS = (
    "Nearly all of 20 results fit, and then a document made of all results and a mean of them say the same; with 200 results "
    "the difference shows, as in the paper."
)
FEW_JUDGED = "46 queries with both classes, judged unevenly: the interval is wide."
LIST_LENGTH = (
    "A vote is a sum over rivals and grows with the length of the list; lengths differ tenfold here. Before the vote the same weights "
    "are above web-relevance (section on learning as printed)."
)
FEW_FOLDS = "Ten folds of five queries each: the interval is wide."
LITTLE_TO_GAIN = "Of the first one to five suggestions of web-relevance 85 to 97 % are relevant already, which leaves little to gain."
ONE_RANK = (
    "web-relevance is right at the first rank for 96 % of the queries, which leaves only losses; preference learning from the same features and queries loses nothing, "
    "so the learner, not the features, does it."
)
TWO_LEARNERS = (
    "Both learners weigh the same features by the same judgements, and order the candidates of a query alike."
)

KL, KERNEL, RELEVANCE = "`dense-prob`", "`web-kernel-paper`", "`web-relevance`"
JACCARD, MATCHING, OVERLAP = "`jaccard`", "`matching`", "`overlap`"
METRIC, PREFERENCE, BASELINE = "metric learning", "preference learning", "web-relevance"
UQV, NEUQS, TREC, PATENT = "uqv100", "neuqs QR", "trec_tasks", "patent"
AT = ("P@1", "P@3", "P@5")


def _above(higher: str, lower: str, metric: str, name: str, results: int = 30) -> str:
    return f"Yih & Meek 2007, table 2: {higher} above {lower} in {metric}: {name}, {results} results each"


_AGAINST_JACCARD = {
    **same_cause(
        REVERSED,
        WORDS_IN_COMMON,
        *(_above(higher, JACCARD, "P@3", TREC) for higher in (KL, RELEVANCE)),
        *(_above(KL, JACCARD, metric, NEUQS) for metric in ("P@3", "P@5")),
    ),
    **same_cause(
        UNCLEAR,
        WORDS_IN_COMMON,
        *(_above(higher, JACCARD, "AUC", TREC) for higher in (KL, KERNEL, RELEVANCE)),
        *(_above(higher, JACCARD, "P@5", TREC) for higher in (KL, RELEVANCE)),
        *(_above(higher, JACCARD, "AUC", NEUQS) for higher in (KL, KERNEL)),
        *(_above(RELEVANCE, JACCARD, metric, NEUQS) for metric in ("P@3", "P@5")),
    ),
    **same_cause(
        UNCLEAR,
        FIRST_RANKS,
        *(_above(JACCARD, lower, "P@1", name) for lower, name in product((KERNEL, RELEVANCE), (TREC, NEUQS))),
        _above(JACCARD, KL, "P@1", NEUQS),
        _above(JACCARD, KERNEL, "P@3", NEUQS),
    ),
    **same_cause(
        UNCLEAR,
        SAME_WORDS,
        *(_above(JACCARD, MATCHING, metric, name) for metric, name in product(("AUC", *AT), (TREC, NEUQS))),
        *(_above(JACCARD, OVERLAP, "AUC", name) for name in (TREC, NEUQS)),
        *(_above(JACCARD, OVERLAP, metric, TREC) for metric in ("P@1", "P@5")),
    ),
}
_OVER_RESULTS = {
    **same_cause(
        REVERSED,
        KL_TOPIC,
        *(_above(KL, KERNEL, "AUC", name, results) for name, results in product((UQV, PATENT), (30, 200))),
    ),
    **same_cause(
        UNCLEAR,
        KL_TOPIC,
        *(_above(KL, KERNEL, "AUC", name, results) for name, results in product((NEUQS, TREC), (30, 200))),
    ),
    **same_cause(
        UNCLEAR,
        FITTING_RESULTS,
        *(_above(RELEVANCE, KERNEL, "AUC", name, 20) for name in (UQV, NEUQS, PATENT)),
        _above(RELEVANCE, KL, "AUC", NEUQS, 20),
    ),
    **same_cause(
        UNCLEAR,
        FEW_JUDGED,
        *(
            _above(RELEVANCE, lower, "AUC", TREC, results)
            for lower, results in product((KERNEL, KL), (20, 200))
        ),
    ),
    **same_cause(
        UNCLEAR,
        NEAR_THE_TOP,
        *(
            _above(higher, lower, metric, name)
            for (higher, lower, metric), name in product(
                (
                    (KERNEL, KL, "P@1"),
                    (RELEVANCE, KERNEL, "P@1"),
                    (KL, KERNEL, "P@3"),
                    (RELEVANCE, KL, "P@3"),
                    (RELEVANCE, KERNEL, "P@3"),
                    (KL, KERNEL, "P@5"),
                ),
                (TREC, NEUQS),
            )
        ),
        *(_above(RELEVANCE, lower, "P@5", TREC) for lower in (KL, KERNEL)),
    ),
}
_LEARNED = {
    **same_cause(
        REVERSED,
        LIST_LENGTH,
        *(
            _above(PREFERENCE, lower, "AUC", name)
            for lower, name in product((BASELINE, METRIC), (NEUQS, PATENT))
        ),
    ),
    **same_cause(
        UNCLEAR, LIST_LENGTH, *(_above(PREFERENCE, lower, "AUC", TREC) for lower in (BASELINE, METRIC))
    ),
    **same_cause(
        UNCLEAR,
        FEW_FOLDS,
        *(_above(METRIC, BASELINE, metric, TREC) for metric in ("AUC", "mean AUC")),
        _above(PREFERENCE, BASELINE, "mean AUC", NEUQS),
    ),
    **same_cause(
        UNCLEAR,
        LITTLE_TO_GAIN,
        *(_above(learner, BASELINE, metric, NEUQS) for learner, metric in product((METRIC, PREFERENCE), AT)),
        *(_above(METRIC, BASELINE, metric, TREC) for metric in ("P@3", "P@5")),
        *(_above(PREFERENCE, BASELINE, metric, TREC) for metric in AT),
        *(_above(learner, BASELINE, "P@1", PATENT) for learner in (METRIC, PREFERENCE)),
    ),
    **same_cause(REVERSED, ONE_RANK, _above(METRIC, BASELINE, "P@1", TREC)),
    **same_cause(
        UNCLEAR,
        TWO_LEARNERS,
        *(
            _above(PREFERENCE, METRIC, metric, name)
            for metric, name in product(("mean AUC", *AT), (NEUQS, TREC, PATENT))
        ),
    ),
}
CAUSES = {**_AGAINST_JACCARD, **_OVER_RESULTS, **_LEARNED}
