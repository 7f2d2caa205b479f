"""Unknown parameters and fields are refused by every page and every request, with the nearest name."""

import pytest
from fastapi.routing import APIRoute

from querykin.server import api, health, login, openapi, pages

PAIR = {"a": "NASA", "b": "ESA"}


def _paths(method):
    """The paths of all routes, of which FastAPI keeps those of included routers apart."""
    modules = (api, health, login, openapi, pages)
    routes = [route for module in modules for route in _flat(module.router)]
    return sorted({route.path for route in routes if method in route.methods})


def _flat(router):
    for route in router.routes:
        if isinstance(route, APIRoute):
            yield route
        else:
            yield from _flat(route.original_router)


def _filled(path):
    return (
        path.replace("{name}", "pages.css")
        .replace("{file_format}", "tsv")
        .replace("{export}", "clusters.tsv")
    )


def test_every_route_refuses_an_unknown_parameter(client):
    for method in ("GET", "POST"):
        paths = _paths(method)
        assert len(paths) > 10
        for path in paths:
            body = {"json": {}} if path.startswith("/v1/") else {}
            response = client.request(method, f"{_filled(path)}?no_such_parameter=1", **body)
            assert response.status_code == 422, (method, path)
            assert "no_such_parameter" in response.text, (method, path)


def test_the_application_has_no_other_routes(client):
    assert {route.path for route in _flat(client.app)} == {*_paths("GET"), *_paths("POST")}


def test_the_nearest_name_is_proposed(client):
    page = client.get("/?querry=NASA&mesure=dice", headers={"Accept": "text/html"})
    assert (page.status_code, page.headers["content-type"]) == (422, "text/html; charset=utf-8")
    assert client.get("/?mesure=dice").json()["errors"][0]["at"] == "query.mesure"
    assert "did you mean &#39;measure&#39;" in client.get("/?mesure=x", headers={"Accept": "text/html"}).text


@pytest.mark.parametrize(
    ("path", "form", "refused"),
    [
        ("/judge", {"name": "t", "querys": "a"}, "querys"),
        ("/judge/rate", {"task": "t", "grades": "1"}, "grades"),
        ("/judge/needs", {"task": "t", "needs": "a"}, "needs"),
        ("/clusters/lists", {"pasted": "a", "measures": "dice"}, "measures"),
        ("/clusters/move", {"keywords": "a"}, "keywords"),
        ("/login", {"next": "/", "tokens": "x"}, "tokens"),
    ],
)
def test_every_form_refuses_an_unknown_field(client, path, form, refused):
    response = client.post(path, data=form)
    assert response.status_code == 422
    assert f"orm.{refused}: unknown parameter" in response.text  # pages begin a sentence with it


def test_a_field_that_is_given_twice_is_refused_unless_it_is_a_list(client):
    assert client.get("/?q=a&q=b").json()["detail"] == "query.q: given 2 times; give it once"
    twice = client.post("/judge", data={"name": ["a", "b"]})
    assert twice.json()["detail"] == "form.name: given 2 times; give it once"
    measures = client.post("/judge", data={"name": "m", "measures": ["dice", "jaccard"]})
    assert "given 2 times" not in measures.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("match", {"queries": ["a"], "k": "2"}),
        ("match", {"queries": ["a"], "k": 2.0}),
        ("match", {"queries": ["a"], "k": True}),
        ("match", {"queries": "a"}),
        ("similarity", {"pairs": [{"a": 1, "b": "b"}]}),
        ("similarity", {"pairs": [["a", "b"]]}),
        ("judgements", {"query": "a", "candidate": "b", "rater": "r", "task": "t", "grade": "1"}),
        ("judgements", {"query": "a", "candidate": "b", "rater": "r", "task": "t", "cannot_judge": "yes"}),
        ("explain", {"pairs": [PAIR], "mesures": []}),
        ("explain", {"pairs": [{**PAIR, "c": "d"}]}),
    ],
)
def test_values_of_another_type_and_unknown_fields_are_refused(client, path, body):
    response = client.post(f"/v1/{path}", json=body)
    assert (response.status_code, response.json()["type"]) == (422, "/docs#invalid")
