"""Misspelt queries and small corpora as users meet them."""

import json
import shutil
from dataclasses import replace

import pytest

from querykin import Workspace

USED = "no evidence for 'exploraton', using 'exploration'; --exact searches as typed"
SMALL = "warning: the corpus has only 4 documents"


@pytest.fixture(scope="module")
def built(stocked, tmp_path_factory):
    """A workspace of four documents and three past queries; tests only read it."""
    path = tmp_path_factory.mktemp("built") / "workspace"
    shutil.copytree(stocked / "workspace", path)
    workspace = Workspace.open(path)
    workspace.repository.add([("nasa rockets", 1), ("space probes", 1), ("apple pie", 1)])
    workspace.build()
    return path


@pytest.fixture
def asked(querykin, built):
    return replace(querykin, workspace=built)


def test_suggest_corrects_and_says_so(asked):
    found = asked("suggest", "spce exploraton", "--format", "json")
    (entry,) = json.loads(found.out)
    assert (entry["query"], entry["corrected"]) == ("spce exploraton", "space exploration")
    assert entry["covered"]
    assert entry["suggestions"]
    assert "no evidence for 'spce', using 'space'; no evidence for 'exploraton'" in found.err


def test_exact_searches_as_typed(asked):
    for command in ("suggest", "search"):
        found = asked(command, "exploraton", "--exact", "--format", "json")
        assert "not covered by the corpus: 'exploraton'" in found.err
        assert "no evidence" not in found.err
    (entry,) = json.loads(asked("suggest", "exploraton", "--exact", "--format", "json").out)
    assert (entry["corrected"], entry["covered"], entry["suggestions"]) == (None, False, [])


def test_search_corrects_and_stays_a_list(asked):
    found = asked("search", "exploraton", "--format", "json")
    assert json.loads(found.out) == json.loads(asked("search", "exploration", "--format", "json").out)
    assert USED in found.err
    assert USED not in asked("search", "exploraton", "--quiet").err


def test_match_similarity_and_score_do_not_correct(asked):
    asked.write("typed.txt", "exploraton\n")
    (entry,) = json.loads(asked("match", "typed.txt", "--format", "json").out)
    assert (entry["covered"], entry["corrected"]) == (False, None)
    scores = json.loads(
        asked("similarity", "exploraton", "NASA", "--measure", "web-kernel", "--format", "json").out
    )
    assert scores["scores"]["web-kernel"] is None


@pytest.mark.parametrize(
    ("arguments", "warned"),
    [
        (("suggest", "space"), 1),
        (("suggest", "space", "rockets"), 1),
        (("build",), 1),
        (("corpus", "info"), 1),
        (("corpus", "info", "--format", "json"), 1),
        (("similarity", "space", "NASA"), 1),
        (("similarity", "space", "NASA", "--measure", "jaccard"), 0),
        (("suggest", "space", "--quiet"), 0),
    ],
)
def test_a_small_corpus_is_reported_once(asked, arguments, warned):
    found = asked(*arguments)
    assert found.code == 0
    assert found.err.count(SMALL) == warned
    assert SMALL not in found.out
