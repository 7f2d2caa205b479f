"""Past queries in, related queries out: `repository`, `build`, `suggest` and `match` as users run them."""

import gzip
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from querykin import Workspace

COUNTED = [("space exploration", 12), ("NASA", 7), ("apple pie", 3), ("rockets", 2), ("java island", 1)]


@pytest.fixture(scope="module")
def built(stocked, tmp_path_factory) -> Path:
    """A workspace with a repository and an index; tests only read it."""
    path = tmp_path_factory.mktemp("built") / "workspace"
    shutil.copytree(stocked / "workspace", path)
    workspace = Workspace.open(path)
    workspace.repository.add(COUNTED)
    workspace.build()
    return path


@pytest.fixture
def served(querykin, built):
    return replace(querykin, workspace=built)


def info(program) -> dict:
    return json.loads(program("repository", "info", "--format", "json").out)


def test_queries_of_every_form_are_added_counted_and_removed(own):
    files = [
        own.write("a.txt", "NASA\t5\napple pie\n\nesa\tmany\n"),
        own.write("b.csv", "Keyword,Volume\nnasa,7\n"),
        own.write("c.jsonl.gz", gzip.compress(b'{"query": "java island", "count": 2}\n')),
    ]
    found = own("repository", "add", *files, "-", stdin=b"rockets\n")
    assert (found.code, found.out) == (0, "")
    assert found.err.splitlines() == [
        "skipped a.txt, line 3: no query",
        "skipped a.txt, line 4: the count 'many' is not a number",
        "a.txt (query<TAB>count, UTF-8)",
        "b.csv (CSV, UTF-8): query = Keyword, count = Volume",
        "c.jsonl.gz (JSON lines, UTF-8): query = query, count = count",
        "standard input (one query per line, UTF-8)",
        "added 4 queries, 2 lines skipped; the repository now has 4",
    ]
    sources = {"a.txt": 2, "b.csv": 1, "c.jsonl.gz": 1, "stdin": 1}
    assert info(own) == {"queries": 4, "asked": 16, "indexed": {}, "sources": sources}
    removed = own("repository", "remove", "nasa", "Java  Island")
    assert removed.err == "removed 2 queries; the repository now has 2\n"
    assert "no query 'esa' in the repository; nothing was removed" in own.refuses(
        "repository", "remove", "rockets", "esa"
    )
    assert own("repository", "info").lines == [
        f"{'queries':20} {2:>15}",
        f"{'asked':20} {2:>15}",
        f"{'source':12} {1:>15}  a.txt",
        f"{'source':12} {1:>15}  stdin",
    ]


def test_the_columns_of_exports_are_known_and_those_of_other_tables_can_be_named(own):
    own.write("Queries.csv", "Top queries,Clicks,Impressions,CTR,Position\nlawn mower,12,340,3.5%,4.1\n")
    own.write("k.csv", "Was;Wie oft\nmondlandung;40\n")
    assert own("repository", "add", "Queries.csv").err.splitlines()[0] == (
        "Queries.csv (Search Console, CSV, UTF-8): query = Top queries, count = Impressions; "
        "not read: Clicks, CTR, Position"
    )
    assert own("repository", "add", "k.csv", "--columns", "query=Was,count=Wie oft").code == 0
    assert info(own)["asked"] == 380
    error = own.refuses("repository", "add", "k.csv", "--columns", "query=Wass")
    assert "k.csv has no column 'Wass' (did you mean 'Was'?); found: Was, Wie oft" in error


def test_if_a_file_fails_nothing_is_added(own):
    good, bad = own.write("good.txt", "nasa\n"), own.write("bad.csv", "year\n1999\n")
    assert "bad.csv has no column of queries; found: year" in own.refuses("repository", "add", good, bad)
    assert "cannot read missing.txt" in own.refuses("repository", "add", good, "missing.txt")
    assert "standard input (-) is named twice" in own.refuses("repository", "add", "-", "-")
    assert "no queries in empty.txt" in own.refuses("repository", "add", own.write("empty.txt", ""))
    assert info(own)["queries"] == 0


def test_queries_are_mined_from_the_corpus_and_built(own):
    mined = own("repository", "mine", "--limit", "3")
    assert mined.err == "mined 4 documents: added 3 queries; the repository now has 3\n"
    built = own("build", "--measures", "web-kernel,cosine")
    assert (built.code, built.out) == (0, "")
    started, done = built.messages[:2]
    assert started == "web-kernel: 3 queries to index, 0 stale"
    assert done.startswith("web-kernel: done, 3 queries indexed, ")
    assert done.endswith("bytes a row")
    assert own("build", "--measures", "web-kernel").messages == [
        "web-kernel: 3 queries indexed; nothing to do"
    ]
    assert info(own)["indexed"] == {"unit-words": 3, "web-kernel": 3}
    assert own("repository", "mine", "--limit", "4", "--quiet").err == ""
    behind = own("suggest", "nasa", "--measure", "web-kernel", "--format", "json")
    assert "is behind the corpus or the repository; next: querykin build" in behind.err
    assert own("check").code == 0


def test_what_is_missing_is_said_with_the_next_step(own, tmp_path):
    assert "next: querykin repository add FILE" in own.refuses("build")
    void = replace(own, workspace=tmp_path / "void")
    assert "next: querykin corpus add FILE" in void.refuses("repository", "mine")
    assert "next: querykin corpus add FILE" in void.refuses("build")
    error = own("suggest", "nasa")
    assert error.code == 1
    assert "repository mine" in error.err.splitlines()[-1]


def test_an_index_is_built_on_first_use_with_a_message(own):
    own("repository", "add", "-", stdin=b"nasa\nrockets\n")
    found = own("match", own.write("q.txt", "space\n"), "--measure", "idf-cosine")
    assert found.err.splitlines()[0] == "no index of idf-cosine yet; building it now"
    assert found.lines == ["query\trank\tcandidate\tscore"]  # not one word in common
    assert info(own)["indexed"] == {"idf-cosine": 2}


def test_suggestions_come_in_every_format(served):
    (entry,) = json.loads(served("suggest", "space probes", "-k", "2", "--format", "json").out)
    assert (entry["query"], entry["covered"], entry["measure"]) == ("space probes", True, "hybrid")
    assert {"query", "score", "count", "probability", "percentile"} == set(entry["suggestions"][0])
    offers = [(offer["query"], offer["count"]) for offer in entry["suggestions"]]
    assert sorted(offers) == [("NASA", 7), ("space exploration", 12)]
    lines = served("suggest", "space probes", "java", "-k", "2", "--format", "jsonl").lines
    assert [json.loads(line)["query"] for line in lines] == ["space probes", "java"]
    assert json.loads(lines[0]) == entry
    header, *rows = (line.split("\t") for line in served("suggest", "space probes", "--format", "tsv").lines)
    assert header == ["query", "rank", "suggestion", "score", "count", "probability", "percentile"]
    assert rows[0][:3] == ["space probes", "1", offers[0][0]]
    assert float(rows[0][3]) == pytest.approx(entry["suggestions"][0]["score"])
    assert float(rows[0][5]) == entry["suggestions"][0]["probability"]
    assert {row[6] for row in rows} == {""}  # a handful of queries tells nothing of random pairs
    assert [row[1] for row in rows] == [str(rank) for rank in range(1, len(rows) + 1)]
    explained = served("suggest", "space probes", "--explain", "--format", "tsv").lines
    because = dict(zip(explained[0].split("\t"), explained[1].split("\t"), strict=True))
    shares = [float(part.rpartition("=")[2]) for part in because["because"].split("; ")]
    assert sum(shares) == pytest.approx(float(because["score"]), abs=1e-2)
    text = served("suggest", "space probes", "--explain").out
    assert text.splitlines()[0] == "space probes"
    assert text.splitlines()[1] == "  score  good"
    assert f" {float(rows[0][5]):.0%} " in text.splitlines()[2]
    assert "because of" in text
    assert " asked 7 times" in text


def test_mined_queries_are_in_documents_and_were_not_asked(served, own):
    shutil.copytree(served.workspace, own.workspace, dirs_exist_ok=True)
    Workspace.open(own.workspace).repository.remove_source("default")
    assert own("repository", "mine").code == 0
    assert info(own)["asked"] == 0
    shown = own("demo").lines
    assert shown[-1].endswith(f" serve --workspace {own.workspace}")
    assert "asked" not in "".join(shown)


def test_options_narrow_what_is_offered(served):
    block = served.write("block.txt", "nasa\n")
    options = ["--min-count", "3", "--threshold", "0.2", "--filter", "none", "--block", block]
    (entry,) = json.loads(served("suggest", "rockets", *options, "--explain", "--format", "json").out)
    assert [offer["query"] for offer in entry["suggestions"]] == ["space exploration"]
    explanation = entry["suggestions"][0]["explanation"]
    total = sum(part["share"] for part in explanation["contributions"])
    assert total == pytest.approx(entry["suggestions"][0]["score"], abs=1e-6)


def test_a_minimum_probability_shortens_the_list(served):
    def probabilities(*options: str) -> list[float]:
        (entry,) = json.loads(served("suggest", "space probes", *options, "--format", "json").out)
        return [offer["probability"] for offer in entry["suggestions"]]

    everything, likely = probabilities("--min-probability", "0"), probabilities()
    assert likely == [each for each in everything if each >= 0.05]
    assert likely < everything
    least = str(max(likely) - 0.001)
    assert probabilities("--min-probability", least) == [max(likely)]
    assert served("suggest", "nasa", "--min-probability", "1.1").code == 2


def test_a_measure_without_probabilities_leaves_the_column_empty(served):
    found = served("suggest", "space probes", "--measure", "web-kernel", "--format", "tsv")
    assert [line.split("\t")[5] for line in found.lines[1:]] == [""] * 3


def test_scores_say_how_they_stand_among_random_pairs(own):
    colors = "red", "green", "blue", "white"
    queries = [f"{color} {thing}" for color in colors for thing in ("rose", "hat", "car")]
    own("repository", "add", "-", stdin="\n".join(queries).encode())
    built = own("build", "--measures", "jaccard")
    assert "jaccard: sampling the scores of 132 random pairs" in built.err
    lower = 100 * 72 / 132  # pairs without a common word; the other 60 have one in three
    options = ["--measure", "jaccard", "--filter", "none"]
    rows = own("suggest", "red tie", *options, "--format", "tsv").lines[1:]
    assert [row.split("\t")[6] for row in rows] == [f"{lower:.3f}"] * 3
    text = own("suggest", "red tie", *options).lines
    assert text[1] == "  score  closer than"
    assert f"  0.333     54 %  {'█████████▍':28} red rose" in text
    pair = ["similarity", "red tie", "red rose", "--measure", "jaccard", "--measure", "edit"]
    assert json.loads(own(*pair, "--format", "json").out)["percentiles"] == {
        "jaccard": round(lower, 3),
        "edit": None,
    }
    assert own(*pair, "--format", "tsv").lines[:2] == [
        "measure\tscore\tpercentile",
        f"jaccard\t0.333333333\t{lower:.3f}",
    ]
    text = own(*pair).lines
    assert "closer than 54 % of random pairs" in text[1]
    assert "random pairs" not in text[2]
    explained = own(*pair[:5], "--explain").lines
    assert explained[0].endswith("jaccard 0.333  closer than 54 % of random pairs")
    assert explained[1].split() == ["red", "0.3333", "█████████▍"]
    assert explained[2].split() == ["0", "1"]


def test_the_heaviest_term_comes_first_also_if_it_is_negative(served):
    options = ["--measure", "dense-prob", "--explain"]
    found = json.loads(served("similarity", "space", "apple pie", *options, "--format", "json").out)
    shares = [part["share"] for part in found["contributions"]]
    assert shares[0] == min(shares) < 0
    first = served("similarity", "space", "apple pie", *options).lines[1]
    assert first.split()[:2] == [found["contributions"][0]["term"], f"{shares[0]:.4f}"]
    assert "░│" in first


def test_a_query_that_is_not_covered_is_one_line_on_stderr(served):
    found = served("suggest", "zzyzx", "--format", "json")
    assert found.code == 0
    assert json.loads(found.out) == [
        {"query": "zzyzx", "covered": False, "measure": "hybrid", "corrected": None, "suggestions": []}
    ]
    assert found.messages == ["not covered by the corpus: 'zzyzx'"]


def test_standard_input_is_answered_line_by_line(served):
    program = str(Path(sys.executable).with_name("querykin"))
    command = [program, "suggest", "-", "-k", "1", "--format", "jsonl"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=served.environment()
    ) as process:
        for query in ("rockets", "the apple", "java"):
            process.stdin.write(f"{query}\n\n")
            process.stdin.flush()  # the input stays open: the answer must not wait for its end
            assert json.loads(process.stdout.readline())["query"] == query
        process.stdin.close()
        assert process.stdout.read() == ""
    assert process.returncode == 0


def test_wrong_options_are_refused(served):
    assert "did you mean 'paper'? Known: diverse, none, paper" in served.refuses(
        "suggest", "nasa", "--filter", "papers"
    )
    assert "--format must be one of text, json, jsonl, tsv, got 'xml'" in served.refuses(
        "suggest", "nasa", "--format", "xml"
    )
    assert "unknown measure 'web-kernl'; did you mean 'web-kernel" in served.refuses(
        "build", "--measures", "web-kernl"
    )
    assert "No such file" in served.refuses("suggest", "nasa", "--block", "missing.txt")
    assert served("suggest", "nasa", "-k", "0").code == 2


def test_an_unknown_measure_is_refused_in_one_line(served):
    assert "did you mean 'web-kernel" in served.refuses("suggest", "nasa", "--measure", "web-kernl")


def test_matches_come_in_every_format(served):
    asked = served.write("q.csv", "id,query\nq1,space\nq2,zzyzx\nq3,pie oven\n")
    options = ["-k", "2", "--measure", "web-kernel"]
    header, *rows = (line.split("\t") for line in served("match", asked, *options).lines)
    assert header == ["query", "rank", "candidate", "score"]
    assert [row[:2] for row in rows] == [
        ["space", "1"],
        ["space", "2"],
        *[["pie oven", r[1]] for r in rows[2:]],
    ]
    trec = [line.split() for line in served("match", asked, *options, "--format", "trec").lines]
    names = {str(number + 1): query for number, (query, _) in enumerate(COUNTED)}
    assert [[row[0], names[row[2]], row[4]] for row in trec[:2]] == [["q1", *row[2:]] for row in rows[:2]]
    assert all((len(row), row[1], row[5]) == (6, "Q0", "querykin") for row in trec)
    everything = json.loads(served("match", asked, *options, "--format", "json").out)
    assert [(entry["query"], entry["covered"]) for entry in everything] == [
        ("space", True),
        ("zzyzx", False),
        ("pie oven", True),
    ]
    lines = served("match", "-", *options, "--format", "jsonl", stdin=b"space\nzzyzx\npie oven\n").lines
    assert [json.loads(line) for line in lines] == everything


def test_all_pairs_need_no_file_and_leave_out_what_is_below_the_threshold(served):
    header, *rows = (line.split("\t") for line in served("match", "--all-pairs", "--measure", "edit").lines)
    assert header == ["query", "rank", "candidate", "score"]
    assert rows
    assert all(query != candidate and 0 < float(score) <= 1 for query, _, candidate, score in rows)
    least = str(min(float(row[3]) for row in rows) + 0.01)
    fewer = served("match", "--all-pairs", "--measure", "edit", "--threshold", least).lines[1:]
    assert 0 < len(fewer) < len(rows)
    assert "needs a file of queries, or --all-pairs" in served.refuses("match")
    assert "needs a file of queries, or --all-pairs" in served.refuses("match", "q.txt", "--all-pairs")


def test_all_pairs_with_a_threshold_are_every_pair_unless_k_says_how_many(own):
    queries = [f"space {place}" for place in range(12)]
    own("repository", "add", "-", stdin="\n".join(queries).encode())
    asked = ["match", "--all-pairs", "--measure", "jaccard"]
    assert len(own(*asked).lines[1:]) == 12 * 10
    assert len(own(*asked, "--threshold", "0.3").lines[1:]) == 12 * 11  # 1/3: one word of three is shared
    assert len(own(*asked, "--threshold", "0.3", "-k", "2").lines[1:]) == 12 * 2
    assert own(*asked, "--threshold", "0.34").lines[1:] == []
    found = json.loads(own(*asked, "--threshold", "0.3", "--format", "json").out)
    assert sum(len(entry["suggestions"]) for entry in found) == 12 * 11
    file = own.write("asked.txt", "space one\n")
    assert len(own("match", file, "--measure", "jaccard", "--threshold", "0.3").lines[1:]) == 10


def test_a_threshold_that_is_not_a_number_is_refused_before_any_work(own):
    own("repository", "add", "-", stdin=b"nasa\nrockets\n")
    for command in (["match", "--all-pairs"], ["match", own.write("q.txt", "nasa\n")], ["suggest", "nasa"]):
        said = own.refuses(*command, "--threshold", "nan")
        assert "threshold must be a number, like 0.5, got nan" in said
        assert "building" not in said
    assert info(own)["indexed"] == {}
