"""A workspace that vanishes or is damaged while the service runs: the last good snapshot answers."""

import shutil

import pytest

from querykin import Workspace

JUDGEMENT = {"query": "NASA", "candidate": "ESA", "rater": "Ann", "task": "free", "grade": 1}
QUESTIONS = (
    "/v1/suggest?q=rocket&k=3",
    "/v1/search?q=moon",
    "/?q=telescope",
    "/compare?a=NASA&b=ESA",
    "/judge",
)


def _refresh(client):
    """What the service does twice a second."""
    try:
        return client.app.state.service.refresh()
    except Exception as error:  # as the watcher does
        return str(error)


def _answers(client):
    return [client.get(path).status_code for path in QUESTIONS]


@pytest.mark.parametrize("empty_folder", [False, True], ids=["no folder", "an empty folder"])
def test_answers_continue_and_nothing_is_created(make_client, workspace_copy, tmp_path, empty_folder):
    with make_client() as client:
        before = client.get("/v1/suggest?q=NASA&k=3").json()
        moved = workspace_copy.rename(tmp_path / "moved")
        if empty_folder:
            workspace_copy.mkdir()
        assert "is gone" in _refresh(client)
        assert client.get("/v1/suggest?q=NASA&k=3").json() == before
        assert _answers(client) == [200] * len(QUESTIONS)
        state = client.get("/readyz")
        assert (state.status_code, state.json()["status"]) == (200, "degraded")
        assert "the workspace is gone" in state.json()["reason"]
        response = client.post("/v1/judgements", json=JUDGEMENT)
        assert (response.status_code, response.json()["type"]) == (503, "/docs#unavailable")
        assert str(tmp_path) not in response.text
        form = {"measure": "hybrid-static"}
        assert client.post("/clusters/compare", data=form).status_code == 503
        assert client.post("/clusters/lists", data={"pasted": "a\nb", **form}).status_code == 503
        assert (list(workspace_copy.iterdir()) if empty_folder else workspace_copy.exists()) in ([], False)
        if empty_folder:
            workspace_copy.rmdir()
        moved.rename(workspace_copy)
        assert _refresh(client) is False
        assert client.get("/readyz").json() == {"status": "ready"}
        assert client.post("/v1/judgements", json=JUDGEMENT).status_code == 201


def test_another_workspace_in_its_place_is_opened(make_client, workspace_copy, tmp_path):
    other = Workspace.open(tmp_path / "other")
    other.corpus.add(["An apple pie with cinnamon.", "A cake with cinnamon."])
    other.reopen().repository.add([("apple pie", 3), ("cinnamon cake", 2)])
    other.reopen().build()
    with make_client() as client:
        shutil.rmtree(workspace_copy)
        other.path.rename(workspace_copy)
        assert _refresh(client) is True
        found = client.get("/v1/suggest?q=cinnamon&min_probability=0").json()["suggestions"]
        assert {each["query"] for each in found} <= {"apple pie", "cinnamon cake"}
        assert client.get("/readyz").json() == {"status": "ready"}


def test_a_damaged_workspace_in_its_place_is_refused(make_client, workspace_copy, built_workspace):
    with make_client() as client:
        before = client.get("/v1/suggest?q=NASA&k=3").json()
        manifest = workspace_copy / "corpus" / "manifest.json"
        content = manifest.read_bytes()
        manifest.unlink()
        manifest.write_bytes(content[: len(content) // 2])
        assert "manifest.json" in _refresh(client)
        assert client.get("/v1/suggest?q=NASA&k=3").json() == before
        assert client.get("/readyz").json()["status"] == "degraded"
        manifest.write_bytes(content)
        _refresh(client)
        assert client.get("/readyz").json() == {"status": "ready"}


def test_damaged_judgements_are_a_503_and_pages_without_them_work(make_client, workspace_copy):
    with make_client() as client:
        assert client.post("/v1/judgements", json=JUDGEMENT).status_code == 201
        client.app.state.service.judgements.close()
        file = workspace_copy / "judgements.db"
        file.write_bytes(file.read_bytes()[:5000])
        response = client.post("/v1/judgements", json=JUDGEMENT)
        assert (response.status_code, response.json()["type"]) == (503, "/docs#judgements")
        assert "judgements.db: the file is damaged" in response.json()["detail"]
        assert client.get("/judge").status_code == 503
        assert client.get("/v1/suggest?q=NASA").status_code == 200
