"""A damaged workspace: every command says what is damaged, in one line, and leaves it alone."""

import json

import pytest

from querykin import Workspace
from querykin.integrity import find_damage, repair
from querykin.storage.store import Store

SIMILARITY = ["similarity", "space", "NASA", "--measure", "web-kernel"]


def _manifest(change):
    def damage(workspace):
        path = workspace / "corpus" / "manifest.json"
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))

    return damage


def _overwrite(pattern, content):
    def damage(workspace):
        next((workspace / "corpus").glob(pattern)).write_bytes(content)

    return damage


def _cut(pattern):
    def damage(workspace):
        path = next((workspace / "corpus").glob(pattern))
        path.write_bytes(path.read_bytes()[:-4])

    return damage


def _lose(pattern):
    return lambda workspace: next((workspace / "corpus").glob(pattern)).unlink()


UNREADABLE = {
    "half a manifest": (_cut("manifest.json"), "manifest.json is damaged"),
    "an empty manifest": (_overwrite("manifest.json", b""), "manifest.json is damaged"),
    "a binary manifest": (_overwrite("manifest.json", b"\xff\0"), "manifest.json is damaged"),
    "another thing": (_overwrite("manifest.json", b"[]"), "manifest.json is damaged"),
    "no facts": (_manifest(lambda content: content.pop("metadata")), "manifest.json is damaged"),
    "lost facts": (
        _manifest(lambda content: content["metadata"].pop("vocabulary")),
        "manifest.json is damaged",
    ),
    "wrong facts": (
        _manifest(lambda content: content["metadata"].update(segments=5)),
        "manifest.json is damaged",
    ),
    "wrong parts": (_manifest(lambda content: content["parts"].update(x=5)), "manifest.json is damaged"),
    "newer format": (_manifest(lambda content: content.update(format=99)), "in format 99"),
    "cut array": (_cut("parts/segment-*/tokens.npy"), "tokens.npy is damaged"),
    "empty array": (_overwrite("parts/vocabulary-*/table.npy", b""), "table.npy is damaged"),
    "no array": (_overwrite("parts/statistics-*/df.npy", b"hello"), "df.npy is damaged"),
    "lost array": (_lose("parts/vocabulary-*/stem.npy"), "stem.npy is damaged: it is missing"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_damage_that_keeps_it_from_opening_is_named(kind, own):
    damage, message = UNREADABLE[kind]
    damage(own.workspace)
    own.write("good.txt", "The Moon circles the Earth.")
    before = _content(own.workspace)
    for command in (["corpus", "info"], ["corpus", "add", "good.txt"], SIMILARITY):
        found = own(*command)
        assert (found.code, found.out, found.err.count("\n")) == (1, "", 1), found
        assert message in found.err
    assert _content(own.workspace) == before


ALL_DAMAGE = {
    **{kind: damage for kind, (damage, _) in UNREADABLE.items()},
    "cut engine": _cut("parts/segment-*/engine/*.idx"),
    "cut texts": _cut("parts/segment-*/texts.zst"),
    "changed array": lambda workspace: _flip(next((workspace / "corpus").glob("parts/*/tokens.npy"))),
}


@pytest.mark.parametrize("kind", ALL_DAMAGE)
def test_check_finds_every_damage(kind, own):
    ALL_DAMAGE[kind](own.workspace)
    own.refuses("check")


def test_check_lists_the_damaged_files_on_stdout(own):
    _cut("parts/segment-*/tokens.npy")(own.workspace)
    _lose("parts/vocabulary-*/stem.npy")(own.workspace)
    found = own("check")
    assert len(found.lines) == 2
    assert "tokens.npy has" in found.out
    assert "stem.npy is missing" in found.out
    assert all("original data; next: querykin restore BACKUP --only corpus" in line for line in found.lines)
    assert found.err == f"querykin: {own.workspace} is damaged: 2 problems, listed above\n"


def test_what_a_user_may_not_read_is_not_damaged(own, monkeypatch):
    def refuse(store):
        raise PermissionError(13, "Permission denied", str(store.path))

    monkeypatch.setattr(Store, "corrupted_files", refuse)
    opened = Workspace.open(own.workspace)
    assert str(find_damage(opened)[0]).endswith(
        "cannot be read by this user (original data; next: run the command as its owner)"
    )
    assert repair(opened) == []


def test_check_of_a_whole_workspace_is_content(querykin):
    found = querykin("check")
    assert (found.code, found.out, found.err) == (0, "", f"{querykin.workspace} is intact\n")
    assert querykin("check", "--quiet").err == ""


def test_a_damaged_search_index_is_named(own):
    _overwrite("parts/segment-*/engine/*.idx", b"")(own.workspace)
    assert ".idx is damaged" in own.refuses(*SIMILARITY)


def _content(workspace):
    files = (path for path in workspace.rglob("*") if path.is_file() and path.name != "lock")
    return {path: path.read_bytes() for path in files}


def _flip(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
