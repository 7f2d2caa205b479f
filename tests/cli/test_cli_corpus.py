"""Documents in and out: good files, bad files, and a corpus that stays as it was."""

import gzip
import json
import os

import pytest

GOOD = '{"id": "9", "title": "Moon", "text": "The Moon circles the Earth."}\n'
UTF8 = ("äöüßéàè" * 3).encode()

# name -> (content, what the error says)
BAD_FILES = {
    "empty.jsonl": (b"", "no documents in empty.jsonl"),
    "empty.txt": (b"", "no documents in empty.txt"),
    "empty.csv": (b"", "is empty: no column and no document"),
    "binary.jsonl": (bytes(range(256)) * 8, "no documents in binary.jsonl: line 1: not"),
    "binary.txt": (bytes(range(256)) * 8, "is this a binary file?"),
    "binary.csv": (bytes(range(256)) * 8, "binary.csv, line 1"),
    "nul.jsonl": (b'{"id": "9", "text": "a\0b"}\n', "line 1: not JSON"),
    "nul.txt": (b"a\0b", "a NUL character"),
    "damaged.jsonl": (b'{"id": "9", "text": "%scaf\xe9"}\n' % UTF8, "line 1: not UTF-8"),
    "damaged.csv": (b"id,text\n9,%scaf\xe9\n" % UTF8, "line 2: not UTF-8"),
    "cut.jsonl.gz": (gzip.compress(GOOD.encode() * 99)[:60], "cut or damaged"),
    "fake.jsonl.gz": (GOOD.encode(), "ends in .gz but holds other data"),
    "half.jsonl": (GOOD[:30].encode(), "line 1: not JSON"),
    "texts.pdf": (b"%PDF-1.4", "texts.pdf is a PDF document; known are"),
    "foreign.csv": (b"year,price\n2000,3\n", "no column for a title or a text"),
    "void.jsonl": (b'{"id": "9", "title": "", "text": " "}\n', "nothing in 'title' or 'text'"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_in_one_line(name, querykin):
    content, message = BAD_FILES[name]
    querykin.write("good.jsonl", GOOD)
    querykin.write(name, content)
    error = querykin.refuses("corpus", "add", "good.jsonl", name)
    assert message in error
    assert name in error


def test_nothing_that_failed_has_changed_the_corpus(own):
    before = own.facts()
    for name, (content, _) in list(BAD_FILES.items())[::4]:
        own.write(name, content)
        own.refuses("corpus", "add", own.write("good.jsonl", GOOD), name)
    assert "No such file" in own.refuses("corpus", "add", "good.jsonl", "missing.jsonl")
    assert "(unknown: 1 of 2 ids)" in own.refuses("corpus", "remove", "1", "missing")
    assert own.facts() == before
    assert own("check").code == 0
    manifest = json.loads((own.workspace / "corpus" / "manifest.json").read_text())
    assert {part.name for part in (own.workspace / "corpus" / "parts").iterdir()} == set(manifest["parts"])


def test_sources_that_are_not_there_are_refused(querykin):
    assert "cannot read missing.jsonl" in querykin.refuses("corpus", "add", "missing.jsonl")
    (querykin.folder / "void").mkdir()
    assert "no files to read in the folder void" in querykin.refuses("corpus", "add", "void")
    assert "named twice" in querykin.refuses("corpus", "add", "-", "-")
    assert "no documents in standard input" in querykin.refuses("corpus", "add", "-")


def test_half_a_last_line_is_skipped_and_said(own):
    own.write("half.jsonl", GOOD + '{"id": "10", "tit')
    found = own("corpus", "add", "half.jsonl")
    assert (found.code, found.out) == (0, "")
    skipped, columns, done = found.err.splitlines()
    assert columns == "half.jsonl (JSON lines, UTF-8): id = id, title = title, text = text"
    assert skipped.startswith("skipped half.jsonl, line 2: not JSON")
    assert done == "added 1 document, 1 bad record skipped; the corpus now has 5"


def test_documents_come_and_go(own):
    own.write("more.jsonl", GOOD)
    found = own("corpus", "add", "more.jsonl")
    assert (found.out, found.err.splitlines()[-1]) == ("", "added 1 document; the corpus now has 5")
    again = own("corpus", "add", "-", stdin=GOOD.encode())
    assert again.err.splitlines()[-1] == "added 0 documents, replaced 1; the corpus now has 5"
    assert own("corpus", "remove", "9", "--quiet") == own("corpus", "add", "more.jsonl", "--quiet")
    removed = own("corpus", "remove", "9")
    assert (removed.out, removed.err) == ("", "removed 1 document; the corpus now has 4\n")
    assert "no document '9'" in own.refuses("corpus", "remove", "9")


def test_the_columns_of_a_table_can_be_named(own):
    own.write("d.csv", "SKU;Name;Body;Tags;Preis\n7;Mäher;<p>Leise</p>;garten;9,5\n".encode("cp1252"))
    found = own("corpus", "add", "d.csv", "--columns", "title=Name,text=Body+Tags,id=SKU")
    assert found.err.splitlines()[0] == (
        "d.csv (CSV, CP1252): id = SKU, title = Name, text = Body + Tags; not read: Preis (stored only)"
    )
    error = own.refuses("corpus", "add", "d.csv", "--columns", "title=Nam")
    assert "no column 'Nam' (did you mean 'Name'?); found: SKU, Name, Body, Tags, Preis" in error
    assert "--columns takes id=NAME" in own.refuses("corpus", "add", "d.csv", "--columns", "name=x")


def test_strange_documents_are_taken_in(own):
    strange = {
        "emoji": "😀👍🏽",
        "nul": "a\0b",
        "surrogate": "half a \ud800 pair",
        "rtl": "שלום עולם",
        "endless": "word " * 2_000_000,  # 10 MB in one line
        "long": "x" * 100_000,
    }
    own.write("strange.jsonl", "".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in strange.items()))
    found = own("corpus", "add", "strange.jsonl")
    assert (found.code, found.out) == (0, "")
    assert found.err.splitlines()[-1] == "added 6 documents; the corpus now has 10"
    shown = own("similarity", "עולם", "שלום", "--measure", "web-kernel", "--explain", "--format", "json")
    assert json.loads(shown.out)["passages"][0]["document"] == "rtl"


def test_info_is_for_people_or_for_programs(querykin):
    facts = json.loads(querykin.facts())
    assert facts["documents"] == 4
    text = querykin("corpus", "info")
    assert (text.code, text.messages) == (0, [])
    assert [line.split() for line in text.lines[:2]] == [["language", "English"], ["documents", "4"]]
    assert "--format must be one of text, json, got 'xml'" in querykin.refuses(
        "corpus", "info", "--format", "xml"
    )


def test_a_new_workspace_is_empty(querykin):
    found = querykin("corpus", "info", "--format", "json", "--workspace", "new")
    assert (found.code, json.loads(found.out)["documents"]) == (0, 0)
    assert "no workspace in new" in querykin.refuses("check", "--workspace", "new")
    assert "querykin corpus add" in querykin.refuses(
        "similarity", "a", "b", "--measure", "web-kernel", "--workspace", "new"
    )
    assert not (querykin.folder / "new").exists()


@pytest.mark.parametrize(
    "command", [["corpus", "add", "good.jsonl"], ["corpus", "info"], ["check"]], ids=" ".join
)
def test_a_workspace_must_be_a_folder(command, querykin):
    querykin.write("good.jsonl", GOOD)
    assert "good.jsonl is a file" in querykin.refuses(*command, "--workspace", "good.jsonl")
    assert "good.jsonl/below" in querykin.refuses(*command, "--workspace", "good.jsonl/below")


def test_a_workspace_that_cannot_be_written_is_refused(own):
    own.write("good.jsonl", GOOD)
    before = own.facts()
    (own.workspace / "corpus" / "lock").unlink()
    (own.workspace / "corpus" / "lock").mkdir()
    assert "cannot write to" in own.refuses("corpus", "add", "good.jsonl")
    assert "cannot write to" in own.refuses("corpus", "remove", "1")
    assert own.facts() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_workspace_is_refused(own):
    own.write("good.jsonl", GOOD)
    (own.workspace / "corpus").chmod(0o500)
    assert "Permission denied" in own.refuses("corpus", "add", "good.jsonl")
    assert "Permission denied" in own.refuses("corpus", "remove", "1")
