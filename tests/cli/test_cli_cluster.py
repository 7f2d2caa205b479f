"""`querykin cluster` as users run it."""

import json

WORDS = b"apple tart\t3\ntart apple\napple tarts\nnasa rocket\nrockets of nasa\n"
BY_STEMS = ("--measure", "jaccard-stems", "--threshold", "0.5")


def test_formats_say_the_same(own):
    path = own.write("words.txt", WORDS)
    entries = json.loads(own("cluster", path, *BY_STEMS, "--format", "json").out)
    assert [(each["head"], each["count"]) for each in entries] == [("apple tart", 5), ("nasa rocket", 2)]
    assert [member["query"] for member in entries[0]["members"]] == ["apple tarts", "tart apple"]
    lines = own("cluster", path, *BY_STEMS, "--format", "jsonl").lines
    assert [json.loads(line) for line in lines] == entries
    head, *rows = own("cluster", path, *BY_STEMS, "--format", "tsv").lines
    assert head.split("\t") == ["head", "query", "score", "count"]
    assert [row.split("\t") for row in rows] == [
        ["apple tart", "apple tart", "", "3"],
        ["apple tart", "apple tarts", "1", "1"],
        ["apple tart", "tart apple", "1", "1"],
        ["nasa rocket", "nasa rocket", "", "1"],
        ["nasa rocket", "rockets of nasa", "0.666666667", "1"],
    ]
    found = own("cluster", path, *BY_STEMS)
    assert found.lines[0] == "apple tart  3 keywords  5x"
    assert found.lines[1] == "  1.000  apple tarts"
    assert found.messages[-1] == "2 clusters with 5 keywords, 0 alone, by jaccard-stems at 0.5 or more"


def test_the_past_queries_are_clustered_without_a_file(own):
    own("repository", "add", own.write("words.txt", WORDS))
    entries = json.loads(own("cluster", *BY_STEMS, "--format", "json").out)
    assert [each["head"] for each in entries] == ["apple tart", "nasa rocket"]


def test_standard_input_and_columns(own):
    found = own(
        "cluster", "-", "--columns", "query=Begriff,count=Volumen", *BY_STEMS, "--format", "tsv",
        stdin=b"Begriff;Volumen\nrote schuhe;40\nschuhe rote;2\n",
    )  # fmt: skip
    assert [row.split("\t")[1::2] for row in found.lines[1:]] == [["rote schuhe", "40"], ["schuhe rote", "2"]]


def test_wrong_input_is_refused(own):
    assert "no keywords in empty.txt" in own.refuses("cluster", own.write("empty.txt", b"\n\n"), *BY_STEMS)
    assert "none.txt" in own.refuses("cluster", "none.txt")
    assert "unknown measure" in own.refuses("cluster", own.write("a.txt", b"a\n"), "--measure", "jacard")
    assert "--format must be one of" in own.refuses("cluster", "--format", "xml")
    assert "is empty; next: querykin repository add" in own.refuses(
        "cluster", "--workspace", "none", *BY_STEMS
    )
