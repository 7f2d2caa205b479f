"""`querykin dedupe` as users run it."""

import csv
import io
import json

import pytest

CONSOLE = (
    "Top queries,Clicks,Impressions,CTR,Position\n"
    "garden hose,12,400,3%,4.2\n"
    "hose for garden,3,40,7.5%,2\n"
    "Garden Hose,1,5,20%,1\n"
    "gardn hose,1,2,50%,9\n"
    "=rake,1,7,14%,3\n"
)
REASONS = {"hose for garden": "word order, function words", "gardn hose": "spelling", "Garden Hose": "case"}


@pytest.fixture
def console(tmp_path):
    path = tmp_path / "Queries.csv"
    path.write_text(CONSOLE)
    return str(path)


def test_tsv_has_all_rows_in_their_order_with_canonical_form_and_reason(querykin, console):
    found = querykin("dedupe", console, "--format", "tsv")
    header, *rows = (line.split("\t") for line in found.lines)
    assert header == ["query", "canonical", "reason", "count", "Clicks", "Impressions", "CTR", "Position"]
    assert [row[0] for row in rows] == [
        "garden hose",
        "hose for garden",
        "Garden Hose",
        "gardn hose",
        "=rake",
    ]
    assert [row[1] for row in rows] == ["garden hose"] * 4 + ["=rake"]
    assert {row[0]: row[2] for row in rows if row[2]} == REASONS
    assert rows[1][3:] == ["40", "3", "40", "7.5%", "2"]
    assert "2 variants of 1 query; 2 of 4 queries remain (words compared in English)" in found.err


def test_only_variants_leaves_out_what_needs_no_change(querykin, console):
    lines = querykin("dedupe", console, "--only-variants", "--format", "tsv").lines[1:]
    assert {line.split("\t")[0] for line in lines} == set(REASONS)


def test_json_has_groups_with_sums_and_jsonl_one_a_line(querykin, console):
    entries = json.loads(querykin("dedupe", console, "--format", "json").out)
    assert entries[0] == {
        "canonical": "garden hose",
        "count": 447,
        "variants": [
            {"query": "hose for garden", "count": 40, "reason": "word order, function words"},
            {"query": "gardn hose", "count": 2, "reason": "spelling"},
        ],
        "sums": {"Clicks": 17, "Impressions": 447},
    }
    assert [json.loads(line) for line in querykin("dedupe", console, "--format", "jsonl").lines] == entries


def test_text_shows_the_variants_below_their_canonical_form(querykin, console):
    assert querykin("dedupe", console).lines == [
        "garden hose  447x  Clicks 17  Impressions 447",
        "  hose for garden  40x  word order, function words",
        "  gardn hose  2x  spelling",
    ]


def test_merge_writes_the_cleaned_list_with_sums(querykin, console):
    assert querykin("dedupe", console, "--merge", "--format", "tsv").lines == [
        "query\tcount\tClicks\tImpressions",
        "garden hose\t447\t17\t447",
        "=rake\t7\t1\t7",
    ]


def test_csv_has_no_formulas(querykin, console):
    rows = list(csv.DictReader(io.StringIO(querykin("dedupe", console, "--format", "csv").out)))
    assert rows[4]["query"] == "'=rake"
    assert rows[1]["reason"] == "word order, function words"


def test_synonyms_lead_to_the_canonical_form(querykin, console):
    lines = querykin("dedupe", console, "--format", "synonyms").lines
    assert lines == ["hose for garden => garden hose", "gardn hose => garden hose"]


def test_the_count_of_a_list_is_not_repeated_as_a_sum(querykin, tmp_path):
    (tmp_path / "list.txt").write_text("garden hose\t3\nhose garden\t1\n")
    found = querykin("dedupe", str(tmp_path / "list.txt"))
    assert found.lines == ["garden hose  4x", "  hose garden  word order"]


def test_without_a_file_past_queries_are_compared(querykin, tmp_path):
    (tmp_path / "past.txt").write_text("moon landing\t5\nlanding on the moon\t2\n")
    folder = str(tmp_path / "workspace")
    assert querykin("dedupe", "--workspace", folder).code == 1
    querykin("repository", "add", str(tmp_path / "past.txt"), "--workspace", folder)
    rows = querykin("dedupe", "--workspace", folder, "--format", "tsv").lines
    assert rows[2] == "landing on the moon\tmoon landing\tword order, function words\t2"


def test_the_language_is_recognized_or_given(querykin, tmp_path):
    (tmp_path / "de.txt").write_text(
        "schlauch für den garten\ngarten schlauch\nrasenmäher mit akku\ngießkanne aus zink\n"
        "gartenschere für rosen\nblumenerde kaufen\nhandschuhe für die gartenarbeit\n"
    )
    arguments = "dedupe", str(tmp_path / "de.txt"), "--format", "tsv", "--workspace", str(tmp_path / "new")
    found = querykin(*arguments)
    assert "words compared in German" in found.err
    assert "schlauch für den garten\tgarten schlauch\tword order, function words" in found.out
    english = querykin(*arguments, "--language", "English")
    assert "function words" not in english.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "trec"], "--format must be one of text, tsv, csv, json, jsonl, synonyms, got 'trec'"),
        (["--merge", "--format", "synonyms"], "choose one of them"),
        (["--language", "klingon"], "unknown language 'klingon'"),
        (["--columns", "query=Wort"], "has no column 'Wort'"),
    ],
)
def test_wrong_options_are_one_clear_line(querykin, console, arguments, message):
    found = querykin("dedupe", console, *arguments)
    assert (found.code, found.out) == (1, "")
    assert message in found.err


@pytest.mark.parametrize("content", [b"", b"\n\n", b"%PDF-1.4\n"])
def test_a_file_without_keywords_is_an_error(querykin, tmp_path, content):
    (tmp_path / "list.txt").write_bytes(content)
    found = querykin("dedupe", str(tmp_path / "list.txt"))
    assert (found.code, found.out) == (1, "")
    assert "list.txt" in found.err


def test_a_folder_is_no_list(querykin, tmp_path):
    found = querykin("dedupe", str(tmp_path))
    assert (found.code, found.out) == (1, "")
    assert str(tmp_path) in found.err
