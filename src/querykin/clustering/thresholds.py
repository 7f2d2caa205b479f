"""The score from which on a keyword joins a head, if none is given."""

from querykin.errors import InputError

# For the best B-cubed F of groups against judged needs.
_THRESHOLDS = {
    "hybrid": 0.6,
    "hybrid-static": 0.6,
    "web-kernel": 0.4,
    "dense": 0.65,
    "static": 0.7,
}


def default_threshold(measure: str) -> float:
    """The threshold of a measure; one without any is an InputError."""
    if measure not in _THRESHOLDS:
        raise InputError(
            f"clusters by {measure} need --threshold, the score from which on keywords belong together; "
            f"measures with a default are {', '.join(_THRESHOLDS)}"
        )
    return _THRESHOLDS[measure]
