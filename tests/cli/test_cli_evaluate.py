"""Measures evaluated and raters compared from the command line."""

import gzip
import json

import pytest

JUDGED = """query\tcandidate\tgrade\tmine
space exploration\tNASA\t2\t.9
space exploration\trockets and probes\t1\t.8
space exploration\tapple pie\t0\tnan
apple pie\tsugar and apples\t2\t.7
apple pie\tan apple pie\t2\t.9
apple pie\tJava island\t0\t.1
Java\tprogramming language\t2\t.6
Java\tisland\t1\t.2
Java\trockets\t0\t
"""


@pytest.fixture
def judged(querykin):
    return querykin.write("judged.tsv", JUDGED)


def evaluated(querykin, *arguments):
    found = querykin("evaluate", *arguments, "--format", "json")
    assert found.code == 0, found
    return json.loads(found.out)


def test_measures_and_columns_are_evaluated_side_by_side(querykin, judged):
    found = evaluated(querykin, judged, "--measures", "jaccard-stems,web-kernel,mine", "--relevant", "1")
    assert (found["pairs"], found["groups"], found["relevant"]) == (9, 3, 1)
    results = {result["measure"]: result for result in found["results"]}
    assert list(results) == ["jaccard-stems", "web-kernel", "mine"]
    assert (results["mine"]["auc"], results["mine"]["map"]) == (1, 1)
    assert results["mine"]["coverage"] == pytest.approx(7 / 9)
    assert results["jaccard-stems"]["significance"] == {}
    compared = results["mine"]["significance"]
    assert compared["baseline"] == "jaccard-stems"
    assert {"difference", "low", "high"} == set(compared["auc"])
    assert {"difference", "low", "high", "permutation", "permutation_holm"} <= set(compared["map"])


def test_every_format_has_the_same_figures(querykin, judged):
    options = [judged, "--measures", "cosine,mine", "--relevant", "1"]
    (_, mine) = evaluated(querykin, *options)["results"]
    text = querykin("evaluate", *options)
    assert text.err == ""
    assert text.lines[0] == "9 pairs in 3 groups; relevant from grade 1 on"
    assert text.lines[4].split()[:3] == ["mine", f"{mine['coverage']:.3f}", f"{mine['auc']:.3f}"]
    table = querykin("evaluate", *options, "--format", "tsv").lines
    assert dict(zip(table[0].split("\t"), table[2].split("\t"), strict=True))["ndcg"] == f"{mine['ndcg']:.9g}"
    assert json.loads(querykin("evaluate", *options, "--format", "jsonl").lines[1]) == mine
    assert "| mine | 0.778 | 1.000" in querykin("evaluate", *options, "--format", "markdown").out


def test_a_column_goes_before_a_measure_of_the_same_name(querykin, judged):
    querykin.write("own.tsv", JUDGED.replace("mine", "cosine"))
    found = querykin("evaluate", "own.tsv", "--measures", "cosine", "--format", "json")
    assert found.err == "read from columns of the file, not computed: cosine\n"
    assert json.loads(found.out)["results"][0]["coverage"] == pytest.approx(7 / 9)
    assert querykin("evaluate", "own.tsv", "--measures", "cosine", "--quiet").err == ""


def test_scored_files_are_evaluated_as_they_are(querykin, judged):
    scored = querykin("score", judged, "--measures", "web-kernel,cosine", "--quiet")
    querykin.write("scored.tsv", scored.out)
    kept = evaluated(querykin, "scored.tsv", "--measures", "web-kernel,cosine")["results"]
    made = evaluated(querykin, judged, "--measures", "web-kernel,cosine")["results"]
    for name in ("auc", "map", "ndcg", "spearman"):
        assert [result[name] for result in kept] == [result[name] for result in made]


def test_pipes_compression_and_other_names_are_understood(querykin, judged):
    expected = evaluated(querykin, judged, "--measures", "mine")
    querykin.write("packed.tsv.gz", gzip.compress(JUDGED.encode()))
    assert evaluated(querykin, "packed.tsv.gz", "--measures", "mine") == expected
    piped = querykin("evaluate", "-", "--measures", "mine", "--format", "json", stdin=JUDGED.encode())
    assert json.loads(piped.out) == expected
    lines = [
        dict(zip(("q", "c", "label", "mine"), line.split("\t"), strict=True))
        for line in JUDGED.splitlines()[1:]
    ]
    querykin.write("other.jsonl", "".join(json.dumps({**line, "kind": "QR"}) + "\n" for line in lines))
    names = ["--columns", "query=q,candidate=c,grade=label", "--where", "kind=QR"]
    assert evaluated(querykin, "other.jsonl", "--measures", "mine", *names) == expected


def test_equal_scores_fall_by_the_seed(querykin):
    rows = "".join(f"q{i // 4}\tc{i}\t{i % 2}\t0\n" for i in range(400))
    name = querykin.write("ties.tsv", "query\tcandidate\tgrade\tflat\n" + rows)
    first, again, other = (
        evaluated(querykin, name, "--measures", "flat", "--seed", seed)["results"][0]
        for seed in ("1", "1", "2")
    )
    assert first == again
    assert first["map"] != other["map"]
    assert first["auc"] == other["auc"] == 0.5


def test_an_evaluation_is_compared_with_an_earlier_one(querykin, judged):
    old = querykin("evaluate", judged, "--measures", "mine,cosine", "--relevant", "1", "--format", "json")
    querykin.write("old.json", old.out)
    querykin.write("new.tsv", JUDGED.replace(".9", ".05"))
    options = ["--measures", "mine", "--relevant", "1", "--against", "old.json"]
    text = querykin("evaluate", "new.tsv", *options)
    assert (text.code, text.err) == (0, "")
    assert "Difference from old.json" in text.out
    (result,) = evaluated(querykin, "new.tsv", *options)["results"]
    assert result["against"]["mean_auc"]["difference"] < 0
    assert "low" in result["against"]["map"]
    querykin.write("other.tsv", JUDGED.replace("NASA", "ESA"))
    assert "old.json has other judgements" in querykin("evaluate", "other.tsv", *options).err


def test_the_report_is_one_page(querykin, judged):
    found = querykin("evaluate", judged, "--measures", "cosine,web-kernel", "--html", "report.html")
    assert found.code == 0
    page = (querykin.folder / "report.html").read_text()
    assert "<h1>judged.tsv</h1>" in page
    assert "<svg" in page
    assert "http" not in page


def test_rankings_are_evaluated_by_qrels(querykin):
    querykin.write("qrels.txt", "1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    querykin.write("first.run", "1 Q0 a 1 3.5 x\n2 Q0 b 1 2.5 x\n2 Q0 c 2 1.5 x\n")
    querykin.write("second.tsv", "1\tb\t1\n2\tc\t1\n")
    found = evaluated(querykin, "qrels.txt", "--run", "first.run", "--run", "second.tsv", "--relevant", "1")
    assert [(result["measure"], result["map"]) for result in found["results"]] == [
        ("first", 0.75),
        ("second", 0.5),
    ]
    assert querykin("evaluate", "qrels.txt", "--run", "first.run", "--html", "run.html").code == 0
    twice = ["--run", "first.run", "--run", "first.run"]
    assert "two runs are named 'first'" in querykin.refuses("evaluate", "qrels.txt", *twice)


def test_a_pool_is_searched(querykin, judged):
    querykin.write("more.txt", "space\nrocket science\nsugar\n\n")
    found = querykin(
        "evaluate", judged, "--measures", "jaccard-stems,web-kernel", "--pool", "more.txt", "--format", "json"
    )
    assert found.code == 0, found
    assert found.err == "skipped more.txt, line 4: no query\n"
    lexical, kernel = json.loads(found.out)["results"]
    assert kernel["recall@10"] > lexical["recall@10"]
    assert set(kernel["significance"]) >= {"baseline", "map", "recall@100"}


BAD_FILES = {
    "empty.tsv": (b"", "has no column 'query', 'candidate', 'grade'"),
    "header.tsv": (b"query\tcandidate\tgrade\n", "holds no judged pairs"),
    "short.tsv": (b"query\tcandidate\na\tb\n", "has no column 'grade'; needed: query, candidate, grade"),
    "word.tsv": (b"query\tcandidate\tgrade\na\tb\tgood\n", "row 2: the grade must be a number, got 'good'"),
    "nan.tsv": (b"query\tcandidate\tgrade\na\tb\tnan\n", "row 2: the grade must be a number, got 'nan'"),
    "binary.tsv": (bytes(range(256)), "is this a binary file?"),
    "wide.tsv": (b"query\tcandidate\tgrade\na\tb\t1\tx\n", "row 2: 4 values under 3 columns"),
    "half.jsonl": (b'{"query": "a", "candidate": "b", "grade": 1}\n{"que', "line 2: not JSON"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_in_one_line(name, querykin):
    content, message = BAD_FILES[name]
    found = querykin("evaluate", querykin.write(name, content), "--measures", "cosine")
    assert (found.code, found.out, found.err.count("\n")) == (1, "", 1)
    assert message in found.err


REFUSED = {
    (): "evaluate needs either --measures or --run",
    ("--measures", " , "): "evaluate needs either --measures or --run",
    ("--measures", "cosin"): "unknown measure or column 'cosin'; did you mean 'cosine'?",
    ("--measures", "candidate"): "row 2: 'candidate' must be a number, or empty, nan or null",
    ("--measures", "cosine", "--baseline", "mine"): "unknown baseline 'mine'; did you mean 'cosine'?",
    ("--measures", "cosine", "--columns", "text=q"): "--columns takes query=NAME, candidate=NAME, grade=NAME",
    ("--measures", "cosine", "--where", "kind=QR"): "has no column 'kind'",
    ("--measures", "cosine", "--where", "query=z"): "holds no judged pairs with query=z",
    ("--measures", "cosine", "--relevant", "nan"): "--relevant must be a grade",
    ("--measures", "cosine", "--against", "no.json"): "cannot read no.json",
    ("--measures", "cosine", "--against", "judged.tsv"): "judged.tsv is not an evaluation",
    ("--measures", "cosine", "--html", "no/report.html"): "--html must name a file in an existing folder",
    ("--measures", "cosine", "--html", "."): "--html must name a file in an existing folder",
    ("--measures", "cosine", "--pool", "no.txt"): "cannot read no.txt",
    (
        "--measures",
        "cosine",
        "--pool",
        "judged.tsv",
        "--relevant",
        "9",
    ): "no candidate has a grade of 9 or more",
    ("--measures", "cosine", "--format", "xml"): "--format must be one of text, json, jsonl, tsv, markdown",
    ("--measures", "cosine", "--run", "judged.tsv"): "evaluate needs either --measures or --run",
    ("--run", "judged.tsv"): "line 1: expected query Q0 document rank score tag",
    ("--run", "judged.tsv", "--pool", "judged.tsv"): "--pool is searched by --measures",
}


@pytest.mark.parametrize("options", REFUSED, ids=" ".join)
def test_wrong_options_are_refused_with_what_is_allowed(options, querykin, judged):
    assert REFUSED[options] in querykin.refuses("evaluate", judged, *options)
    assert not (querykin.folder / "report.html").exists()


def test_folders_and_missing_files_are_refused(querykin):
    assert ". is a folder" in querykin.refuses("evaluate", ".", "--measures", "cosine")
    assert "cannot read no.tsv" in querykin.refuses("agreement", "no.tsv")


def test_one_class_has_figures_where_they_mean_something(querykin):
    name = querykin.write("one.tsv", "query\tcandidate\tgrade\na\ta b\t1\na\tc\t2\n")
    found = querykin("evaluate", name, "--measures", "jaccard", "--relevant", "1", "--format", "json")
    assert (found.code, found.err.count("\n")) == (0, 1)
    assert found.err.startswith("no group holds both relevant pairs (grade 1 or more) and others")
    (result,) = json.loads(found.out)["results"]
    assert (result["auc"], result["map"], result["spearman"]) == (None, None, -1)


def test_strange_texts_are_judged_like_others(querykin):
    rows = b"a\0b\ta\0b\t1\na\0b\t\xf0\x9f\x98\x80\t0\n\t\t1\n" + b"word " * 100_000 + b"\tx\t0\n"
    name = querykin.write("strange.tsv", b"query\tcandidate\tgrade\n" + rows)
    found = querykin(
        "evaluate", name, "--measures", "jaccard,web-kernel", "--html", "r.html", "--format", "json"
    )
    assert found.code == 0
    assert json.loads(found.out)["pairs"] == 4


def test_agreement_in_both_formats(querykin):
    rows = "".join(f"q\tc{i}\t{i % 3}\tann\nq\tc{i}\t{(i + (i == 4)) % 3}\tbob\n" for i in range(9))
    name = querykin.write("raters.tsv", "query\tcandidate\tgrade\trater\n" + rows)
    text = querykin("agreement", name)
    assert (text.code, text.err) == (0, "")
    assert text.lines[0] == "2 raters, 9 pairs, grades 0 1 2"
    assert "pooled kappa" in text.lines[2]
    content = json.loads(querykin("agreement", name, "--format", "json").out)
    assert content["raters"] == ["ann", "bob"]
    assert content["agreements"][0]["confusion"] == [[3, 0, 0], [0, 2, 1], [0, 0, 3]]
    assert content["means"]["grades"]["observed"] == pytest.approx(8 / 9)


HEAD = "query\tcandidate\tgrade\trater\n"
BAD_RATERS = {
    "query\tcandidate\tgrade\nq\tc\t1\n": "has no column 'rater'",
    f"{HEAD}q\tc\t1\tann\nq\tc\t2\tann\n": "rater 'ann' has graded 'q' and 'c' twice",
    f"{HEAD}q\tc\t1\tann\nq\td\t2\tbob\n": "no pair has rows of two raters (there are 2)",
    f"{HEAD}q\tc\tgood\tann\n": "row 2: the grade must be a number, got 'good'",
}


@pytest.mark.parametrize("content", BAD_RATERS, ids=BAD_RATERS.values())
def test_raters_who_cannot_be_compared_are_refused(content, querykin):
    found = querykin("agreement", querykin.write("raters.tsv", content))
    assert (found.code, found.out) == (1, "")
    assert BAD_RATERS[content] in found.err
