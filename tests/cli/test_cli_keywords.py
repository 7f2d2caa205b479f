"""Keyword extraction and training of extractors from the command line."""

import gzip
import json

import pytest

NASA = {"id": "n", "title": "NASA", "text": "NASA leads space exploration. NASA builds rockets for space."}
PIE = {"id": "p", "title": "Apple pie", "text": "An apple pie is baked in the oven."}
HTML = b"<html><head><title>Apple pie</title></head><body>The <a href='/x'>oven</a> bakes pie.</body></html>"
WORDS = ["rocket", "probe", "moon", "orbit", "planet", "comet", "star", "galaxy", "launch", "engine", "crew"]
GOLD = [
    {
        "text": f"{' '.join(WORDS[n:])} {WORDS[n]} {WORDS[n]} {WORDS[n + 1]}",
        "keywords": [WORDS[n], WORDS[n + 1]],
    }
    for n in range(8)
]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def documents(own):
    return own.write("documents.jsonl", lines([NASA, PIE]))


@pytest.fixture
def gold(own):
    return own.write("gold.jsonl", lines(GOLD))


def models(own):
    return {path.name: path.read_bytes() for path in (own.workspace / "models").glob("*")}


def test_json_has_documents_with_words_and_scores(own, documents):
    found = own("keywords", documents, "-k", "2", "--format", "json")
    assert found.code == 0, found
    nasa, pie = json.loads(found.out)
    assert (nasa["id"], nasa["title"], pie["id"]) == ("n", "NASA", "p")
    assert {keyword["word"] for keyword in nasa["keywords"]} == {"NASA", "space"}
    assert 0 < nasa["keywords"][1]["score"] <= nasa["keywords"][0]["score"] < 1


def test_all_formats_say_the_same(own, documents):
    whole = json.loads(own("keywords", documents, "--format", "json").out)
    assert [json.loads(line) for line in own("keywords", documents, "--format", "jsonl").lines] == whole
    header, *rows = [line.split("\t") for line in own("keywords", documents, "--format", "tsv").lines]
    assert header == ["id", "rank", "word", "score"]
    flat = [(each["id"], keyword["word"]) for each in whole for keyword in each["keywords"]]
    assert [(row[0], row[2]) for row in rows] == flat
    text = own("keywords", documents).out
    assert all(word in text for _, word in flat)


def test_pages_plain_text_and_standard_input_are_read(own):
    page = own.write("page.html", HTML)
    note = own.write("note.txt", "Space rockets\nRockets fly into space with NASA.")
    found = json.loads(own("keywords", page, note, "--format", "json").out)
    assert [each["title"] for each in found] == ["Apple pie", "Space rockets"]
    assert {"pie", "oven"} <= {keyword["word"].lower() for keyword in found[0]["keywords"]}
    piped = own("keywords", "-", "--format", "jsonl", stdin=lines([PIE]).encode())
    assert json.loads(piped.out)["id"] == "p"


def test_phrases_join_adjacent_words(own, documents):
    found = json.loads(own("keywords", documents, "--phrases", "--format", "json").out)
    assert "apple pie" in [keyword["word"].lower() for keyword in found[1]["keywords"]]


def test_an_empty_workspace_serves_and_stays_empty(own, documents, tmp_path):
    found = own("keywords", documents, "--workspace", str(tmp_path / "none"), "--format", "json")
    assert found.code == 0
    assert "the workspace has no documents" in found.err
    assert json.loads(found.out)[0]["keywords"]
    assert not (tmp_path / "none").exists()
    assert own("keywords", documents, "--workspace", str(tmp_path / "none"), "--quiet").err == ""


def test_what_cannot_be_done_is_one_line(own, documents, gold):
    assert "unknown model 'nope'" in own.refuses("keywords", documents, "--model", "nope")
    assert "--format must be one of" in own.refuses("keywords", documents, "--format", "xml")
    assert "absent.jsonl" in own.refuses("keywords", "absent.jsonl")
    assert own("keywords", documents, "-k", "0").code == 2


def test_an_extractor_is_learnt_reported_and_used(own, gold, documents):
    found = own("train", "keywords", gold)
    assert found.code == 0, found
    for piece in (
        "8 documents",
        "log tf",
        "term frequency",
        "precision",
        "recall",
        "F1",
        "top 10",
        "saved as",
    ):
        assert piece in found.out
    assert list(models(own)) == ["keywords.json"]
    assert own("keywords", documents).code == 0
    assert own("similarity", "space", "NASA", "--measure", "web-relevance").code == 0


def test_an_extractor_has_a_name_and_a_report_as_json(own, documents):
    packed = own.write("gold.jsonl.gz", gzip.compress(lines(GOLD).encode()))
    found = json.loads(own("train", "keywords", packed, "--name", "mine", "--format", "json").out)
    assert (found["kind"], found["name"], found["training"]["documents"]) == ("keywords", "mine", 8)
    assert [reached["k"] for reached in found["training"]["report"]] == [5, 10]
    assert own("keywords", documents, "--model", "mine").code == 0
    assert own("train", "keywords", "-", stdin=lines(GOLD).encode()).code == 0


BAD = [
    ([{"text": "a b"}], "no keywords: found 'text'"),
    ([{"keywords": ["a"]}], "no title or text"),
    ([{"text": "a b", "keywords": ["zzyzx"]}] * 3, "at least two documents"),
    ([{"text": "rocket probe", "keywords": ["rocket probe"]}] * 3, "at least two documents"),
    ([], "it is empty"),
]


@pytest.mark.parametrize(("rows", "message"), BAD)
def test_bad_gold_is_one_line_and_changes_nothing(own, gold, rows, message):
    own("train", "keywords", gold)
    before = models(own)
    assert message in own.refuses("train", "keywords", own.write("bad.jsonl", lines(rows)))
    assert models(own) == before


def test_names_that_an_extractor_cannot_have_are_refused(own, gold):
    assert "'tfidf' is a measure" in own.refuses("train", "keywords", gold, "--name", "tfidf")
    assert "a model's name is" in own.refuses("train", "keywords", gold, "--name", "My Words")
    assert "cannot read absent.jsonl" in own.refuses("train", "keywords", "absent.jsonl")
    assert models(own) == {}


def test_a_bad_line_is_skipped_and_said(own):
    found = own("train", "keywords", own.write("some.jsonl", lines(GOLD) + "{broken\n"))
    assert found.code == 0
    assert "skipped some.jsonl, line 9: not JSON" in found.err
