"""Defaults that the library, the command line and the service share."""

DEFAULT_MEASURE = "hybrid"
MIN_SESSIONS = 3  # of a logged query that becomes a candidate
MIN_PROBABILITY = 0.05  # of being a good suggestion: what is less probable is not suggested
