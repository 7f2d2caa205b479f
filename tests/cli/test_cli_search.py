"""`querykin search` as users run it."""

import json


def test_search_prints_documents_with_passages(querykin):
    found = querykin("search", "baked apples", "--format", "json")
    (entry,) = json.loads(found.out)
    assert (found.code, found.err) == (0, "")
    assert (entry["id"], entry["title"], entry["url"]) == ("2", "Apple pie", "")
    assert entry["passages"] == ["An apple pie is baked in the oven with apples and sugar."]


def test_jsonl_and_tsv_have_a_line_for_each_document(querykin):
    entries = json.loads(querykin("search", "space rockets", "--format", "json").out)
    assert len(entries) == 2
    assert [json.loads(line) for line in querykin("search", "space rockets", "--format", "jsonl").lines] == (
        entries
    )
    head, *rows = querykin("search", "space rockets", "--format", "tsv").lines
    assert head.split("\t") == ["rank", "id", "title", "url", "score", "passage"]
    assert [row.split("\t")[:3] for row in rows] == [
        [str(rank), entry["id"], entry["title"]] for rank, entry in enumerate(entries, start=1)
    ]


def test_text_shows_title_and_passage(querykin):
    found = querykin("search", "baked apples")
    assert found.lines[0] == "baked apples"
    assert found.lines[1].split() == ["1", "Apple", "pie"]
    assert "An apple pie is baked in the oven" in found.out


def test_the_words_of_the_query_are_marked_on_a_terminal(querykin):
    shown = querykin.program("search", "baking apples", NO_COLOR="", FORCE_COLOR="1").out
    assert "\x1b[1;4mapple\x1b[0m" in shown
    assert "\x1b[1;4mbaked\x1b[0m" in shown


def test_k_limits_the_documents(querykin):
    assert len(json.loads(querykin("search", "space rockets", "-k", "1", "--format", "json").out)) == 1
    assert querykin("search", "space", "-k", "0").code == 2
    assert querykin("search", "space", "-k", "201").code == 2


def test_a_query_that_is_not_covered_says_so(querykin):
    found = querykin("search", "zzyzx", "--format", "json")
    assert (found.code, found.out, found.err) == (0, "[]\n", "not covered by the corpus: 'zzyzx'\n")
    assert querykin("search", "zzyzx").lines == ["zzyzx", "  not covered"]
    assert querykin("search", "zzyzx", "--quiet", "--format", "tsv").err == ""


def test_an_empty_corpus_and_a_wrong_format_are_refused(querykin, tmp_path):
    message = querykin.refuses("search", "space", "--workspace", str(tmp_path / "none"))
    assert message.endswith("is empty; next: querykin corpus add FILE")
    assert "--format must be one of text, json, jsonl, tsv" in querykin.refuses(
        "search", "space", "--format", "xml"
    )
