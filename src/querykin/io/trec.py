"""Qrels and runs of test collections: TREC, BEIR and MS MARCO."""

import math
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.counted_nouns import counted
from querykin.errors import InputError
from querykin.io import limits
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import read_judged_pairs
from querykin.io.lines import open_text
from querykin.io.text_column import TextColumn

_MAX_RANK = 10**15  # beyond, a float is no exact number


@dataclass(frozen=True)
class Run:
    """A ranking by another program: the score and the rank of each candidate of a query."""

    name: str
    queries: TextColumn
    candidates: TextColumn
    scores: Float64Array
    ranks: Int64Array


def read_qrels(source: str, columns: str = "", where: Sequence[str] = ()) -> JudgedPairs:
    """Judgements by ids: qrels of TREC, MS MARCO or BEIR, or any table that `read_judged_pairs` accepts.

    TREC has lines of `query 0 document grade`, MS MARCO the same separated by tabs.
    """
    lines = open_text(source)
    head = next((line for line in lines if line.strip()), "")
    if not _is_qrel(head):
        if source == "-":
            raise InputError(
                "standard input has no lines of query 0 document grade; give other formats as files"
            )
        return read_judged_pairs(source, columns, where)
    queries, candidates, grades = TextColumn(), TextColumn(), array("d")
    for number, fields in _fields(chain([head], lines)):
        if len(fields) != 4:
            raise InputError(
                f"{source}, line {number}: {counted(len(fields), 'field')}, not query 0 document grade"
            )
        queries.append(fields[0])
        candidates.append(fields[2])
        grades.append(_number(source, number, "grade", fields[3], limits.MAX_GRADE))
    return JudgedPairs(queries, candidates, np.array(grades), queries)


def _is_qrel(line: str) -> bool:
    fields = line.split()
    return len(fields) == 4 and fields[1].lstrip("Qq").isdigit() and not math.isnan(_parse(fields[3]))


def read_run(source: str) -> Run:
    """Rankings of TREC, `query Q0 document rank score tag`, or MS MARCO, `query document rank`.

    Candidates are ordered by score, then by rank. The run is named after its file.
    """
    queries, candidates, scores, ranks = TextColumn(), TextColumn(), array("d"), array("q")
    for number, fields in _fields(open_text(source)):
        if len(fields) == 3:
            fields = [fields[0], "Q0", fields[1], fields[2], f"-{fields[2]}", ""]
        if len(fields) != 6:
            allowed = "query Q0 document rank score tag, or query document rank"
            raise InputError(
                f"{source}, line {number}: expected {allowed}, got {counted(len(fields), 'field')}"
            )
        queries.append(fields[0])
        candidates.append(fields[2])
        ranks.append(int(_number(source, number, "rank", fields[3], _MAX_RANK)))
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


def _parse(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _number(source: str, line: int, name: str, text: str, largest: float = sys.float_info.max) -> float:
    value = _parse(text)
    if not abs(value) <= largest:  # nor NaN
        raise InputError(
            f"{source}, line {line}: the {name} must be a number, got {text[:40]!r}; it may be from "
            f"{-largest:g} to {largest:g}"
        )
    return value
