"""Judged query / page pairs from tables: rows with a query, a grade and a page."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import JudgedTable, condition
from querykin.io.tables import Row, Table, check_columns, column_names, read_table
from querykin.learning.landing_pages.pages import COLUMNS, Page, check_page_columns, page_of_row

_PAGE = "\0page"  # the page's number, under a name that no file has
_ROLES = ("query", "grade", "group", *COLUMNS)


def read_judged_pages(
    source: str, columns: str = "", where: Iterable[str] = ()
) -> tuple[JudgedPairs, list[Page]]:
    """Judgements whose candidates are numbers of pages, and the page of each."""
    names = dict(zip(_ROLES, column_names(columns, _ROLES), strict=True))
    kept = [condition(each) for each in where]
    table = read_table(source, ())
    named = [names[role] for role in _ROLES if names[role] != role]
    check_columns(source, table, [names["query"], names["grade"], *named, *(column for column, _ in kept)])
    check_page_columns(source, table, names)
    pages: list[Page] = []

    def numbered() -> Iterator[Row]:
        for row in table.rows:
            yield {**row, _PAGE: str(len(pages))}
            pages.append(page_of_row(row, names, Path(source).parent))

    roles = {**names, "candidate": _PAGE, "rater": "\0rater"}
    judged = JudgedTable(source, Table(table.form, table.columns, numbered()), roles, kept).read()
    return judged, [pages[int(number)] for number in judged.candidates.at(range(len(judged)))]
