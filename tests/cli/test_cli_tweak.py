"""Training of term weights and filtering of pages from the command line."""

import csv
import io
import json

import pytest

JUDGED = """query\tcandidate\tgrade
space exploration\tNASA\t2
space exploration\trockets and probes\t1
space exploration\tapple pie\t0
apple pie\tsugar and apples\t2
apple pie\tan apple pie\t2
apple pie\tJava island\t0
Java\tprogramming language\t2
Java\tisland\t1
Java\trockets\t0
"""
PAGES = [
    {
        "query": "space exploration",
        "grade": 1,
        "html": "<title>Rockets</title><p>NASA probes <a href=x>space</a>",
    },
    {"query": "space exploration", "grade": 0, "html": "<title>Apple pie</title><p>sugar & oven"},
    {
        "query": "apple pie",
        "grade": 1,
        "title": "Apples",
        "text": "baked with sugar",
        "url": "http://x.org/apple",
    },
    {"query": "apple pie", "grade": 0, "title": "Java", "text": "a language and an island"},
    {"query": "Java", "grade": 1, "title": "Programming", "text": "the island language"},
    {"query": "Java", "grade": 0, "title": "Rocket", "text": "the European agency explores"},
]


@pytest.fixture
def judged(own):
    return own.write("judged.tsv", JUDGED)


@pytest.fixture
def pages(own):
    return own.write("pages.jsonl", "".join(json.dumps(page) + "\n" for page in PAGES))


def trained(own, *arguments):
    found = own("train", "tweak", *arguments, "--format", "json")
    assert found.code == 0, found
    return json.loads(found.out)


def models(own):
    return sorted(path.name for path in (own.workspace / "models").glob("*"))


def test_weights_are_learnt_shown_and_used(own, judged):
    shown = own("train", "tweak", judged, "--name", "mine", "--features", "plain", "--loss", "log")
    assert shown.code == 0, shown
    assert shown.lines[0].startswith("9 pairs in 3 groups, 9 pairs covered; loss log, alpha ")
    assert "log df: document frequency, per 100,000 documents: log(df + 1)" in shown.out
    assert shown.lines[-1] == "saved as 'mine'; next: querykin similarity A B --measure mine"
    assert models(own) == ["mine.json"]
    scored = own("similarity", "space exploration", "NASA", "--measure", "mine", "--format", "json")
    assert 0 < json.loads(scored.out)["scores"]["mine"] <= 1


def test_the_model_says_what_it_comes_from_and_the_seed_decides(own, judged):
    first, again = (trained(own, judged, "--seed", "3") for _ in range(2))
    assert first == again
    assert first["kind"] == "tweak"
    assert first["name"] == "tweak"
    facts = first["training"]
    assert (facts["file"], facts["pairs"], facts["groups"], facts["seed"]) == ("judged.tsv", 9, 3, 3)
    assert len(facts["fingerprint"]) == 16
    assert len(first["content"]["features"]) == len(first["content"]["weights"]) == 10
    assert first["content"]["loss"] == "preference"


def test_columns_where_and_relevant_are_those_of_evaluate(own):
    own.write(
        "other.csv",
        "q,c,g,kind\n"
        + "".join(
            f"{query},{candidate},{grade},x\n"
            for query, candidate, grade in (line.split("\t") for line in JUDGED.splitlines()[1:])
        )
        + "a,b,9,y\n",
    )
    found = trained(
        own,
        "other.csv",
        "--columns",
        "query=q,candidate=c,grade=g",
        "--where",
        "kind=x",
        "--relevant",
        "1",
        "--loss",
        "sse",
    )
    assert (found["training"]["pairs"], found["training"]["relevant"]) == (9, 1)


WRONG = [
    (JUDGED, ["--loss", "hinge"], "unknown loss 'hinge'"),
    (JUDGED, ["--features", "all"], "unknown set of features 'all'"),
    (JUDGED, ["--name", "Mein Modell"], "a model's name is"),
    (JUDGED, ["--name", "jaccard"], "'jaccard' is a measure already"),
    (JUDGED, ["--precision", "0.9"], "add --pages"),
    (JUDGED, ["--recall", "0.9"], "add --pages"),
    (JUDGED, ["--pages", "--recall", "0.9", "--precision", "0.9"], "give one of them"),
    (JUDGED, ["--pages", "--recall", "-1"], "--recall must be above 0 and at most 1, got -1"),
    (JUDGED, ["--pages"], "has no column of pages"),
    (JUDGED, ["--pages", "--precision", "2"], "--precision must be above 0 and at most 1, got 2"),
    (JUDGED, ["--relevant", "nan"], "--relevant must be a grade"),
    (JUDGED.replace("\t1\n", "\t2\n").replace("\t0\n", "\t2\n"), [], "all pairs have the same grade"),
    ("\n".join(JUDGED.splitlines()[:4]) + "\n", [], "all pairs belong to one group"),
    (JUDGED.replace("grade", "stars"), [], "has no column 'grade'"),
    ("query\tcandidate\tgrade\nqwrtp\tzzyzx\t1\nzzyzx\tqwrtp\t0\n", [], "covers none of the judged pairs"),
    ("query\tcandidate\tgrade\n", [], "holds no judged pairs"),
    (JUDGED.replace("NASA", "NA\0SA").replace("\t2", "\t\0"), [], "the grade must be a number"),
    ("", [], "has no column"),
]


@pytest.mark.parametrize(("content", "options", "message"), WRONG)
def test_what_cannot_teach_is_one_line_and_changes_nothing(own, content, options, message):
    assert message in own.refuses("train", "tweak", own.write("judged.tsv", content), *options)
    assert models(own) == []


def test_a_folder_or_a_missing_file_is_one_line(own):
    for name in (".", "missing.tsv"):
        assert name in own.refuses("train", "tweak", name)
        assert name in own.refuses("filter", name, "--threshold", "0.1")


def test_pages_are_learnt_and_filtered_by_the_learnt_threshold(own, pages):
    shown = own("train", "tweak", pages, "--pages", "--precision", "0.5", "--name", "shop")
    assert shown.code == 0, shown
    assert "url: in the page's address" in shown.out
    assert "of held-out pages" in shown.out
    assert shown.lines[-1].endswith("next: querykin filter FILE --model shop")
    found = own("filter", pages, "--model", "shop")
    rows = [json.loads(line) for line in found.lines]
    assert [{name: row[name] for name in page} for row, page in zip(rows, PAGES, strict=True)] == PAGES
    content = json.loads((own.workspace / "models" / "shop.json").read_text())["content"]
    for row in rows:
        assert row["kept"] == (row["score"] is not None and row["score"] >= content["threshold"])
    assert f"of {len(PAGES)} pages at" in found.err


def test_a_threshold_for_a_recall_is_learnt(own, pages):
    shown = own("train", "tweak", pages, "--pages", "--recall", "0.6", "--name", "shop")
    assert shown.code == 0, shown
    model = json.loads((own.workspace / "models" / "shop.json").read_text())
    assert model["training"]["report"]["recall"] >= 0.6
    assert own("filter", pages, "--model", "shop").code == 0


def test_a_default_threshold_that_is_likely_wrong_is_reported(querykin):
    rows = [("space exploration", "NASA"), ("apple pie", "Java island"), ("java", "Rockets")] * 25
    querykin.write("pages.tsv", "query\ttitle\n" + "".join(f"{query}\t{title}\n" for query, title in rows))
    assert "may be too low for these pages" in querykin("filter", "pages.tsv").err
    assert "for these pages" not in querykin("filter", "pages.tsv", "--threshold", "0.1").err


def test_weights_of_pages_go_before_those_that_are_shipped(own, pages):
    assert trained(own, pages, "--pages")["name"] == "landing-pages"
    assert models(own) == ["landing-pages.json"]
    assert "has no learned threshold" in own.refuses("filter", pages)
    assert own("filter", pages, "--threshold", "0.1").code == 0


def test_kept_and_score_are_written_in_every_form(querykin):
    querykin.write(
        "pages.csv", 'query,title,text\nspace exploration,"Rockets, space probes",NASA\nzzyzx,Pie,sugar\n'
    )
    found = querykin("filter", "pages.csv", "--threshold", "0.01")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert [row["kept"] for row in rows] == ["true", "false"]
    assert rows[0]["title"] == "Rockets, space probes"
    assert rows[1]["score"] == "nan"
    assert "1 page dropped without a score" in found.err
    only = querykin("filter", "pages.csv", "--threshold", "0.01", "--only-kept", "--format", "tsv", "--quiet")
    assert only.lines[0] == "query\ttitle\ttext\tkept\tscore"
    assert len(only.lines) == 2
    assert only.err == ""


def test_pages_may_be_files_beside_the_table(querykin):
    querykin.write("page.html", "<title>Space rockets</title><p>Probes of NASA")
    querykin.write("pairs.tsv", "query\tfile\nspace exploration\tpage.html\n")
    assert "\ttrue\t" in querykin("filter", "pairs.tsv", "--threshold", "0.01").lines[1]


def test_a_page_that_cannot_be_read_is_dropped_and_named(querykin):
    querykin.write("page.html", "<title>Space rockets</title><p>Probes of NASA")
    files = ("gone.html", "page.html")
    querykin.write("pairs.tsv", "query\tfile\n" + "".join(f"space exploration\t{file}\n" for file in files))
    found = querykin("filter", "pairs.tsv", "--threshold", "0.01")
    assert [line.split("\t")[2] for line in found.lines[1:]] == ["false", "true"]
    assert "gone.html cannot be read as a page" in found.err
    assert "1 page dropped without a score" in found.err


def test_pages_may_be_in_another_folder(querykin, tmp_path):
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "page.html").write_text("<title>Space rockets</title><p>Probes of NASA")
    querykin.write("pairs.tsv", "query\tfile\nspace exploration\tpage.html\n")
    arguments = "filter", "pairs.tsv", "--threshold", "0.01", "--folder"
    assert "\ttrue\t" in querykin(*arguments, str(tmp_path / "crawl")).lines[1]
    assert "--folder must name an existing folder" in querykin.refuses(*arguments, str(tmp_path / "none"))


def test_empty_strange_and_huge_pages_do_no_harm(querykin):
    huge = "<p>" + "space rockets <b>probes " * 430_000  # 10 MB
    rows = [{"query": "space exploration", "html": html} for html in ("", "\0<p>\0", "<<<>>", huge)]
    querykin.write("pages.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    found = querykin("filter", "pages.jsonl", "--threshold", "0.01")
    assert found.code == 0, found
    scores = [json.loads(line)["score"] for line in found.lines]
    assert scores[:3] == [None] * 3
    assert scores[3] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threshold", "2"], "--threshold must be from 0 to 1, got 2"),
        (["--model", "tweak"], "has no learned threshold; give one"),
        (["--model", "nope"], "unknown model 'nope'"),
        (["--columns", "html=page"], "has no column 'page'"),
        (["--format", "xml"], "--format must be one of tsv, csv, jsonl"),
    ],
)
def test_what_cannot_be_filtered_is_one_line(querykin, options, message):
    querykin.write("pages.tsv", "query\ttext\nspace exploration\tNASA\n")
    assert message in querykin.refuses("filter", "pages.tsv", *options)
