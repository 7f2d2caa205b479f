"""Scoring of query / landing-page pairs by learned term weights (Yih 2009, section 4.2).

The query is expanded with search results from the corpus; the page is used as it is. Features of a term of a
page include the fields that contain it: title, URL, link text, meta keywords and meta description.
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
from querykin.io import limits
from querykin.io.documents.html import parse_html
from querykin.io.encodings import decode
from querykin.io.tables import Row, Table, as_text, column_names, read_table
from querykin.learning.training_resources import TrainingResources
from querykin.learning.tweak.term_weights import TermWeights, result_terms, select_terms
from querykin.model_files import Model
from querykin.text.tokenizer import words
from querykin.types import SkippedRecord
from querykin.vectors import Vectors, concatenate
from querykin.weighting.term_features import TermFeatureReader, TermTable

SHIPPED_MODEL = "landing-pages"  # shipped with the package
COLUMNS = ("html", "file", "url", "title", "text", "description", "keywords")
_MIN_SUBSTRING = 3  # characters; shorter words must be whole words of the URL, not parts of others
_CHUNK = 64  # texts or pages that one thread processes at once


@dataclass(frozen=True)
class Page:
    """The text of a page and of its fields."""

    text: str = ""
    title: str = ""
    url: str = ""
    links: str = ""
    keywords: str = ""
    description: str = ""

    @classmethod
    def of_html(cls, html: str, url: str = "") -> "Page":
        """Parse HTML, valid or not; `url` takes precedence over the URL declared in the page."""
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
        """Title, visible text, meta description and meta keywords as one text."""
        return "\n".join(filter(None, (self.title, self.text, self.description, self.keywords)))

    @property
    def address_words(self) -> str:
        """The words of the page that its URL contains, also as parts of longer words."""
        url = self.url.lower()
        url_words = set(words(url))
        page_words = set(words(self.everything))
        return " ".join(
            sorted(word for word in page_words if word in (url if len(word) >= _MIN_SUBSTRING else url_words))
        )


def check_documents(workspace: TrainingResources) -> None:
    """Raise if the corpus, which queries are expanded with, is empty."""
    if not len(workspace.corpus):
        raise WorkspaceError(
            f"term weights need a corpus, and the one in {workspace.location} is empty; "
            "next: querykin corpus add FILE"
        )


def check_page_columns(source: str, table: Table, names: Mapping[str, str]) -> None:
    """Raise if a table has no column that describes pages."""
    if not any(names[role] in table.columns for role in COLUMNS):
        raise InputError(
            f"{source} has no column of pages; needed: one or more of {', '.join(COLUMNS)}; "
            f"found: {', '.join(table.columns) or 'none'}; map other names with --columns, as in "
            "--columns html=NAME"
        )


@dataclass(frozen=True)
class PagePairs:
    """An open table of queries and pages, read row by row."""

    table: Table
    names: Mapping[str, str]  # column names in the file, by role
    folder: Path  # of the HTML files that rows refer to

    def sides(
        self, rows: Sequence[Row], skipped: Callable[[SkippedRecord], None]
    ) -> tuple[list[str], list[Page]]:
        """The queries and pages of rows; an unreadable page is empty and is passed to `skipped`."""
        queries = [as_text(row.get(self.names["query"])) for row in rows]
        return queries, [self._page(row, skipped) for row in rows]

    def _page(self, row: Row, skipped: Callable[[SkippedRecord], None]) -> Page:
        try:
            return page_of_row(row, self.names, self.folder)
        except InputError as error:
            skipped(SkippedRecord(as_text(row.get(self.names["file"])), None, str(error)))
            return Page()


def open_pages(source: str, columns: str, folder: Path) -> PagePairs:
    """Open a file of query / page pairs; `columns` maps roles to column names: "query=q,html=page"."""
    roles = ("query", *COLUMNS)
    names = dict(zip(roles, column_names(columns, roles), strict=True))
    table = read_table(source, [names["query"], *(names[role] for role in COLUMNS if names[role] != role)])
    check_page_columns(source, table, names)
    reserved = [name for name in ("kept", "score") if name in table.columns]
    if reserved:
        raise InputError(f"{source} has a column {reserved[0]!r} already; rename it")
    return PagePairs(table, names, folder)


def page_of_row(row: Row, names: Mapping[str, str], folder: Path) -> Page:
    """The page of a table row, from its `html`, from a `file` in the folder, or from its text columns."""
    cells = {role: as_text(row.get(name)) for role, name in names.items()}
    if cells.get("html") or cells.get("file"):
        html = cells.get("html") or _read(folder, cells["file"])
        return Page.of_html(html, cells.get("url", ""))
    fields = ("text", "title", "url", "keywords", "description")
    return Page(**{role: cells.get(role, "") for role in fields})


def _read(folder: Path, name: str) -> str:
    path = folder / name
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{path} is not in the folder of the pages, {folder}: move it there")
        if path.exists() and not path.is_file():
            raise InputError(f"{path} cannot be read as a page: it is not a regular file")
        with path.open("rb") as file:
            data = file.read(limits.MAX_LINE_BYTES + 1)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read as a page: {reason}") from error
    if len(data) > limits.MAX_LINE_BYTES:
        raise InputError(f"{path} cannot be read as a page: more than {limits.MAX_LINE_BYTES:,} bytes")
    return decode(data)


def page_terms(reader: TermFeatureReader, pages: Sequence[Page]) -> TermTable:
    """The terms of pages to be weighted, with their features; at most `MAX_TERMS` of each page."""
    return select_terms(all_terms(reader, pages))


def all_terms(reader: TermFeatureReader, pages: Sequence[Page]) -> TermTable:
    """All terms of pages, with their positions and the fields that contain them."""
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
    """Scores the match of queries and pages by learned term weights.

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
        """The scorer of a model of the workspace, or of a shipped one."""
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
        """The minimum score of pages that are kept: the given one, or else that of the model."""
        threshold = self.model.content.get("threshold") if given is None else given
        if not isinstance(threshold, int | float):
            raise InputError(f"model {self.model.name!r} has no learned threshold; give one: --threshold 0.2")
        if not 0 <= threshold <= 1:
            raise InputError(f"--threshold must be from 0 to 1, got {threshold:g}")
        return float(threshold)

    def score(self, queries: Sequence[str], pages: Sequence[Page]) -> Float64Array:
        """The score of each query with its page; NaN where either has no term of positive weight."""
        return self.score_with_mismatched(queries, pages)[0]

    def score_with_mismatched(
        self, queries: Sequence[str], pages: Sequence[Page]
    ) -> tuple[Float64Array, Float64Array]:
        """The score of each query with its page, and those of queries with a page of another query."""
        reader = TermFeatureReader(self.workspace.expander.corpus, self.workspace.query_frequencies)
        distinct = list(dict.fromkeys(queries))
        row_of = {query: number for number, query in enumerate(distinct)}

        def query_rows(texts: Sequence[str]) -> Vectors:
            expansions = self.workspace.expander.expand(texts, self._weights.results)
            return self._weights.rows(
                result_terms(reader, expansions, self._weights.features), "pages"
            ).unit()

        def page_rows(batch: Sequence[Page]) -> Vectors:
            return self._weights.rows(page_terms(reader, batch), "pages").unit()

        query_vectors = concatenate(thread_map(query_rows, _chunks(distinct)))
        page_vectors = concatenate(thread_map(page_rows, _chunks(pages)))
        rows, columns = np.array([row_of[query] for query in queries], np.int64), np.arange(len(pages))
        # Half the list apart: the pages of a query usually follow each other.
        others = np.roll(columns, len(pages) // 2)
        mismatched = rows != rows[others]
        return (
            np.minimum(query_vectors.dot(page_vectors, rows, columns), 1.0),
            np.minimum(query_vectors.dot(page_vectors, rows[mismatched], others[mismatched]), 1.0),
        )


def _chunks(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[i : i + _CHUNK] for i in range(0, len(items), _CHUNK)] or [items]
