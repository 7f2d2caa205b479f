"""The Clusters page without scripts: lists, groups, changes by hand, judging, exports, errors."""

import csv
import json
import re
import shutil
import time
from html import unescape
from io import BytesIO, StringIO

import pytest
from fastapi.testclient import TestClient

from querykin import Document, Workspace
from querykin.clustering.thresholds import default_threshold, lowest_threshold
from querykin.server.app import create_app
from querykin.server.judgement_store import JudgementStore
from querykin.settings_sections import ServerSettings

SEARCH_CONSOLE = (
    "Top queries,Clicks,Impressions,CTR,Position\n"
    "garden hose,50,1000,5%,3.1\nhose for gardens,20,500,4%,4\ngarden hoses,5,80,1%,9\n"
    "apple pie,3,90,1%,8\napple pie recipe,2,10,1%,7\njava island,1,1,1%,1\n=1+1,1,1,1%,1\n"
)
MEASURE = "hybrid-static"  # no pretrained sentence model has to be loaded
PAGES = {"accept": "text/html"}


@pytest.fixture(scope="module")
def workspace(built_workspace, tmp_path_factory):
    return shutil.copytree(built_workspace, tmp_path_factory.mktemp("clusters") / "workspace")


@pytest.fixture(scope="module")
def client(workspace):
    app = create_app(Workspace.open(workspace), ServerSettings(rate=0.0, max_upload=100_000))
    with TestClient(app, follow_redirects=False, headers=PAGES) as client:
        yield client


@pytest.fixture(scope="module")
def listed(client):
    """The id of an uploaded list whose keywords are compared."""
    started = client.post(
        "/clusters/lists",
        files={"file": ("C:\\exports\\Queries.csv", SEARCH_CONSOLE.encode())},
        data={"measure": MEASURE},
    )
    assert started.status_code == 303, started.text
    for _ in range(300):
        job = client.get(started.headers["location"] + "/progress").json()
        if job["state"] not in ("queued", "running"):
            break
        time.sleep(0.1)
    assert job["state"] == "done", job
    assert client.get(started.headers["location"]).headers["location"] == job["link"]
    return re.search(r"list=(\w+)", job["link"])[1]


@pytest.fixture
def view(client, listed):
    """Function that opens the page of the list, and undoes all changes at the end."""

    def open_page(**parameters):
        given = {"list": listed, "measure": MEASURE, "threshold": "0.5", **parameters}
        return client.get("/clusters", params=given)

    yield open_page
    while "by hand, kept" in open_page().text:
        client.post("/clusters/undo", data={"list": listed, "measure": MEASURE})


def text_of(page):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


def groups(page):
    found = re.findall(r"<li data-row><a.*?<bdi>(.*?)</bdi>.*?quiet\">(.*?)</span>", page.text)
    return {unescape(head): size for head, size in found}


def post(client, listed, path, **values):
    given = {"list": listed, "measure": MEASURE, "threshold": "0.5", **values}
    return client.post(path, data=given)


def problem(page):
    return unescape(re.search(r'class="problem" role="alert"><p>(.*?)</p>', page.text, re.DOTALL)[1])


def test_before_the_keywords_are_compared_the_page_offers_it(client):
    page = client.get("/clusters")
    assert "60 keywords are not compared with each other by hybrid yet" in text_of(page)
    assert 'action="/clusters/compare"' in page.text


def test_an_uploaded_list_is_grouped(view):
    page = view()
    assert groups(page) == {"garden hose": "3 keywords", "apple pie": "2 keywords"}
    text = text_of(page)
    assert "Queries.csv (Search Console, CSV, UTF-8): query = Top queries, count = Impressions" in text
    assert "2 groups 5 keywords in them 2 alone" in text
    assert "garden hose 1,580× 3 keywords" in text


def test_a_membership_is_explained_by_its_own_score(client, view):
    page = view()
    link = unescape(
        re.search(r'href="(/clusters/why[^"]*)">Why<span class="hidden"> is “garden hoses”', page.text)[1]
    )
    (score,) = re.findall(r"garden hoses 80× ([\d.]+)", text_of(page))
    assert f"the shares sum to the score, {score}" in text_of(client.get(link))


def test_the_threshold_regroups_and_stays_in_its_range(view):
    assert groups(view(threshold="1")) == {}
    assert "every keyword is alone" in view(threshold="1").text
    assert f'value="{lowest_threshold(MEASURE)}"' in view(threshold="-7").text
    assert f'value="{default_threshold(MEASURE)}"' in view(threshold="").text
    assert view(threshold="much").status_code == 422


def test_keywords_are_found_in_heads_and_members(view):
    assert groups(view(find="HOSES")) == {"garden hose": "3 keywords"}
    assert groups(view(find="java")) == {"java island": "alone"}
    assert "No keyword contains “ zzz ”" in text_of(view(find="zzz"))


def test_a_group_is_opened_by_any_of_its_keywords(view):
    assert "apple pie 100×" in text_of(view(group="apple pie recipe"))
    assert "'rocket' is not in this list" in problem(view(group="rocket"))


def test_a_keyword_is_removed_and_moved_and_both_are_undone(client, listed, view):
    before = groups(view())
    removed = post(client, listed, "/clusters/alone", keyword="garden hoses", group="garden hose")
    assert removed.status_code == 303
    assert "group=garden+hose" in removed.headers["location"]
    page = client.get(removed.headers["location"])
    assert groups(page)["garden hose"] == "2 keywords"
    assert "1 change by hand" in text_of(page)
    assert post(client, listed, "/clusters/move", keyword="java island", to="Apple PIE").status_code == 303
    page = view(group="apple pie")
    assert groups(page)["apple pie"] == "3 keywords"
    assert "java island by hand" in text_of(page)
    assert "“ java island ” moved to the group of “ apple pie ”" in text_of(page)
    assert groups(view(threshold="1")) == {"apple pie": "2 keywords"}
    assert "java island,1,1,1%,1,apple pie" in export(client, listed, "grouped-keywords.csv")
    post(client, listed, "/clusters/undo")
    post(client, listed, "/clusters/undo")
    assert groups(view()) == before


@pytest.mark.parametrize(
    ("path", "values", "message"),
    [
        ("/clusters/move", {"keyword": "java island", "to": ""}, "choose the keyword whose group"),
        ("/clusters/move", {"keyword": "java island", "to": "rocket"}, "'rocket' is not a keyword"),
        ("/clusters/move", {"keyword": "java island", "to": "Java island"}, "cannot join itself"),
        ("/clusters/alone", {"keyword": "rocket"}, "'rocket' is not a keyword"),
    ],
)
def test_wrong_changes_are_refused(client, listed, view, path, values, message):
    refused = post(client, listed, path, **values)
    assert refused.status_code == 422
    assert message in problem(refused).replace("Choose", "choose")
    assert "No changes by hand" in view().text


def export(client, listed, name, **values):
    given = {"list": listed, "measure": MEASURE, "threshold": "0.5", **values}
    found = client.get(f"/clusters/{name}", params=given)
    assert found.status_code == 200, found.text
    assert f'filename="{name}"' in found.headers["content-disposition"]
    return found.text


def test_exports_have_the_groups(client, listed):
    ads = list(csv.DictReader(StringIO(export(client, listed, "google-ads.csv"))))
    assert [row["Keyword"] for row in ads if row["Ad group"] == "apple pie"] == [
        "apple pie",
        "apple pie recipe",
    ]
    rows = list(csv.DictReader(StringIO(export(client, listed, "grouped-keywords.csv"))))
    assert [(row["Top queries"], row["Clicks"], row["group"]) for row in rows][1] == (
        "hose for gardens",
        "20",
        "garden hose",
    )
    assert rows[-1]["Top queries"] == "'=1+1"
    assert "apple pie recipe => apple pie" in export(client, listed, "synonyms-one-way.txt")
    assert "apple pie, apple pie recipe" in export(client, listed, "synonyms-two-way.txt")
    assert export(client, listed, "synonyms-two-way.txt", threshold="1") == ""
    head, first, *_ = export(client, listed, "clusters.tsv").splitlines()
    assert (head, first) == ("head\tquery\tscore\tcount", "garden hose\tgarden hose\t\t1000")
    assert json.loads(export(client, listed, "clusters.json"))[0]["count"] == 1580
    assert client.get("/clusters/clusters.exe").status_code == 404


def test_pairs_near_the_threshold_are_judged_and_the_share_of_good_ones_is_shown(
    client, listed, view, workspace
):
    assert "No judged pair scores this high" in view().text
    created = post(client, listed, "/clusters/judge")
    assert created.headers["location"] == "/judge/task?name=near+0.50+by+hybrid-static%2C+Queries.csv"
    store, name = JudgementStore(workspace), "near 0.50 by hybrid-static, Queries.csv"
    items = {(item.query, item.candidate): item.proposals[0].score for item in store.items(name)}
    assert items["garden hose", "garden hoses"] >= 0.5
    grades = {pair: 3 if pair[0] == "garden hose" else 0 for pair in items}
    for pair, grade in grades.items():
        store.record(*pair, grade, "Ann", name)
    above = [grades[pair] == 3 for pair, score in items.items() if score >= 0.5]
    share = f"{sum(above) / len(above):.0%} of judged pairs at or above this score were good"
    assert share in text_of(view())
    assert f"{len(above)} judged)" in text_of(view())
    assert "there is nothing to judge" in problem(post(client, listed, "/clusters/judge")).lower()
    store.close()


def test_a_pasted_list_is_kept_until_it_is_removed(client):
    pasted = client.post("/clusters/lists", data={"pasted": "red shoes\t4\nshoes red\n", "measure": "static"})
    job = pasted.headers["location"]
    client.post(f"{job}/cancel")
    page = client.get("/clusters")
    (identity,) = re.findall(r'value="(\w+)">pasted list \(2\)', page.text)
    assert "2 keywords are not compared" in text_of(client.get("/clusters", params={"list": identity}))
    assert client.post("/clusters/remove", data={"list": identity}).status_code == 303
    gone = client.get("/clusters", params={"list": identity})
    assert gone.status_code == 404
    assert "no keyword list" in problem(gone).lower()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"", "No keywords in empty.txt"),
        ("numbers.csv", b"a,b\n1,2\n", "Numbers.csv has no column of queries; found: a, b"),
        ("list.xlsx", b"\0\1\2", "No keywords in list.xlsx"),
        ("list.csv.gz", b"x", "List.csv.gz ends in .gz but holds other data"),
    ],
)
def test_files_that_cannot_be_read_are_refused_with_the_message_of_the_reader(client, name, content, message):
    refused = client.post(
        "/clusters/lists", files={"file": (name, BytesIO(content))}, data={"measure": MEASURE}
    )
    assert refused.status_code == 422
    assert problem(refused).startswith(message)
    assert "/tmp" not in refused.text


def test_uploads_have_a_limit_of_their_own(client):
    refused = client.post(
        "/clusters/lists", files={"file": ("large.txt", b"x" * 100_001)}, data={"measure": MEASURE}
    )
    assert refused.status_code == 413
    assert problem(refused).startswith("The body exceeds the limit of 100,000 bytes")
    nothing = client.post("/clusters/lists", data={"pasted": " \n", "measure": MEASURE})
    assert "choose a file, or paste keywords" in problem(nothing)
    unknown = client.post("/clusters/lists", data={"pasted": "a", "measure": "hybird"})
    assert "did you mean 'hybrid'" in problem(unknown)


def test_clusters_over_the_api(client, listed):
    parameters = {"list": listed, "measure": MEASURE, "threshold": 0.5, "k": 1}
    found = client.get("/v1/clusters", params=parameters).json()
    assert found["measure"] == MEASURE
    assert found["clusters"] == json.loads(export(client, listed, "clusters.json"))[:1]
    assert (found["groups"], found["keywords"], found["alone"]) == (2, 5, 2)
    missing = client.get("/v1/clusters")
    assert missing.status_code == 409
    assert "next: querykin cluster" in missing.json()["detail"]


@pytest.mark.parametrize("documents", [[], [Document("1", "Pie", "An apple pie is baked in the oven.")]])
def test_a_workspace_where_nothing_is_built_takes_lists(tmp_path, documents):
    workspace = Workspace.open(tmp_path / "workspace")
    if documents:
        workspace.corpus.add(documents)
    with TestClient(create_app(workspace.reopen(), ServerSettings(rate=0.0)), headers=PAGES) as client:
        page = client.get("/clusters")
        assert page.status_code == 200
        assert "upload or paste a list above" in page.text
        assert f"<option selected>{workspace.reopen().clustering_measure().name}</option>" in page.text
