"""Pages work without scripts, show errors as sentences and escape texts."""

import json
import re

import pytest

from querykin import Workspace
from querykin.evaluation.history import store_run
from querykin.experiments.evaluation import EvaluationTask, evaluate_file
from querykin.io import read_judged_pairs
from querykin.measures.web_kernel import WebKernel
from querykin.retrieval.hybrid_retriever import PART_OF_QUERY
from querykin.retrieval.score_distribution import closer_than, percentile_text
from querykin.server.explanation_view import make_view
from querykin.server.views import _environment, measure_summary, safe_url
from querykin.types import Contribution, Explanation

BROWSER = {"Accept": "text/html"}


@pytest.mark.parametrize(
    "path", ["/", "/?q=space", "/why?a=space&b=NASA", "/search?q=space", "/compare", "/judge", "/report"]
)
def test_every_page_has_language_title_heading_and_landmarks(client, path):
    page = client.get(path, headers=BROWSER)
    assert page.status_code == 200
    assert '<html lang="en">' in page.text
    assert re.search(r"<title>.+ · querykin</title>", page.text)
    assert page.text.count("<h1") == 1
    for landmark in ('<main id="main"', "<nav aria-label", "<header", "<footer", 'href="#main"'):
        assert landmark in page.text


@pytest.mark.parametrize(
    "path", ["/", "/?q=space", "/search?q=space", "/compare?a=space&b=NASA", "/judge", "/report"]
)
def test_pages_have_no_inline_scripts_or_styles_and_no_foreign_hosts(client, path):
    page = client.get(path)
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page.text)
    assert not re.search(r"(?:src|action)=\"?(?:https?:)?//", page.text)
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]


def test_suggestions_link_to_their_explanations(client):
    page = client.get("/", params={"q": "space exploration", "k": "3"}).text
    assert page.count('class="query"') == 3
    assert "/why?a=space+exploration" in page
    assert "3 related queries by hybrid" in page


def test_suggestions_show_how_likely_they_are_good(client):
    query = {"q": "space exploration"}
    suggested = client.app.state.service.snapshot.suggest(query["q"], 10).suggestions
    probabilities = [each.probability for each in suggested]
    shown = re.findall(r"(\d+%) likely good", client.get("/", params=query).text)
    assert shown == [f"{each:.0%}" for each in probabilities]
    likely = client.get("/", params={**query, "min_probability": "0,5"}).text
    assert len(re.findall("likely good", likely)) == sum(each >= 0.5 for each in probabilities)
    assert "min_probability=0%2C5" in likely  # of the exports
    assert "likely good" not in client.get("/", params={**query, "measure": "web-kernel"}).text


def without_breaks(page):
    return page.text.replace("\N{NO-BREAK SPACE}", " ")


def test_suggestions_show_how_they_stand_among_random_pairs(client):
    query = {"q": "space exploration"}
    suggested = client.app.state.service.snapshot.suggest(query["q"], 10).suggestions
    page = without_breaks(client.get("/", params=query))
    shown = re.findall(r'"percentile">closer than ([\d.]+ %)<', page)
    assert shown == [percentile_text(each.percentile) for each in suggested]
    assert "of random pairs of past queries, 99 % have a lower score" in page
    without = client.get("/", params={**query, "measure": "web-kernel"}).text
    assert 'class="query"' in without
    assert (
        "random pairs" not in without
    )  # its index is part of another measure's; its scores were not sampled


def test_why_explains_the_score_of_the_list_with_its_deductions(client):
    query = "NASA space exploration"
    snapshot = client.app.state.service.snapshot
    deducted = 0
    for each in snapshot.suggest(query, 10).suggestions:
        page = without_breaks(client.get("/why", params={"a": query, "b": each.query}))
        assert f"the shares sum to the score, {each.score:.3f}, {closer_than(each.percentile)}." in page
        deducted += PART_OF_QUERY in page
    assert deducted
    compared = without_breaks(client.get("/compare", params={"a": query, "b": "NASA"}))
    assert PART_OF_QUERY not in compared
    percentile = snapshot.percentile(snapshot.explain(query, "NASA").score)
    assert closer_than(percentile) in compared


def test_bars_are_drawn_on_the_axis_of_the_measure(client):
    shares = {"one": 0.5, "two": -0.25, "three": 0.1, "four": 0.05}
    contributions = tuple(Contribution(term, share) for term, share in shares.items())
    found = Explanation("a", "b", "dense", 0.4, contributions)
    view = make_view(found, client.app.state.service.snapshot.workspace.analyzer, 2)
    page = str(_environment.get_template("macros.html").module.terms(view))
    bars = re.findall(r'class="bar( negative)?".*?class="filled" x="([\d.]+)" width="([\d.]+)"', page)
    assert bars == [("", "20.0", "40.0"), (" negative", "0.0", "20.0"), ("", "20.0", "12.0")]
    assert re.findall(r'scope="row">(?:<bdi>)?([\w ]+)', page) == ["one", "two", "2 more"]
    assert "<span>-0.25</span><span>1</span>" in page


def test_exports_equal_the_api(client):
    page = client.get("/suggestions.json", params={"q": "java island", "k": "4"})
    (exported,) = json.loads(page.text)
    assert exported == client.get("/v1/suggest", params={"q": "java island", "k": 4}).json()
    table = client.get("/suggestions.tsv", params={"q": "java island", "k": "4"})
    assert 'filename="suggestions.tsv"' in table.headers["Content-Disposition"]
    rows = [line.split("\t") for line in table.text.splitlines()]
    assert rows[0] == ["query", "rank", "suggestion", "score", "count", "probability", "percentile"]
    assert [row[2] for row in rows[1:]] == [each["query"] for each in exported["suggestions"]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"q": "space", "k": "many"}, "must be a whole number from 1 to 100, got &#39;many&#39;"),
        ({"q": "space", "threshold": "high"}, "The minimum score must be a number"),
        ({"q": "space", "min_probability": "2"}, "The minimum probability must be a number from 0 to 1"),
        ({"q": "space", "measure": "web-kernal"}, "did you mean &#39;web-kernel&#39;?"),
        ({"q": "x" * 1001}, "may have 1,000 characters, got 1,001"),
        ({"q": "space", "measure": "edit-distance"}, "Unknown measure"),
        ({"q": "space", "measure": "backoff"}, "next: querykin build --measures backoff"),
    ],
)
def test_errors_are_shown_above_the_form(client, values, message):
    page = client.get("/", params=values)
    assert page.status_code in (409, 422)
    assert message in page.text
    assert 'role="alert"' in page.text
    assert 'id="ask"' in page.text


def test_a_query_that_is_not_covered_gets_advice(client):
    page = client.get("/", params={"q": "qwxyz"}).text
    assert "say too little about this query" in page
    assert "querykin corpus add" in page


def test_an_empty_workspace_shows_the_commands_to_run(make_client, tmp_path):
    with make_client(tmp_path / "empty") as client:
        for path in ("/", "/judge"):
            page = client.get(path).text
            for command in ("querykin corpus add FILE", "querykin repository mine", "querykin build"):
                assert command in page
        assert "querykin evaluate judgements.tsv" in client.get("/report").text
        assert client.get("/compare", params={"a": "red rose", "b": "rose"}).status_code == 200


def test_a_measure_is_described_by_its_docstring():
    assert measure_summary("web-kernel") == WebKernel.__doc__.partition("\n")[0]
    assert measure_summary("trained") == ""


def test_only_web_urls_become_links():
    assert safe_url(" https://example.org/a?b=c ") == "https://example.org/a?b=c"
    for wrong in (
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "//host",
        "http://[",
        "",
        "https:x",
    ):
        assert safe_url(wrong) == ""


def test_static_files_are_served_and_no_others(client):
    sheet = client.get("/static/pages.css")
    assert sheet.headers["Content-Type"].startswith("text/css")
    assert "no-cache" in sheet.headers["Cache-Control"]
    assert "immutable" in client.get("/static/pages.css?v=1").headers["Cache-Control"]
    assert client.get("/static/../views.py").status_code == 404
    assert client.get("/static/absent.js").status_code == 404


@pytest.mark.parametrize("path", ["/nowhere", "/judge/nowhere", "/%3Cscript%3E", "/suggestions.xlsx"])
def test_an_unknown_address_is_a_page_for_people_and_a_problem_for_programs(client, path):
    page = client.get(path, headers=BROWSER)
    assert (page.status_code, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "<nav aria-label" in page.text
    assert "<script>" not in page.text
    assert 'href="/compare"' in page.text


def test_unknown_addresses_of_the_api_are_problems_for_everybody(client):
    for path, headers in (("/v1/nowhere", BROWSER), ("/nowhere", {})):
        found = client.get(path, headers=headers)
        assert found.status_code == 404
        assert found.headers["Content-Type"] == "application/problem+json"
        assert found.json()["detail"] == f"there is no {path}; /docs lists all requests"
    assert client.put("/compare", headers=BROWSER).headers["Allow"] == "GET"


def test_measures_that_are_not_built_are_listed_with_the_command(client):
    page = client.get("/").text
    ready, _, others = page.partition('<optgroup label="after querykin build --measures NAME">')
    assert "<option selected>hybrid</option>" in ready
    assert "<option disabled>web-relevance</option>" in others
    for name in client.app.state.service.snapshot.searching:
        assert f"<option disabled>{name}</option>" not in page


def test_the_lists_of_two_measures_are_shown_side_by_side_with_what_moved(client):
    query = {"q": "space exploration", "k": "4", "versus": "edit"}
    page = client.get("/", params=query).text
    snapshot = client.app.state.service.snapshot
    before, after = (
        [each.query for each in snapshot.suggest(query["q"], 4, name).suggestions]
        for name in ("hybrid", "edit")
    )
    assert page.count('class="query"') == len(before) + len(after)
    assert page.count("not by edit") == sum(each not in after for each in before)
    assert page.count("</span> new</span>") == sum(each not in before for each in after)
    assert "versus=edit" in page  # of the links to other queries
    assert client.get("/", params={**query, "versus": "edti"}).status_code == 422


def test_mined_queries_are_not_called_asked(make_client, workspace_copy):
    with make_client() as client:
        logged = client.get("/", params={"q": "space exploration", "filter": "none"}).text
    assert "asked 2 times" in logged
    assert "61 documents, 60 past queries" in logged
    workspace = Workspace.open(workspace_copy)
    workspace.repository.remove_source("default")
    workspace.mine()
    workspace.reopen().build()
    with make_client() as client:
        mined = client.get("/", params={"q": "space exploration", "filter": "none"}).text
    assert re.search(r"in \d+ documents</span>", mined)
    assert "asked" not in mined
    assert "phrases of your documents" in mined
    assert re.search(r"61 documents, \d+ queries mined from the documents", mined)


@pytest.fixture
def evaluated(workspace_copy, tmp_path):
    """Ids of two evaluations on the same judgements and one on others."""
    rows = [
        ("space exploration", "NASA", 1),
        ("space exploration", "Bread", 0),
        ("java island", "Bali", 1),
        ("java island", "Umpire", 0),
    ]
    for name, judged in (("all.tsv", rows), ("few.tsv", rows[:2])):
        text = "".join(f"{q}\t{c}\t{g}\n" for q, c, g in judged)
        (tmp_path / name).write_text("query\tcandidate\tgrade\n" + text)
    workspace = Workspace.open(workspace_copy)
    ids = [
        store_run(
            workspace_copy / "evaluations",
            evaluate_file(workspace, EvaluationTask(str(tmp_path / name), measures)),
            name,
        ).id
        for name, measures in (
            ("all.tsv", ["edit", "web-kernel"]),
            ("all.tsv", ["web-kernel"]),
            ("few.tsv", ["web-kernel"]),
        )
    ]
    assert len(read_judged_pairs(str(tmp_path / "all.tsv"))) == 4
    return ids


def test_evaluations_are_listed_shown_and_compared(make_client, evaluated):
    first, second, other = evaluated
    with make_client() as client:
        listed = client.get("/report").text
        assert listed.index(other) < listed.index(second) < listed.index(first)
        run = client.get("/report/run", params={"id": first}).text
        assert "<svg" in run
        assert "plots.css" in run
        assert run.index('class="verdict"') < run.index("All columns") < run.index("<svg")
        assert 'href="../compare?a=' in run
        again = client.get("/report/run", params={"id": second}).text
        assert f"/report/compare?now={second}&amp;then={first}" in again
        assert "the previous evaluation of the same judgements" in again
        assert (
            f'<option value="{second}" selected>' in listed
        )  # before the newest, which is on other judgements
        same = client.get("/report/compare", params={"now": second, "then": first}).text
        assert "+0.000 [+0.000, +0.000]" in same
        unpaired = client.get("/report/compare", params={"now": other, "then": first}).text
        assert "based on different judgements" in unpaired
        unknown = client.get("/report/run", params={"id": "../../secret"})
        assert unknown.status_code == 404
        assert "Unknown evaluation" in unknown.text


def test_a_corrupted_evaluation_is_skipped(make_client, workspace_copy, evaluated):
    (workspace_copy / "evaluations" / "zzz.json").write_text('{"results": [')
    (workspace_copy / "evaluations" / "zzy.json").write_text("[]")
    with make_client() as client:
        listed = client.get("/report")
    assert listed.status_code == 200
    assert "zzz" not in listed.text
    assert evaluated[0] in listed.text
