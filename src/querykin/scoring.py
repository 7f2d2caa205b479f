"""Scores for rows of a table: texts that come several times are encoded once."""

from collections.abc import Mapping, Sequence

from querykin.measures import Measure
from querykin.pairs import Row, as_text

ROWS = 8192  # rows scored at once: bounds the memory of files of any length


def score_rows(rows: Sequence[Row], measures: Mapping[str, Measure], query: str, candidate: str) -> list[Row]:
    """The same rows with a score per measure, NaN where a measure has no opinion."""
    queries, candidates = ([as_text(row.get(column)) for row in rows] for column in (query, candidate))
    scores = {name: measure.score_pairs(queries, candidates).tolist() for name, measure in measures.items()}
    return [{**row, **{name: values[i] for name, values in scores.items()}} for i, row in enumerate(rows)]
