"""Hostile parameters and forms never cause an internal error."""

import pytest

LONE_SURROGATE = "\ud800".encode("utf-8", "surrogatepass")
HOSTILE = [
    "",
    " ",
    "\x00",
    "%",
    "%ff",
    LONE_SURROGATE,
    "9" * 30,
    "-1",
    "1e999",
    "nan",
    "٣",
    "'; --",
    "../../etc/passwd",
]
HOSTILE += ["<b>", "{{ 7*7 }}", "😀" * 10, "a\nb\tc", "x" * 5000]
GET_FIELDS = {
    "/": ("q", "measure", "k", "threshold", "filter", "min_count", "min_probability"),
    "/search": ("q", "k"),
    "/suggestions.tsv": ("q", "measure", "k", "threshold"),
    "/suggestions.json": ("q", "measure", "k"),
    "/suggestions.exe": ("q",),
    "/why": ("a", "b", "measure"),
    "/compare": ("a", "b"),
    "/judge/task": ("name",),
    "/judge/rate": ("task", "rater", "after"),
    "/judge/export": ("task", "form"),
    "/report/run": ("id",),
    "/report/compare": ("now", "then"),
}
POST_FIELDS = {
    "/judge": ("name", "queries", "count", "measures", "k", "scale"),
    "/judge/rate": ("task", "rater", "query", "candidate", "grade", "after"),
    "/judge/undo": ("task", "rater"),
}
VALID = {"q": "space", "a": "space", "b": "NASA", "measure": "web-kernel", "k": "2", "rater": "Ann"}
VALID |= {"task": "spring", "name": "other", "queries": "space", "measures": "web-kernel", "scale": "quality"}


@pytest.fixture(scope="module")
def task_client(client):
    task = {"name": "spring", "queries": "space exploration", "measures": "web-kernel", "k": "2"}
    assert client.post("/judge", data=task).status_code == 303
    return client


def form_values(names, field, value):
    return {name: value if name == field else VALID.get(name, "") for name in names}


@pytest.mark.parametrize("path", GET_FIELDS)
def test_hostile_parameters_get_a_response(task_client, path):
    for field in GET_FIELDS[path]:
        for value in HOSTILE:
            response = task_client.get(path, params=form_values(GET_FIELDS[path], field, value))
            assert response.status_code < 500, (field, value, response.text)


@pytest.mark.parametrize("path", POST_FIELDS)
def test_hostile_forms_get_a_response(task_client, path):
    for field in POST_FIELDS[path]:
        for value in HOSTILE:
            response = task_client.post(path, data=form_values(POST_FIELDS[path], field, value))
            assert response.status_code < 500, (field, value, response.text)


@pytest.mark.parametrize(
    "body", [b"grade=%ff%fe", b"\xff\xfe=1", b"a" * 10_000, b"&&&===", b"grade=1&" * 2000]
)
def test_malformed_forms_get_a_response(task_client, body):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert task_client.post("/judge/rate", content=body, headers=headers).status_code < 500


def test_files_in_place_of_fields_get_a_response(task_client):
    files = {"grade": ("grade.txt", b"1"), "measures": ("m.txt", b"edit")}
    for path in POST_FIELDS:
        assert task_client.post(path, files=files).status_code < 500
