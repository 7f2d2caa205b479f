"""Sources: a file again changes nothing, a new version replaces the old one, exports come back equal."""

import json

import pytest

QUERIES = "Query,Impressions\nnasa,3\napple pie,2\n"


def last_line(found) -> str:
    """What a command reports at its end."""
    return found.err.splitlines()[-1]


def rows(program, *options: str) -> list[list[str]]:
    found = program("repository", "list", "--format", "tsv", *options)
    assert found.code == 0, found
    return [line.split("\t") for line in found.lines]


def documents(program, *options: str) -> list[dict]:
    found = program("corpus", "export", *options)
    assert found.code == 0, found
    return [json.loads(line) for line in found.lines]


def test_a_file_of_queries_added_twice_counts_once(own):
    own.write("Queries.csv", QUERIES)
    own("repository", "add", "Queries.csv", "--source", "console")
    again = own("repository", "add", "Queries.csv", "--source", "console")
    assert last_line(again) == "nothing changed: 2 queries there already; the repository now has 2"
    assert rows(own) == [
        ["query", "count", "source"],
        ["nasa", "3", "console"],
        ["apple pie", "2", "console"],
    ]


def test_a_new_version_of_a_file_of_queries_leaves_no_ghosts(own):
    own("repository", "add", own.write("Queries.csv", QUERIES))
    own("repository", "add", own.write("other.txt", "nasa\n"))
    own.write("Queries.csv", "Query,Impressions\nnasa,5\nesa,1\n")
    planned = own("repository", "add", "Queries.csv", "--replace", "--dry-run")
    assert last_line(planned) == "dry run: would add 1 query, change 1 count, remove 1; nothing was written"
    assert len(rows(own)) == 3
    replaced = own("repository", "add", "Queries.csv", "--replace")
    assert last_line(replaced) == "added 1 query, changed 1 count, removed 1; the repository now has 2"
    assert rows(own)[1:] == [["nasa", "6", "Queries.csv, other.txt"], ["esa", "1", "Queries.csv"]]
    removed = own("repository", "remove", "--source", "Queries.csv")
    assert last_line(removed) == "removed 1 query, changed 1 count; the repository now has 1"
    assert rows(own)[1:] == [["nasa", "1", "other.txt"]]


def test_lists_of_queries_can_be_shortened_and_filtered(own):
    own("repository", "add", own.write("a.txt", "nasa\t3\nesa\n"), own.write("b.txt", "esa\t9\n"))
    assert rows(own, "-k", "1") == [["query", "count", "source"], ["esa", "10", "a.txt, b.txt"]]
    assert rows(own, "--source", "a.txt")[1:] == [["nasa", "3", "a.txt"], ["esa", "1", "a.txt"]]
    assert own("repository", "list", "-k", "1").out == "esa  10  a.txt, b.txt\n"
    found = json.loads(own("repository", "list", "--format", "json").out)
    assert found[0] == {"query": "esa", "count": 10, "source": "a.txt, b.txt"}
    assert "did you mean 'a.txt'" in own.refuses("repository", "list", "--source", "a.tx")


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_exported_queries_come_back_equal(own, form):
    own("repository", "add", own.write("a.txt", 'nasa\t3\n"apple, pie"\nesa\n'))
    own("repository", "add", own.write("b.txt", "esa\t9\n"), "--source", "the shop")
    exported = own("repository", "export", "--format", form).out
    own.write(f"export.{form}", exported)
    for given, stdin in ((f"export.{form}", b""), ("-", exported.encode())):
        added = own("repository", "add", given, "--workspace", "copy", stdin=stdin)
        assert added.code == 0, added.err
        assert own("repository", "export", "--workspace", "copy", "--format", form).out == exported
    assert rows(own, "--workspace", "copy") == rows(own)
    own("repository", "add", f"export.{form}", "--source", "all", "--workspace", "other")
    assert rows(own, "--workspace", "other")[1] == ["esa", "10", "all"]


def test_a_damaged_export_of_queries_is_refused(own):
    own.write("export.csv", "query,count,source\nnasa,many,console\n")
    assert "export.csv, row 2: an exported query has" in own.refuses("repository", "add", "export.csv")


def test_mining_again_replaces_what_was_mined(own):
    own("repository", "mine")
    before = rows(own)
    assert own("repository", "mine").err.startswith("mined 4 documents: nothing changed")
    own("corpus", "remove", "2")
    assert "removed 1" in own("repository", "mine").err
    assert rows(own) == [row for row in before if row[0] != "apple pie"]


def test_a_file_of_documents_added_twice_is_recognized_and_replaced(own):
    own.write("shop.jsonl", '{"id": "a", "title": "Hose"}\n{"id": "b", "title": "Rake"}\n')
    own("corpus", "add", "shop.jsonl")
    facts = own.facts()
    again = own("corpus", "add", "shop.jsonl")
    assert last_line(again) == "nothing changed: 2 documents there already; the corpus now has 6"
    assert own.facts() == facts
    own.write("shop.jsonl", '{"id": "a", "title": "Hose"}\n{"id": "c", "title": "Spade"}\n')
    planned = own("corpus", "add", "shop.jsonl", "--replace", "--dry-run")
    assert last_line(planned) == "dry run: would add 1 document, remove 1, 1 unchanged; nothing was written"
    assert own.facts() == facts
    replaced = own("corpus", "add", "shop.jsonl", "--replace")
    assert last_line(replaced) == "added 1 document, removed 1, 1 unchanged; the corpus now has 6"
    listed = own("corpus", "list", "--source", "shop.jsonl", "--format", "tsv").lines
    assert listed == ["id\ttitle\turl\tsource", "a\tHose\t\tshop.jsonl", "c\tSpade\t\tshop.jsonl"]
    removed = own("corpus", "remove", "--source", "shop.jsonl")
    assert last_line(removed) == "removed 2 documents; the corpus now has 4"


def test_a_dry_run_reports_what_would_be_skipped_and_creates_no_workspace(own):
    own.write("half.jsonl", '{"id": "a", "title": "Hose"}\n{"id": "b", "ti')
    found = own("corpus", "add", "half.jsonl", "--dry-run", "--workspace", "new")
    assert found.err.splitlines()[0].startswith("skipped half.jsonl, line 2: not JSON")
    assert "would add 1 document, 1 bad record skipped; nothing was written" in found.err
    own("repository", "add", own.write("a.txt", "nasa\n"), "--dry-run", "--workspace", "new")
    assert not (own.folder / "new").exists()


def test_exported_documents_come_back_equal(own):
    record = {
        "id": "a",
        "title": " <b>Hose</b>",
        "body": "x < y",
        "name": "other",
        "source": "mine",
        "n": [1],
    }
    own.write("shop.jsonl", json.dumps(record) + "\n")
    own("corpus", "add", "shop.jsonl", "--source", "the shop")
    exported = own("corpus", "export").out
    own.write("export.jsonl", exported)
    for given, stdin in (("export.jsonl", b""), ("-", exported.encode())):
        assert own("corpus", "add", given, "--workspace", "copy", stdin=stdin).code == 0
        assert own("corpus", "export", "--workspace", "copy").out == exported
    assert documents(own, "--source", "the shop")[0]["fields"] == {
        "name": "other",
        "source": "mine",
        "n": [1],
    }
    assert "nothing changed" in own("corpus", "add", "export.jsonl").err


def test_a_document_is_shown_as_it_is_stored(own):
    own(
        "corpus", "add", own.write("d.jsonl", '{"id": "a/1", "title": "Hose", "text": "Long.", "price": 9}\n')
    )
    assert own("corpus", "show", "a/1").lines == [
        "id         a/1",
        "title      Hose",
        "url        ",
        "source     d.jsonl",
        "field      price = 9",
        "",
        "Long.",
    ]
    shown = json.loads(own("corpus", "show", "a/1", "--format", "json").out)
    assert shown == documents(own, "--source", "d.jsonl")[0]
    assert "no document 'zzz'" in own.refuses("corpus", "show", "zzz")


def test_documents_are_listed_in_every_format(own):
    lines = own("corpus", "list", "-k", "2").lines
    assert [line.split()[:2] for line in lines] == [["1", "NASA"], ["2", "Apple"]]
    whole = json.loads(own("corpus", "list", "--format", "json").out)
    assert [each["id"] for each in whole] == ["1", "2", "3", "4"]
    assert [json.loads(line) for line in own("corpus", "list", "--format", "jsonl").lines] == whole
    assert "--format must be one of" in own.refuses("corpus", "list", "--format", "xml")
    assert own("corpus", "list", "--workspace", "new").lines == []


@pytest.mark.parametrize("command", ["corpus", "repository"])
def test_removal_needs_names_or_a_source_and_not_both(own, command):
    assert "--source NAME" in own.refuses(command, "remove")
    assert "--source NAME" in own.refuses(command, "remove", "1", "--source", "x")
    assert "source" in own.refuses(command, "remove", "--source", "x")
    assert "a source needs a name" in own.refuses(
        command, "add", own.write("a.txt", "nasa\n"), "--source", " "
    )
