"""`querykin log`: files of sessions, clicks and reformulations in; suggestions and explanations out."""

import json
import zipfile

import pytest

from querykin import Workspace
from querykin.backup import back_up, restore
from querykin.integrity import find_damage, repair, unknown_files
from querykin.integrity.inventory import inventory

SESSIONS = "session,time,query,url\n" + "".join(
    f"{n},2024-01-0{n} 10:0{m},{query},/{page}\n"
    for n in range(1, 6)
    for m, (query, page) in enumerate([("nasa", "space"), ("rockets", "space"), ("apple pie", "pie")])
)


@pytest.fixture
def logged(own):
    (own.folder / "sessions.csv").write_text(SESSIONS + "6,2024-01-06,private matter,/x\n")
    assert own("log", "add", "sessions.csv").code == 0
    return own


def test_a_log_is_added_once_and_its_queries_can_be_offered(logged):
    again = logged("log", "add", "sessions.csv")
    read = "sessions.csv (sessions with clicks): session = session, time = time, query = query, url = url"
    assert again.messages == [read, "nothing changed: the log has this content already"]
    other = logged("log", "add", "sessions.csv", "--source", "other", "--dry-run")
    assert other.messages == [
        read,
        "dry run: would add 6 sessions, 4 queries, 3 clicked pages, 2 reformulations; nothing was written",
    ]
    facts = json.loads(logged("log", "info", "--format", "json").out)
    assert facts == {
        "sessions": 6,
        "queries": 4,
        "offered": 3,
        "min_sessions": 3,
        "sources": {"sessions.csv": 1},
    }
    assert "offered" in logged("log", "info").out
    listed = logged("repository", "list", "--format", "tsv").lines[1:]
    assert sorted(listed) == [f"{query}\t5\tsearch-log" for query in ("apple pie", "nasa", "rockets")]


def test_suggestions_and_explanations_by_the_log(logged):
    found = json.loads(logged("suggest", "nasa", "--measure", "co-click", "--format", "json").out)
    assert [each["query"] for each in found[0]["suggestions"]] == ["rockets"]
    shown = json.loads(
        logged("similarity", "nasa", "rockets", "--measure", "co-click", "--explain", "--format", "json").out
    )
    assert "/space" in json.dumps(shown)
    assert "private" not in json.dumps(shown)
    missing = json.loads(logged("suggest", "volcano", "--measure", "co-session", "--format", "json").out)
    assert (missing[0]["covered"], missing[0]["suggestions"]) == (False, [])


def test_rows_that_cannot_be_used_are_named_and_the_rest_is_added(own):
    table = b"query\turl\tcount\nnasa\t/space\t7\n\t/x\t1\nnasa\t/y\tmany\n"
    done = own("log", "add", "-", stdin=table)
    assert done.messages == [
        "- (clicks): query = query, url = url, count = count",
        "skipped -, line 3: no query",
        "skipped -, line 4: the count 'many' is not a number",
        "added 1 query, 1 clicked page, 2 rows skipped; 1 query of enough sessions can be offered",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("log", "add", "nothing.csv"), "cannot read nothing.csv"),
        (("log", "add", "-", "-"), "named twice"),
        (("log", "remove", "--source", "x"), "there is no source 'x': nothing has been added yet"),
        (("suggest", "a", "--measure", "co-click"), "next: querykin log add FILE"),
    ],
)
def test_errors_are_one_line(own, arguments, message):
    own("repository", "add", "-", stdin=b"some query\n")
    done = own(*arguments)
    assert (done.code, len(done.messages)) == (1, 1)
    assert message in done.err


def test_a_source_is_removed_with_its_queries(logged):
    done = logged("log", "remove", "--source", "sessions.csv")
    assert done.messages == ["removed 1 addition; the log now has 0"]
    assert logged("repository", "list", "--format", "tsv").lines[1:] == []


def test_what_was_removed_is_told_no_longer(logged):
    compare = ("similarity", "nasa", "rockets", "--measure", "co-click")
    assert logged(*compare).code == 0
    logged("log", "remove", "--source", "sessions.csv")
    done = logged(*compare)
    assert done.code == 1
    assert "next: querykin log add FILE" in done.err
    graphs = [path for path in (logged.workspace / "log-graphs").rglob("*") if path.is_file()]
    assert not any(b"nasa" in path.read_bytes() for path in graphs)


def test_a_backup_has_the_log_and_its_graphs_and_restores_them_privately(logged, tmp_path):
    workspace = Workspace.open(logged.workspace)
    workspace.build("co-click")
    before = workspace.similarity("nasa", "rockets", "co-click")
    assert not find_damage(workspace)
    assert not unknown_files(workspace.path)
    backup = tmp_path / "log.backup"
    back_up(workspace, backup)
    restored = Workspace.open(tmp_path / "restored")
    restore(backup, restored.path)
    restored = restored.reopen()
    assert restored.similarity("nasa", "rockets", "co-click") == before
    assert dict(restored.log.seen_queries()) == dict(workspace.log.seen_queries())
    assert (restored.path / "log").stat().st_mode & 0o777 == 0o700


def test_damage_to_the_log_is_found_and_a_damaged_graph_made_again(logged):
    workspace = Workspace.open(logged.workspace)
    workspace.build("co-click")
    score = workspace.similarity("nasa", "rockets", "co-click")
    names = {(entry.name, entry.is_original) for entry in inventory(workspace.path)}
    assert {("log", True), ("log-graphs", False)} <= names
    graph = next((workspace.path / "log-graphs").rglob("counts.npy"))
    graph.write_bytes(graph.read_bytes()[:-200] + bytes(200))
    problems = find_damage(workspace.reopen())
    assert problems
    assert all("derived data" in str(each) for each in problems)
    assert repair(workspace.reopen())
    assert workspace.reopen().similarity("nasa", "rockets", "co-click") == score
    assert [each.query for each in workspace.reopen().suggest("nasa", measure="co-click").suggestions] == [
        "rockets"
    ]
    counts = next((workspace.path / "log").rglob("clicks/counts.npy"))
    counts.write_bytes(bytes(len(counts.read_bytes())))
    assert "restore BACKUP --only log" in str(find_damage(workspace.reopen())[0])


def test_an_archive_is_one_log(own):
    with zipfile.ZipFile(own.folder / "log.zip", "w") as archive:
        head, *rows = SESSIONS.splitlines(keepends=True)
        archive.writestr("1.csv", "".join([head, *rows[:8]]))  # a session goes on in the next file
        archive.writestr("2.csv", "".join([head, *rows[8:]]))
        archive.writestr("readme.txt", "two files")
    done = own("log", "add", "log.zip")
    assert done.code == 0, done
    assert done.messages[2:] == [
        "files that were not read, or not to their end: 1",
        "  log.zip/readme.txt is not a log; found: two files",
        "added 5 sessions, 3 queries, 2 clicked pages, 2 reformulations; 3 queries of enough sessions can be "
        "offered",
    ]
