"""Does a page fit a query? Query / landing-page pairs, kept or dropped (Yih 2009, section 4.2).

The query is expanded by the corpus; the page is its own document. What a term of a page weighs may depend on
where it stands: in the title, the address, links, meta-keywords or meta-description.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.compute.threads import thread_map
from querykin.errors import InputError, WorkspaceError
from querykin.io.documents.html import decode_html, parse_html
from querykin.io.inputs import MAX_LINE_BYTES
from querykin.io.tables import Row, Table, as_text, column_names, read_table
from querykin.learning.training_resources import TrainingResources
from querykin.learning.tweak.term_weights import TermWeights, chosen, result_terms
from querykin.model_files import Model
from querykin.text.tokenizer import words
from querykin.types import SkippedRecord
from querykin.vectors import Vectors, concatenate
from querykin.weighting.term_features import TermFeatureReader, TermTable

SHIPPED_MODEL = "landing-pages"  # the model that comes with the program
COLUMNS = ("html", "file", "url", "title", "text", "description", "keywords")
_SHORT = 3  # letters; shorter words are looked for in an address as words, not as parts of others
_CHUNK = 64


@dataclass(frozen=True)
class Page:
    """What a page says, and where."""

    text: str = ""
    title: str = ""
    url: str = ""
    links: str = ""
    keywords: str = ""
    description: str = ""

    @classmethod
    def of_html(cls, html: str, url: str = "") -> "Page":
        """A page as it came, however broken; `url` goes before the address that it gives itself."""
        page = parse_html(html)
        return cls(
            page.text,
            page.title,
            url or page.url,
            page.links,
            page.fields.get("keywords", ""),
            page.fields.get("description", ""),
        )

    @property
    def everything(self) -> str:
        """The words of the page as one text: its title, what is seen, and what its author says about it."""
        return "\n".join(filter(None, (self.title, self.text, self.description, self.keywords)))

    @property
    def address_words(self) -> str:
        """Those words of the page that its address holds, also inside longer ones."""
        address = self.url.lower()
        parts = set(words(address))
        found = {
            word for word in words(self.everything) if word in (address if len(word) >= _SHORT else parts)
        }
        return " ".join(sorted(found))


def check_documents(workspace: TrainingResources) -> None:
    """Complain where there are no documents that could say anything about queries."""
    if not len(workspace.corpus):
        raise WorkspaceError(
            f"term weights ask a corpus, and the one in {workspace.path} is empty; "
            "next: querykin corpus add FILE"
        )


def check_page_columns(source: str, table: Table, names: Mapping[str, str]) -> None:
    """Complain about a table that says nothing about pages."""
    if not any(names[role] in table.columns for role in COLUMNS):
        raise InputError(
            f"{source} has no column of pages; needed: one or more of {', '.join(COLUMNS)}; "
            f"found: {', '.join(table.columns) or 'none'}; give the file's own names with --columns, as in "
            "--columns html=NAME"
        )


@dataclass(frozen=True)
class PagePairs:
    """A table of queries and pages that is open and not yet read."""

    table: Table
    names: Mapping[str, str]  # the file's own names of the columns
    folder: Path  # where its HTML files are

    def sides(
        self, rows: Sequence[Row], skipped: Callable[[SkippedRecord], None]
    ) -> tuple[list[str], list[Page]]:
        """The queries and pages of some rows; one that cannot be read is empty, and `skipped` hears of it."""
        queries = [as_text(row.get(self.names["query"])) for row in rows]
        return queries, [self._page(row, skipped) for row in rows]

    def _page(self, row: Row, skipped: Callable[[SkippedRecord], None]) -> Page:
        try:
            return page_of_row(row, self.names, self.folder)
        except InputError as error:
            skipped(SkippedRecord(as_text(row.get(self.names["file"])), None, str(error)))
            return Page()


def open_pages(source: str, columns: str, folder: Path) -> PagePairs:
    """Open a file of query / page pairs; `columns` gives the file's own names, as in "query=q,html=page"."""
    roles = ("query", *COLUMNS)
    names = dict(zip(roles, column_names(columns, roles), strict=True))
    table = read_table(source, [names["query"], *(names[role] for role in COLUMNS if names[role] != role)])
    check_page_columns(source, table, names)
    taken = [name for name in ("kept", "score") if name in table.columns]
    if taken:
        raise InputError(f"{source} has a column {taken[0]!r} already; rename it")
    return PagePairs(table, names, folder)


def page_of_row(row: Row, names: Mapping[str, str], folder: Path) -> Page:
    """The page that a row of a table gives: as `html`, as a `file` in the folder, or by its fields."""
    cells = {role: as_text(row.get(name)) for role, name in names.items()}
    if cells.get("html") or cells.get("file"):
        html = cells.get("html") or _read(folder / cells["file"])
        return Page.of_html(html, cells.get("url", ""))
    given = ("text", "title", "url", "keywords", "description")
    return Page(**{role: cells.get(role, "") for role in given})


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_LINE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read as a page: {reason}") from error
    html = decode_html(data[:MAX_LINE_BYTES])
    if len(data) > MAX_LINE_BYTES or html is None:
        wrong = (
            "not UTF-8, and no other charset is declared"
            if html is None
            else f"more than {MAX_LINE_BYTES:,} bytes"
        )
        raise InputError(f"{path} cannot be read as a page: {wrong}")
    return html


def page_terms(reader: TermFeatureReader, pages: Sequence[Page]) -> TermTable:
    """The terms of pages that can weigh something, and where they stand."""
    return chosen(all_terms(reader, pages))


def all_terms(reader: TermFeatureReader, pages: Sequence[Page]) -> TermTable:
    """The terms of pages and where they stand."""
    fields = {
        "title": [page.title for page in pages],
        "url": [page.address_words for page in pages],
        "anchor": [page.links for page in pages],
        "keywords": [page.keywords for page in pages],
        "description": [page.description for page in pages],
    }
    return reader.of_texts([page.everything for page in pages], fields)


@dataclass(frozen=True)
class PageScorer:
    """How well pages fit queries, by learnt term weights.

    >>> from querykin import Document, Workspace
    >>> workspace = Workspace.open(getfixture("tmp_path"))
    >>> change = workspace.corpus.add([
    ...     Document("1", "Camera", "A digital camera takes photos; the lens and zoom decide."),
    ...     Document("2", "Pie", "An apple pie is baked in the oven."),
    ... ])
    >>> pages = [Page("Zoom lens for photos", "Camera shop"), Page("How to bake", "Apple pie")]
    >>> good, bad = PageScorer.of(workspace.reopen()).score(["digital camera"] * 2, pages)
    >>> bool(good > bad)
    True
    """

    workspace: TrainingResources
    model: Model

    @classmethod
    def of(cls, workspace: TrainingResources, name: str = SHIPPED_MODEL) -> "PageScorer":
        """The scorer of a model of the workspace, or of one that is shipped."""
        check_documents(workspace)
        model = workspace.model(name)
        if model.kind != "tweak":
            raise InputError(
                f"{name!r} is a model of kind {model.kind!r}; pages are scored by term weights: "
                "querykin train tweak FILE --pages"
            )
        return cls(workspace, model)

    @cached_property
    def _weights(self) -> TermWeights:
        return TermWeights.of(self.model.content)

    def threshold(self, given: float | None = None) -> float:
        """The score from which on pages are kept: the one given, else what the model has learnt."""
        found = self.model.content.get("threshold") if given is None else given
        if not isinstance(found, int | float):
            raise InputError(f"model {self.model.name!r} has learnt no threshold; give one: --threshold 0.2")
        if not 0 <= found <= 1:
            raise InputError(f"--threshold must be from 0 to 1, got {found:g}")
        return float(found)

    def score(self, queries: Sequence[str], pages: Sequence[Page]) -> Float64Array:
        """The score of each query with the page beside it; NaN where one of them says too little."""
        reader = TermFeatureReader(self.workspace.expander.corpus, self.workspace.query_frequencies)
        distinct = list(dict.fromkeys(queries))
        place = {query: number for number, query in enumerate(distinct)}

        def query_rows(some: Sequence[str]) -> Vectors:
            expansions = self.workspace.expander.expand(some, self._weights.results)
            return self._weights.rows(
                result_terms(reader, expansions, self._weights.features), "pages"
            ).unit()

        def page_rows(some: Sequence[Page]) -> Vectors:
            return self._weights.rows(page_terms(reader, some), "pages").unit()

        asked = concatenate(thread_map(query_rows, _chunks(distinct)))
        shown = concatenate(thread_map(page_rows, _chunks(pages)))
        rows = np.array([place[query] for query in queries], np.int64)
        return np.minimum(asked.dot(shown, rows, np.arange(len(pages))), 1.0)


def _chunks(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[i : i + _CHUNK] for i in range(0, len(items), _CHUNK)] or [items]
