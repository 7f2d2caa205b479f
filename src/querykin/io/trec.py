"""Judgements and rankings of test collections: TREC qrels and runs, BEIR qrels, MS MARCO's files."""

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import InputError
from querykin.io.documents import open_text
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import read_judged_pairs
from querykin.io.text_column import TextColumn


@dataclass(frozen=True)
class Run:
    """Rankings made elsewhere: the score of each candidate that a query got, and its rank."""

    name: str
    queries: TextColumn
    candidates: TextColumn
    scores: Float64Array
    ranks: Int64Array


def read_qrels(source: str, columns: str = "", where: Sequence[str] = ()) -> JudgedPairs:
    """Judgements by ids: TREC's and MS MARCO's qrels, BEIR's, or any table that `read_judged_pairs` knows.

    TREC has lines of `query 0 document grade`, MS MARCO the same with tabs.
    """
    lines = open_text(source)
    head = next((line for line in lines if line.strip()), "")
    if not _is_qrel(head):
        if source == "-":
            raise InputError(
                "standard input holds no lines of query 0 document grade; give other forms as files"
            )
        return read_judged_pairs(source, columns, where)
    queries, candidates, grades = TextColumn(), TextColumn(), array("d")
    for number, fields in _fields(chain([head], lines)):
        if len(fields) != 4:
            raise InputError(f"{source}, line {number}: {len(fields)} fields, not query 0 document grade")
        queries.append(fields[0])
        candidates.append(fields[2])
        grades.append(_number(source, number, "grade", fields[3]))
    return JudgedPairs(queries, candidates, np.array(grades), queries)


def _is_qrel(line: str) -> bool:
    fields = line.split()
    return len(fields) == 4 and fields[1].lstrip("Qq").isdigit() and not math.isnan(_parsed(fields[3]))


def read_run(source: str) -> Run:
    """Rankings as TREC has them, `query Q0 document rank score tag`, or MS MARCO, `query document rank`.

    The score decides the order, then the rank. A run is called by its file's name.
    """
    queries, candidates, scores, ranks = TextColumn(), TextColumn(), array("d"), array("q")
    for number, fields in _fields(open_text(source)):
        if len(fields) == 3:
            fields = [fields[0], "Q0", fields[1], fields[2], f"-{fields[2]}", ""]
        if len(fields) != 6:
            allowed = "query Q0 document rank score tag, or query document rank"
            raise InputError(f"{source}, line {number}: expected {allowed}, got {len(fields)} fields")
        queries.append(fields[0])
        candidates.append(fields[2])
        ranks.append(int(_number(source, number, "rank", fields[3])))
        scores.append(_number(source, number, "score", fields[4]))
    if not scores:
        raise InputError(f"{source} holds no ranking; expected lines of query Q0 document rank score tag")
    name = Path(source).name.partition(".")[0] or source
    return Run(name, queries, candidates, np.array(scores), np.array(ranks))


def _fields(lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if fields:
            yield number, fields


def _parsed(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _number(source: str, line: int, name: str, text: str) -> float:
    value = _parsed(text)
    if not math.isfinite(value):
        raise InputError(f"{source}, line {line}: the {name} must be a number, got {text[:40]!r}")
    return value
