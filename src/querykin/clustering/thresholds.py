"""The score from which on a keyword joins a head, if none is given."""

from querykin.errors import InputError

# Where about half of judged pairs of web queries are good, and fewer than a tenth of web queries drawn at
# random are in a group (reproduce/CLUSTERS.md). Groups of one need are split rather than mixed.
_MEASURED = {
    "hybrid": 0.65,
    "hybrid-static": 0.7,
    "web-kernel": 0.6,
    "dense": 0.65,
    "static": 0.7,
}
_WORD_OVERLAP = ("jaccard", "dice", "cosine", "overlap")  # half of the words, or of the stems
# Others that score 1 for a text and itself, as the default measure does.
_UP_TO_1 = (
    *("idf-cosine", "edit", "tfidf", "web-kernel-paper", "web-kernel-static", "web-kernel-dense"),
    *("set-overlap", "result-cosine", "distributional", "distributional-ngrams", "latent"),
    *("web-relevance", "tweak"),
)
DEFAULT_THRESHOLDS = {
    **_MEASURED,
    **{name + stems: 0.5 for name in _WORD_OVERLAP for stems in ("", "-stems")},
    **dict.fromkeys(_UP_TO_1, _MEASURED["hybrid"]),
}


def default_threshold(measure: str) -> float:
    """The threshold of a measure; one whose scores have no common scale has none, which is an InputError.

    >>> default_threshold("hybrid"), default_threshold("jaccard-stems")
    (0.65, 0.5)
    """
    if measure not in DEFAULT_THRESHOLDS:
        raise InputError(
            f"clusters by {measure} need --threshold, the score from which on keywords belong together; "
            f"measures with a default are {', '.join(DEFAULT_THRESHOLDS)}"
        )
    return DEFAULT_THRESHOLDS[measure]


def lowest_threshold(measure: str) -> float:
    """The score down to which keywords are compared for clusters at a threshold still to be chosen.

    Two fifths below the default, so that there is room on both sides of it.

    >>> lowest_threshold("static")
    0.42
    """
    threshold = default_threshold(measure)
    return round(threshold - 0.4 * abs(threshold), 2)
