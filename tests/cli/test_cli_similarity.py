"""Scores of one pair and of files of pairs: the same rows out, whatever came in."""

import csv
import gzip
import io
import json
import math

import pytest

MEASURES = "web-kernel,cosine"

BAD_PAIRS = {
    "empty.tsv": (b"", "no column 'query', 'candidate'"),
    "binary.tsv": (bytes(range(256)) * 8, "is this a binary file?"),
    "cut.tsv.gz": (gzip.compress(b"query\tcandidate\n" + b"a\tb\n" * 99)[:40], "cut or damaged"),
    "half.jsonl": (b'{"query": "a", "candidate": "b"}\n{"query": "c", "ca', "line 2: not JSON"),
    "deep.jsonl": (b'{"query": "a", "candidate": "b"}\n' + b"[" * 100_000, "line 2: not JSON"),
    "list.jsonl": (b'{"query": "a", "candidate": "b"}\n[1]\n', "line 2: expected an object"),
    "wide.tsv": (b"query\tcandidate\na\tb\tc\n", "row 2: 3 values under 2 columns"),
    "twice.tsv": (b"query\tquery\tcandidate\na\tb\tc\n", "two columns 'query'"),
    "taken.tsv": (b"query\tcandidate\tcosine\na\tb\tmine\n", "a column 'cosine' already"),
}


@pytest.mark.parametrize("name", BAD_PAIRS)
def test_bad_pairs_are_refused_in_one_line(name, querykin):
    content, message = BAD_PAIRS[name]
    found = querykin("score", querykin.write(name, content), "--measures", "cosine")
    assert (found.code, found.err.count("\n")) == (1, 1)
    assert found.err.startswith("querykin: ")
    assert message in found.err
    assert len(found.lines) <= 1  # at most the header


def test_wrong_options_are_refused_with_what_is_allowed(querykin):
    pairs = querykin.write("pairs.tsv", "query\tcandidate\na\tb\n")
    refusals = {
        ("missing.tsv", "--measures", "cosine"): "cannot read missing.tsv: No such file",
        (".", "--measures", "cosine"): ". is a folder",
        (pairs, "--measures", "web-kernle"): "did you mean 'web-kernel'? Known: backoff, co-click",
        (pairs, "--measures", " , "): "--measures needs at least one name",
        (pairs, "--measures", "cosine", "--format", "xml"): "--format must be one of tsv, csv, jsonl",
        (
            pairs,
            "--measures",
            "cosine",
            "--columns",
            "question=q",
        ): "--columns takes query=NAME, candidate=NAME",
        (
            pairs,
            "--measures",
            "cosine",
            "--columns",
            "query=q",
        ): "no column 'q'; needed: q, candidate; found: query",
    }
    for arguments, message in refusals.items():
        assert message in querykin.refuses("score", *arguments)


ROWS = [
    ['"NASA" rockets', "NASA", ' "quoted" '],
    ["", "", ""],
    ["😀", "שלום", "a\\tb"],
    ["space exploration", "NASA", "1,5"],
]


def _tsv(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


def _csv(rows):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _jsonl(rows):
    return "".join(json.dumps(dict(zip(rows[0], row, strict=True))) + "\n" for row in rows[1:])


def _read(form, text):
    if form == "jsonl":
        rows = [json.loads(line) for line in text.splitlines()]
        return [list(rows[0]), *(list(row.values()) for row in rows)]
    return (
        list(csv.reader(io.StringIO(text)))
        if form == "csv"
        else [line.split("\t") for line in text.splitlines()]
    )


@pytest.mark.parametrize(("form", "write"), [("tsv", _tsv), ("csv", _csv), ("jsonl", _jsonl)])
def test_rows_come_back_as_they_were_with_scores_behind(form, write, querykin):
    content = write([["query", "candidate", "note"], *ROWS])
    plain = querykin("score", querykin.write(f"pairs.{form}", content), "--measures", MEASURES)
    assert (plain.code, plain.err) == (0, "scored 4 pairs\n")
    found = _read(form, plain.out)
    assert found[0] == ["query", "candidate", "note", "web-kernel", "cosine"]
    assert [row[:3] for row in found[1:]] == ROWS
    assert [row[3] in ("nan", None) for row in found[1:]] == [False, True, True, False]
    querykin.write(f"pairs.{form}.gz", gzip.compress(content.encode()))
    quiet = ["--measures", MEASURES, "--quiet"]
    packed = querykin("score", f"pairs.{form}.gz", *quiet)
    piped = querykin("score", "-", *quiet, stdin=content.encode())
    assert packed == piped
    assert (packed.out, packed.err) == (plain.out, "")


def test_forms_can_be_exchanged_and_columns_renamed(querykin):
    lines = querykin.write(
        "pairs.jsonl",
        '{"anchor": "NASA", "target": "NASA", "weight": 0.12345678901234, "tags": ["a", null]}\n'
        '{"anchor": "zzyzxq", "target": null, "late": true}\n',
    )
    options = ["--measures", MEASURES, "--columns", "query=anchor,candidate=target", "--quiet"]
    same = [json.loads(line) for line in querykin("score", lines, *options).lines]
    assert same[0]["weight"] == 0.12345678901234
    assert math.isclose(same[0]["web-kernel"], 1)
    assert (same[1]["web-kernel"], same[1]["cosine"], same[1]["late"]) == (None, 0.0, True)
    table = querykin("score", lines, *options, "--format", "tsv")
    assert table.lines == [
        "anchor\ttarget\tweight\ttags\tweb-kernel\tcosine",
        'NASA\tNASA\t0.12345678901234\t["a", null]\t1\t1',
        "zzyzxq\t\t\t\tnan\t0",
    ]
    rows = querykin(
        "score",
        "-",
        *options,
        "--format",
        "csv",
        stdin=table.out.replace("web-kernel\tcosine", "x\ty").encode(),
    )
    assert rows.lines[1] == 'NASA,NASA,0.12345678901234,"[""a"", null]",1,1,1,1'


def test_strange_pairs_are_scored_and_kept(querykin):
    endless = "word " * 2_000_000  # 10 MB in one line
    querykin.write("pairs.csv", _csv([["query", "candidate"], [endless, "NASA"], ["a\0b", "x" * 99]]))
    found = querykin("score", "pairs.csv", "--measures", "cosine")
    assert (found.code, found.err) == (0, "scored 2 pairs\n")
    assert found.lines[1] == f"{endless},NASA,0"
    lone = querykin("score", "-", "--measures", "cosine", stdin=b'{"query": "\\ud800 a", "candidate": "a"}\n')
    assert json.loads(lone.out) == {"query": "\ud800 a", "candidate": "a", "cosine": 1.0}


def test_no_pairs_give_a_header(querykin):
    name = querykin.write("pairs.tsv", "\ufeffquery\tcandidate\r\n")
    found = querykin("score", name, "--measures", "cosine,cosine")
    assert (found.code, found.out, found.err) == (0, "query\tcandidate\tcosine\n", "scored 0 pairs\n")


def test_similarity_in_every_form(querykin):
    pair = ["similarity", "space", "NASA", "--measure", "web-kernel", "--measure", "cosine"]
    text = querykin(*pair)
    assert (text.code, text.messages) == (0, [])
    assert [line.split()[0] for line in text.lines] == ["space", "web-kernel", "cosine"]
    shown = json.loads(querykin(*pair, "--format", "json").out)
    assert (shown["a"], shown["b"], list(shown["scores"])) == ("space", "NASA", ["web-kernel", "cosine"])
    header, first, _ = querykin(*pair, "--format", "tsv").lines
    assert header == "measure\tscore\tpercentile"
    assert math.isclose(float(first.split("\t")[1]), shown["scores"]["web-kernel"], rel_tol=1e-6)
    found = querykin(*pair, "--explain", "--format", "jsonl").lines
    for explanation in map(json.loads, found):
        shares = sum(part["share"] for part in explanation["contributions"])
        assert math.isclose(shares, explanation["score"], abs_tol=1e-8)
    assert "--format must be one of" in querykin.refuses(*pair, "--format", "trec")
    assert "unknown measure 'nope'" in querykin.refuses("similarity", "a", "b", "--measure", "nope")


@pytest.mark.parametrize(
    "text", ["", "😀", "zzyzxq", b"caf\xe9"], ids=["empty", "emoji", "unknown", "no UTF-8"]
)
def test_a_text_the_corpus_does_not_know_is_not_covered(text, querykin):
    shown = querykin("similarity", text, "NASA", "--measure", "web-kernel", "--format", "json")
    assert (shown.code, json.loads(shown.out)["scores"]) == (0, {"web-kernel": None})
    explained = querykin("similarity", text, "NASA", "--measure", "web-kernel", "--explain")
    assert (explained.code, explained.messages) == (0, [])
    assert "not covered" in explained.out
