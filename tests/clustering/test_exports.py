"""Clusters written for other programs, and read back as those read them."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin import InputError
from querykin.clustering.clusters import Cluster, Member
from querykin.clustering.exports.ads_editor import refused, write_ads_editor
from querykin.clustering.exports.grouped_rows import write_grouped_rows
from querykin.clustering.exports.synonyms import write_synonyms
from querykin.io.keyword_tables import read_keyword_table
from querykin.io.query_files import read_queries
from querykin.io.safe_csv import csv_line, safe_cell
from reference.solr_synonyms import read_synonyms

HOSES = Cluster("garden hose", 9, (Member("hose, green", 0.9, 3), Member("water hose", 0.6, 1)))
RAKE = Cluster("rake", 4)


def rows_of(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


# Google Ads Editor.


def test_the_head_of_a_cluster_is_the_ad_group_of_its_keywords():
    file = io.StringIO()
    left_out = write_ads_editor([HOSES, RAKE], file, campaign="Garden", match_type="Phrase")
    assert rows_of(file.getvalue()) == [
        ["Campaign", "Ad group", "Keyword", "Match type"],
        ["Garden", "garden hose", "garden hose", "Phrase"],
        ["Garden", "garden hose", "water hose", "Phrase"],
        ["Garden", "rake", "rake", "Phrase"],
    ]
    assert [str(each) for each in left_out] == [
        "left out 'hose, green': Google Ads allows no ',' in a keyword"
    ]


def test_the_file_is_recognized_as_one_of_the_editor(tmp_path):
    path, notes = tmp_path / "ads.csv", []
    with path.open("w", encoding="utf-8", newline="") as file:
        write_ads_editor([RAKE], file, campaign="Garten für alle")
    queries = list(read_queries(str(path), pytest.fail, noted=notes.append))
    assert [query for query, _, _ in queries] == ["rake"]
    assert notes[0].export == "Google Ads Editor"


@pytest.mark.parametrize(
    ("keyword", "reason"),
    [
        ("a" * 81, "81 characters"),
        (" ".join("abcdefghijk"), "11 words"),
        ("what is this?", "no '?'"),
        ("5² meters", "no '²'"),
        ("50% off", "no '%'"),
        ('"garden hose"', "match type"),
        ("[garden hose]", "match type"),
        ("-used", "negative"),
        ("+used", "match type"),
        ("=1+1", "no '='"),
        ("🍕", "no '🍕'"),
        ("&", "no letter"),
    ],
)
def test_keywords_that_google_ads_refuses_are_left_out_with_the_reason(keyword, reason):
    assert reason in refused(keyword)
    file = io.StringIO()
    assert [each.keyword for each in write_ads_editor([Cluster(keyword, 1)], file)] == [keyword]
    assert len(rows_of(file.getvalue())) == 1


@pytest.mark.parametrize(
    "keyword", ["café & bar", "tn-2110", "$20 shoes", "c# book", "東京 ホテル", "हिन्दी", "b.b king's"]
)
def test_keywords_that_google_ads_allows_are_kept(keyword):
    assert refused(keyword) == ""


@pytest.mark.parametrize("options", [{"match_type": "broad"}, {"campaign": "x" * 256}])
def test_options_that_the_editor_would_refuse_are_errors(options):
    file = io.StringIO()
    with pytest.raises(InputError, match="got"):
        write_ads_editor([RAKE], file, **options)
    assert file.getvalue() == ""


# The input's own rows with their group.


def test_a_search_console_export_comes_back_with_one_more_column(tmp_path):
    content = (
        "Top queries,Clicks,Impressions,CTR,Position\n"
        'garden hose,12,"1,200",1%,4.2\n'
        "Water Hose,3,40,7.5%,2\n"
        "GARDEN HOSE,1,9,-1%,2\n"
        "lost,1,9,1%,2\n"
    )
    (tmp_path / "Queries.csv").write_text(content)
    table, file = read_keyword_table(str(tmp_path / "Queries.csv"), pytest.fail), io.StringIO()
    write_grouped_rows(table, [HOSES], file)
    header, *rows = rows_of(file.getvalue())
    assert header == ["Top queries", "Clicks", "Impressions", "CTR", "Position", "group"]
    assert [row[:-1] for row in rows] == rows_of(content)[1:]
    assert [row[-1] for row in rows] == ["garden hose", "garden hose", "garden hose", ""]


def test_the_delimiter_and_a_column_of_the_same_name_are_kept(tmp_path):
    (tmp_path / "k.csv").write_text("Keyword;Volume;Group\nrake;1,5;x\n")
    table, file = read_keyword_table(str(tmp_path / "k.csv"), pytest.fail), io.StringIO()
    write_grouped_rows(table, [RAKE], file)
    assert rows_of(file.getvalue(), ";") == [
        ["Keyword", "Volume", "Group", "group 2"],
        ["rake", "1,5", "x", "rake"],
    ]


# Synonyms.


def test_only_members_at_or_above_the_score_are_synonyms():
    file = io.StringIO()
    assert write_synonyms([HOSES, RAKE], file, min_score=0.9) == 1
    assert read_synonyms(file.getvalue()) == ([["garden hose", "hose, green"]], [])


def test_one_way_a_member_is_replaced_by_the_head():
    file = io.StringIO()
    assert write_synonyms([HOSES], file, min_score=0.6, one_way=True) == 2
    rules = [(["hose, green"], ["garden hose"]), (["water hose"], ["garden hose"])]
    assert read_synonyms(file.getvalue()) == ([], rules)


def test_queries_of_which_an_analyzer_leaves_nothing_are_left_out():
    file = io.StringIO()
    clusters = [Cluster("???", 2, (Member("rake", 1.0, 1),)), Cluster("rake", 2, (Member("!!", 1.0, 1),))]
    assert write_synonyms(clusters, file, min_score=0) == 0
    assert file.getvalue() == ""


QUERIES = st.text(st.sampled_from("ab ,\\=>#'\"😀é-"), min_size=1, max_size=12).map(
    lambda text: " ".join(f"x{text}".split())
)


@given(QUERIES, QUERIES, st.booleans())
def test_any_query_is_read_back_from_synonyms(head, member, one_way):
    file = io.StringIO()
    write_synonyms([Cluster(head, 2, (Member(f"{member} b", 0.5, 1),))], file, min_score=0.5, one_way=one_way)
    two_way, one_way_rules = read_synonyms(file.getvalue())
    terms = [f"{member} b", head]
    if f"{member} b".casefold() == head.casefold():
        assert (two_way, one_way_rules) == ([], [])
    elif one_way:
        assert (two_way, one_way_rules) == ([], [([terms[0]], [terms[1]])])
    else:
        assert (two_way, one_way_rules) == ([terms[::-1]], [])


# CSV that a spreadsheet does not compute.


@pytest.mark.parametrize("cell", ["=1+1", "+cmd", "-x", "@sum(a1)", "\t=1", "\r=1", "＝1", "-1+2"])
def test_a_formula_gets_an_apostrophe(cell):
    assert safe_cell(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "-5", "+3.5", "-1,234.50", "-7%", "garden hose", "a=b", "'quoted'"])
def test_numbers_and_texts_are_unchanged(cell):
    assert safe_cell(cell) == cell


@given(
    st.lists(st.text(st.sampled_from('ab=+-@,;|\t\r\n" 1')), min_size=2, max_size=4), st.sampled_from(",;\t")
)
def test_csv_is_read_back_cell_by_cell(cells, delimiter):
    assert rows_of(csv_line(cells, delimiter), delimiter) == [[safe_cell(cell) for cell in cells]]
