"""Whatever is typed into an address or a form, a page answers, and never with a fault."""

import pytest

HALF = "\ud800".encode("utf-8", "surrogatepass")
NASTY = ["", " ", "\x00", "%", "%ff", HALF, "9" * 30, "-1", "1e999", "nan", "٣", "'; --", "../../etc/passwd"]
NASTY += ["<b>", "{{ 7*7 }}", "😀" * 10, "a\nb\tc", "x" * 5000]
READ = {
    "/": ("q", "measure", "k", "threshold"),
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
WRITTEN = {
    "/judge": ("name", "queries", "count", "measures", "k", "scale"),
    "/judge/rate": ("task", "rater", "query", "candidate", "grade", "after"),
    "/judge/undo": ("task", "rater"),
}
USUAL = {"q": "space", "a": "space", "b": "NASA", "measure": "web-kernel", "k": "2", "rater": "Ann"}
USUAL |= {"task": "spring", "name": "other", "queries": "space", "measures": "web-kernel", "scale": "quality"}


@pytest.fixture(scope="module")
def judged(client):
    made = {"name": "spring", "queries": "space exploration", "measures": "web-kernel", "k": "2"}
    assert client.post("/judge", data=made).status_code == 303
    return client


def given(names, odd, nasty):
    return {name: nasty if name == odd else USUAL.get(name, "") for name in names}


@pytest.mark.parametrize("path", READ)
def test_addresses_with_anything_in_them_are_answered(judged, path):
    for odd in READ[path]:
        for nasty in NASTY:
            answer = judged.get(path, params=given(READ[path], odd, nasty))
            assert answer.status_code < 500, (odd, nasty, answer.text)


@pytest.mark.parametrize("path", WRITTEN)
def test_forms_with_anything_in_them_are_answered(judged, path):
    for odd in WRITTEN[path]:
        for nasty in NASTY:
            answer = judged.post(path, data=given(WRITTEN[path], odd, nasty))
            assert answer.status_code < 500, (odd, nasty, answer.text)


@pytest.mark.parametrize(
    "body", [b"grade=%ff%fe", b"\xff\xfe=1", b"a" * 10_000, b"&&&===", b"grade=1&" * 2000]
)
def test_forms_that_are_none_are_answered(judged, body):
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert judged.post("/judge/rate", content=body, headers=kind).status_code < 500


def test_files_in_place_of_fields_are_answered(judged):
    files = {"grade": ("grade.txt", b"1"), "measures": ("m.txt", b"edit")}
    for path in WRITTEN:
        assert judged.post(path, files=files).status_code < 500
