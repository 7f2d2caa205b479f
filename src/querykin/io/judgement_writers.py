"""Writers of judgements and rankings: tables, TREC, BEIR and MS MARCO."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from querykin.errors import InputError
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import BEIR
from querykin.io.tables import FORMS, TableWriter, chunks
from querykin.io.trec import Run

JUDGEMENT_FORMS = (*FORMS, "trec", "beir", "msmarco")
RUN_FORMS = ("trec", "msmarco")
_CHUNK = 16_384  # rows written at once


def write_judged_pairs(judged: JudgedPairs, path: str, form: str = "tsv") -> None:
    """Write judgements as a table (tsv, csv, jsonl) or as qrels (trec, beir, msmarco).

    A table includes groups and raters if the judgements have them; qrels need ids without spaces.
    """
    _check(form, JUDGEMENT_FORMS)
    with Path(path).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        if form in FORMS:
            write_table(judged, file, form)
        elif form == "beir":
            file.write("\t".join(BEIR.values()) + "\n")
            file.writelines(f"{query}\t{candidate}\t{grade}\n" for query, candidate, grade in _ids(judged))
        else:
            separator = " " if form == "trec" else "\t"
            file.writelines(
                separator.join((query, "0", candidate, grade)) + "\n"
                for query, candidate, grade in _ids(judged)
            )


def write_run(run: Run, path: str, form: str = "trec") -> None:
    """Write a ranking in the format of TREC, or of MS MARCO, which has ranks but no scores."""
    _check(form, RUN_FORMS)
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        for row, (rank, score) in enumerate(zip(run.ranks.tolist(), run.scores.tolist(), strict=True)):
            query, candidate = _id(run.queries[row]), _id(run.candidates[row])
            if form == "trec":
                file.write(f"{query} Q0 {candidate} {rank} {_plain(score)} {'_'.join(run.name.split())}\n")
            else:
                file.write(f"{query}\t{candidate}\t{rank}\n")


def write_table(judged: JudgedPairs, file: TextIO, form: str = "tsv") -> None:
    """Write judgements as a table (tsv, csv, jsonl) to an open file."""
    columns = {"query": judged.queries, "candidate": judged.candidates}
    if judged.groups is not judged.queries:
        columns["group"] = judged.groups
    if judged.raters is not None:
        columns["rater"] = judged.raters
    writer = TableWriter(file, form, [*columns, "grade"], list(judged.scores))
    for rows in chunks(range(len(judged)), _CHUNK):
        texts = [
            {
                **{name: column[row] for name, column in columns.items()},
                "grade": _number(float(judged.grades[row])),
            }
            for row in rows
        ]
        writer.write(texts, {name: values[rows] for name, values in judged.scores.items()})


def _ids(judged: JudgedPairs) -> Iterator[tuple[str, str, str]]:
    for row, grade in enumerate(judged.grades.tolist()):
        yield _id(judged.queries[row]), _id(judged.candidates[row]), _plain(grade)


def _id(text: str) -> str:
    if not text or len(text.split()) != 1 or text != text.strip():
        raise InputError(
            f"an id in qrels and runs is one word, got {text[:60]!r}; write a table: {', '.join(FORMS)}"
        )
    return text


def _number(value: float) -> float | int:
    """An integral value as an int: a grade is written 2, not 2.0."""
    return int(value) if value.is_integer() else value


def _plain(value: float) -> str:
    return str(_number(value))


def _check(form: str, known: Sequence[str]) -> None:
    if form not in known:
        raise InputError(f"the format must be one of {', '.join(known)}, got {form!r}")
