"""Products judged for queries (chorus): the pairs, the raters, and the catalogue as a corpus."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from querykin import Document, Workspace
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.tables import Row, as_text, read_table
from querykin.io.text_column import TextColumn
from reproduce import data
from reproduce.judged_sets import JudgedSet

RATERS = ("rater1", "rater2", "rater3")


@cache
def judged_products() -> JudgedSet:
    """Queries with the title and short description of products; relevant from grade 2 of 3 on."""
    rows = _rows()
    queries, candidates = (
        TextColumn(as_text(row["query"]) for row in rows),
        TextColumn(map(_product_text, rows)),
    )
    grades = np.array([float(as_text(row["rating"])) for row in rows])
    return JudgedSet("chorus", JudgedPairs(queries, candidates, grades, queries), 2)


def rated_products() -> JudgedPairs:
    """One row for every grade of every rater; the product is identified by its number."""
    rated = [(row, rater) for row in _rows() for rater in RATERS if as_text(row[rater])]
    queries = TextColumn(as_text(row["query"]) for row, _ in rated)
    candidates = TextColumn(as_text(row["docid"]) for row, _ in rated)
    grades = np.array([float(as_text(row[rater])) for row, rater in rated])
    return JudgedPairs(queries, candidates, grades, queries, TextColumn(rater for _, rater in rated))


@cache
def catalogue(attributes: bool = True) -> Workspace:
    """A workspace of the products and the web queries, built once; with all attributes or with short descriptions only."""
    shared = data.workspace()
    opened = data.linked(shared, "catalogue" if attributes else "catalogue-short", ("repository",))
    if not len(opened.corpus):
        opened.corpus.add(_products(attributes))
    return opened.reopen()


def catalogue_sample(size: int) -> Workspace:
    """A workspace with so many products of the catalogue, drawn at random."""
    opened = Workspace.open(data.cache_folder() / f"catalogue-{size}")
    if not len(opened.corpus):
        products = list(_products(attributes=True))
        drawn = np.random.default_rng(0).choice(len(products), size, replace=False)
        opened.corpus.add(products[place] for place in drawn)
    return opened.reopen()


def judged_facts() -> list[dict[str, Any]]:
    """The catalogue entry of the product of each judged pair, in the order of the pairs."""
    known = {product["id"]: product for product in _catalogue()}
    return [known[as_text(row["docid"])] for row in _rows()]


def _rows() -> list[Row]:
    return list(read_table(str(data.labelled_file("chorus")), ["query", "title", "rating", *RATERS]).rows)


def _product_text(row: Row) -> str:
    return f"{as_text(row['title'])} {as_text(row['short_description'])}"


def _products(attributes: bool) -> Iterator[Document]:
    for product in _catalogue():
        text = [product["supplier"], product["short_description"]]
        if attributes:
            text += [f"{name.replace('_', ' ')} {value}" for name, value in product["attributes"].items()]
        yield Document(product["id"], product["title"], ". ".join(filter(None, text)))


def _catalogue() -> Iterator[dict[str, Any]]:
    with gzip.open(data.labelled_file("products"), "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
