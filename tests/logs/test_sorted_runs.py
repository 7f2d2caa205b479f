"""External sorting: merged tables are what sorting everything in memory gives, however small the runs."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from querykin.logs.sorted_runs import CountTable, RunWriter, merged_counts, sum_counts, write_counts
from querykin.logs.text_tables import TextTable, TextWriter, merged_texts

KEYS = st.integers(0, 9)
ROWS = st.lists(st.tuples(KEYS, KEYS, st.integers(1, 5)), max_size=60)
SMALL = st.integers(1, 20)


def _columns(rows):
    return tuple(np.array(rows, np.int64).reshape(-1, 3).T.copy())


def _table(folder, rows, max_rows):
    writer = RunWriter(folder / "runs", 3, max_rows)
    for row in rows:
        writer.add(*_columns([row]))
    target = folder / "table"
    size = write_counts(target, (sum_counts(part[:2], part[2]) for part in writer.merged()), 2)
    table = CountTable(target, 2)
    assert len(table) == size
    return table


def _expected(rows):
    totals = Counter()
    for first, second, count in rows:
        totals[first, second] += count
    return [(*key, total) for key, total in sorted(totals.items())]


@given(ROWS, SMALL)
def test_rows_of_many_runs_are_summed_as_in_memory(rows, max_rows):
    with TemporaryDirectory() as folder:
        table = _table(Path(folder), rows, max_rows)
        columns = [key.whole().tolist() for key in table.keys]
        assert list(zip(*columns, table.counts.whole().tolist(), strict=True)) == _expected(rows)


@given(st.lists(ROWS, min_size=1, max_size=4), SMALL)
def test_tables_are_merged_without_splitting_a_key(parts, max_rows):
    with TemporaryDirectory() as folder:
        tables = []
        for number, rows in enumerate(parts):
            (path := Path(folder) / str(number)).mkdir()
            tables.append(_table(path, rows, 7))
        pieces = list(merged_counts(tables, max_rows))
        found = [row for piece in pieces for row in zip(*(c.tolist() for c in piece), strict=True)]
        assert found == _expected([row for rows in parts for row in rows])
        firsts = [set(piece[0].tolist()) for piece in pieces]
        assert sum(map(len, firsts)) == len(set().union(*firsts))


@given(st.lists(st.tuples(KEYS, st.sampled_from("ab😀")), max_size=40), SMALL, SMALL)
def test_every_key_has_one_of_its_texts(rows, max_texts, max_rows):
    with TemporaryDirectory() as folder:
        writer = TextWriter(Path(folder) / "runs", max_texts)
        for key, text in rows:
            writer.add(key, f"{key}{text}")
        size = writer.write(Path(folder) / "table")
        pieces = list(merged_texts([TextTable(Path(folder) / "table")], max_rows))
        found = [
            (k, t) for piece in pieces for k, t in zip(piece.keys.tolist(), piece.decoded(), strict=True)
        ]
        assert [key for key, _ in found] == sorted({key for key, _ in rows})
        assert all((key, text[len(str(key)) :]) in rows for key, text in found)
        assert size == len(found)
