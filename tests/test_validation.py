"""Wrong arguments of the library get the error of wrong files: what, got, allowed."""

from pathlib import Path

import numpy as np
import pytest

from querykin import InputError, Workspace
from stocked import stock
from topics import DOCUMENTS

TEXT, TEXTS, COUNT = "must be a text, got", "must be a list of texts, got", "must be a whole number from 1"


@pytest.fixture(scope="module")
def stocked(build) -> Workspace:
    return stock(build(DOCUMENTS), [("nasa", 3), ("space travel", 1)], "web-kernel")


CALLS = [
    (lambda w: w.suggest(None), f"query {TEXT} None"),
    (lambda w: w.suggest(b"nasa"), f"query {TEXT} b'nasa'"),
    (lambda w: w.suggest(["nasa"]), f"query {TEXT} ['nasa']"),
    (lambda w: w.suggest(5), f"query {TEXT} 5"),
    (lambda w: w.suggest("nasa", "5"), f"k {COUNT}, like 5, got '5'"),
    (lambda w: w.suggest("nasa", True), f"k {COUNT}, like 5, got True"),
    (lambda w: w.suggest("nasa", 2.0), f"k {COUNT}, like 5, got 2.0"),
    (lambda w: w.suggest("nasa", None), f"k {COUNT}, like 5, got None"),
    (lambda w: w.suggest("nasa", 0), f"k {COUNT}, like 5, got 0"),
    (lambda w: w.suggest("nasa", measure=None), f"measure {TEXT} None"),
    (lambda w: w.suggest("nasa", filter=["none"]), f"filter {TEXT} ['none']"),
    (lambda w: w.suggest("nasa", threshold="x"), "threshold must be a number, like 0.5, got 'x'"),
    (lambda w: w.suggest("nasa", threshold=float("nan")), "threshold must be a number, like 0.5, got nan"),
    (lambda w: w.suggest("nasa", min_count="2"), "min_count must be a whole number from 0, like 2, got '2'"),
    (lambda w: w.suggest("nasa", min_count=-1), "min_count must be a whole number from 0, like 2, got -1"),
    (lambda w: w.suggest("nasa", min_probability=2), "min_probability must be a number from 0 to 1"),
    (lambda w: w.suggest("nasa", block="nasa"), f"block {TEXTS} 'nasa'"),
    (lambda w: w.suggest("nasa", block=["nasa", None]), f"block[1] {TEXT} None"),
    (lambda w: w.suggest("nasa", explain="yes"), "explain must be True or False, got 'yes'"),
    (lambda w: w.suggester(measure=5), f"measure {TEXT} 5"),
    (lambda w: w.suggester("web-kernel").suggest("nasa", 5), f"queries {TEXTS} 'nasa'"),
    (lambda w: w.suggester("web-kernel").suggest(["nasa"], "5"), f"k {COUNT}"),
    (lambda w: w.suggester("web-kernel").all_pairs(0), f"k {COUNT}"),
    (lambda w: w.match("nasa"), f"queries {TEXTS} 'nasa'"),
    (lambda w: w.match(None), f"queries {TEXTS} None"),
    (lambda w: w.match({"nasa": 1}), f"queries {TEXTS} {{'nasa': 1}}"),
    (lambda w: w.match(["nasa", 7]), f"queries[1] {TEXT} 7"),
    (lambda w: w.match(["nasa"], True), f"k {COUNT}"),
    (lambda w: w.search(None), f"query {TEXT} None"),
    (lambda w: w.search(["nasa"]), f"query {TEXT} ['nasa']"),
    (lambda w: w.search("nasa", "5"), f"k {COUNT}"),
    (lambda w: w.search("nasa", 201), "k must be at most 200"),
    (lambda w: w.spelling.correct(None), f"query {TEXT} None"),
    (lambda w: w.similarity("nasa", None), f"b {TEXT} None"),
    (lambda w: w.similarity(b"nasa", "esa"), f"a {TEXT} b'nasa'"),
    (lambda w: w.similarity("nasa", "esa", 3), f"measure {TEXT} 3"),
    (lambda w: w.explain(["nasa"], "esa"), f"a {TEXT} ['nasa']"),
    (lambda w: w.score("nasa"), "pairs must be a list of pairs of texts, got 'nasa'"),
    (lambda w: w.score(["ab"]), "pairs[0] must be a pair of texts, got 'ab'"),
    (lambda w: w.score([("a", "b"), ("a", 5)]), "pairs[1] must be a pair of texts, got 5"),
    (lambda w: w.score([("a", "b")], "edit"), f"measures {TEXTS} 'edit'"),
    (lambda w: Workspace.open(None), "path must be the path of a folder, got None"),
    (lambda w: Workspace.open(b"x"), "path must be the path of a folder, got b'x'"),
    (lambda w: w.suggest(b"x" * 10**7), "…"),
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_a_wrong_argument_is_named_with_what_is_allowed(stocked, call, message):
    with pytest.raises(InputError) as refused:
        call(stocked)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 200


def test_arguments_of_other_libraries_are_accepted(stocked):
    expected = stocked.suggest("nasa", 1, "web-kernel", threshold=0.0)
    assert stocked.suggest(np.str_("nasa"), np.int64(1), "web-kernel", threshold=np.float32(0)) == expected
    assert stocked.suggest("nasa", 1, "web-kernel", threshold=0) == expected
    queries = ["nasa", "space travel"]
    for given in (
        tuple(queries),
        np.array(queries),
        (query for query in queries),
        dict.fromkeys(queries).keys(),
    ):
        assert stocked.match(given, 1, "web-kernel") == stocked.match(queries, 1, "web-kernel")
    scores = stocked.score((pair for pair in [["nasa", "esa"]]), ("edit",))
    assert scores["edit"].tolist() == [stocked.similarity("nasa", "esa", "edit")]
    assert Workspace.open(str(stocked.path)).path == Workspace.open(Path(stocked.path)).path


def test_an_unknown_keyword_is_a_type_error(stocked):
    with pytest.raises(TypeError, match="limit"):
        stocked.suggest("nasa", limit=5)
