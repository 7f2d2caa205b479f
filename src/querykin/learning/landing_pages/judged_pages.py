"""Judged query / page pairs from tables: rows with a query, a grade and a page."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import JudgedTable, condition
from querykin.io.tables import Row, check_columns, column_names, read_table
from querykin.learning.landing_pages.pages import COLUMNS, Page, check_page_columns, page_of_row

_PAGE = "\0page"  # column of page numbers; no file has a column of this name
_ROLES = ("query", "grade", "group", *COLUMNS)


def read_judged_pages(
    source: str, columns: str = "", where: Iterable[str] = ()
) -> tuple[JudgedPairs, list[Page]]:
    """Judged pairs whose candidates are page numbers, and the page of each pair."""
    names = dict(zip(_ROLES, column_names(columns, _ROLES), strict=True))
    filters = [condition(each) for each in where]
    table = read_table(source, (), headers=[(names["query"], names["grade"])])
    renamed = [names[role] for role in _ROLES if names[role] != role]
    check_columns(
        source, table, [names["query"], names["grade"], *renamed, *(column for column, _ in filters)]
    )
    check_page_columns(source, table, names)
    pages: list[Page] = []

    def numbered_rows() -> Iterator[Row]:
        for row in table.rows:
            yield {**row, _PAGE: str(len(pages))}
            pages.append(page_of_row(row, names, Path(source).parent))

    roles = {**names, "candidate": _PAGE, "rater": "\0rater"}
    judged = JudgedTable(source, replace(table, rows=numbered_rows()), roles, filters).read()
    return judged, [pages[int(number)] for number in judged.candidates.at(range(len(judged)))]
