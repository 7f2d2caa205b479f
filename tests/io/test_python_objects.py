"""Documents and queries from data frames, Arrow streams, dicts and texts."""

import datetime
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from arro3.core import Table

from querykin import Document, Workspace
from querykin.errors import InputError
from querykin.io import read_queries
from querykin.io.python_objects import as_documents, as_queries

ROWS = {"SKU": ["M-1", "R-1"], "Name": ["Mower", "Rake"], "Body": ["<p>Cuts.</p>", "Of ash."]}
COLUMNS = {"id": "SKU", "title": "Name", "text": "Body"}


class Stream:
    """Anything that exports an Arrow stream, and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


FRAMES = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "lazy": polars.LazyFrame,
    "stream": lambda rows: Stream(polars.DataFrame(rows)),
    "arro3": lambda rows: Table(polars.DataFrame(rows)),
    "dicts": lambda rows: polars.DataFrame(rows).to_dicts(),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_frame_gives_a_document_for_each_row(make):
    found = list(as_documents(make(ROWS), COLUMNS))
    assert [(each.id, each.title, each.text) for each in found] == [
        ("M-1", "Mower", "Cuts."),
        ("R-1", "Rake", "Of ash."),
    ]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_frame_gives_a_query_for_each_row(make):
    frame = make({"Keyword": ["mower", "rake"], "Volume": [3, 1]})
    assert list(as_queries(frame)) == [("mower", 3), ("rake", 1)]
    named = make({"words": ["mower"], "n": [3]})
    assert list(as_queries(named, {"query": "words", "count": "n"})) == [("mower", 3)]


def test_documents_dicts_and_texts_can_be_mixed():
    document = Document("1", "Java")
    found = list(
        as_documents([document, {"title": "Bali", "since": datetime.date(2024, 1, 2)}, "An island."])
    )
    assert found[0] is document
    assert (found[1].title, found[1].fields) == ("Bali", {"since": "2024-01-02"})
    assert (found[2].title, found[2].text) == ("", "An island.")
    assert len({each.id for each in found}) == 3


def test_texts_of_a_series_are_queries():
    for series in (pandas.Series(["java", "bali"]), polars.Series(["java", "bali"])):
        assert list(as_queries(series)) == [("java", 1), ("bali", 1)]


def test_pairs_have_counts_of_any_integer_type():
    assert list(as_queries([("java", 2), ("bali", np.int64(3)), ["sumatra", 4.0]])) == [
        ("java", 2),
        ("bali", 3),
        ("sumatra", 4),
    ]


def test_missing_values_of_a_frame_are_empty():
    frame = pandas.DataFrame({"title": ["Java", "Bali"], "text": ["An island.", None], "price": [1.5, None]})
    found = list(as_documents(frame))
    assert [(each.text, each.fields["price"]) for each in found] == [("An island.", 1.5), ("", None)]


@pytest.mark.parametrize(
    ("items", "columns", "message"),
    [
        ([3], None, "documents, number 1: a Document, a dict or a text is needed, got int 3"),
        (["Java", None], None, "documents, number 2: .*got NoneType"),
        ([" "], None, "documents, number 1: nothing in 'text'"),
        ([{"words": "x"}], None, "number 1: no title or text: found: words; a title is one of"),
        ("a text", None, r"must be a data frame or a list, got one str; pass \[text\] for one document"),
        (Path("a.csv"), None, "got one .*Path; pass .* read_documents"),
        ({"title": "Java"}, None, "got one dict"),
        (5, None, "got one int"),
        (pandas.DataFrame({"year": [1]}), None, "the documents has no column for a title .*year"),
        (pandas.DataFrame(ROWS), {"title": "Nmae"}, "no column 'Nmae' .did you mean 'Name'"),
        (pandas.DataFrame(ROWS), {"titel": "Name"}, "roles of documents are id, title, text, url"),
    ],
)
def test_what_is_no_document_is_an_input_error(items, columns, message):
    with pytest.raises(InputError, match=message):
        list(as_documents(items, columns))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([3], "queries, number 1: .*got int 3"),
        ([("java", "many")], "number 1: the count 'many' is not a number"),
        ([("java", None, 1)], "got tuple"),
        ([{"words": "x"}], "no column of queries; found: words"),
        ("java", r"got one str; pass \[query\]"),
        ([""], "number 1: no query"),
    ],
)
def test_what_is_no_query_is_an_input_error(items, message):
    with pytest.raises(InputError, match=message):
        list(as_queries(items))


def test_a_workspace_takes_the_queries_of_a_file(tmp_path):
    (tmp_path / "q.csv").write_text("query,count\nmower,3\nrake,2\n", encoding="utf-8")
    workspace = Workspace.open(tmp_path / "w")
    assert workspace.repository.add(read_queries(str(tmp_path / "q.csv"), print)).added == 2


def test_a_new_workspace_is_not_created_for_what_cannot_be_read(tmp_path):
    with pytest.raises(InputError):
        Workspace.open(tmp_path / "w").corpus.add([5])
    assert not (tmp_path / "w").exists()


def test_a_workspace_takes_frames_and_changes_nothing_when_one_is_wrong(tmp_path):
    workspace = Workspace.open(tmp_path / "w")
    assert workspace.corpus.add(polars.DataFrame(ROWS), columns=COLUMNS).added == 2
    assert workspace.repository.add(pandas.DataFrame({"query": ["mower"], "count": [3]})).added == 1
    with pytest.raises(InputError, match="number 2"):
        workspace.corpus.add(["a text", 5])
    with pytest.raises(InputError, match="number 2"):
        workspace.repository.add(["rake", 5])
    assert (len(workspace.corpus), len(workspace.repository)) == (2, 1)
