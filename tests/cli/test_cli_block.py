"""`querykin block` as users run it."""

import json
import shutil
from dataclasses import replace

import pytest

from querykin import Workspace

QUERIES = [
    "space exploration",
    "space rocket",
    "rocket launch",
    "Rocket launches",
    "NASA",
    "apple pie",
    "esa",
]


@pytest.fixture(scope="module")
def built(stocked, tmp_path_factory):
    path = tmp_path_factory.mktemp("blocked") / "workspace"
    shutil.copytree(stocked / "workspace", path)
    workspace = Workspace.open(path)
    workspace.repository.add([(query, 1) for query in QUERIES])
    workspace.build("web-kernel")
    return path


@pytest.fixture
def blocking(own, built, tmp_path):
    path = tmp_path / "blocking"
    shutil.copytree(built, path)
    return replace(own, workspace=path)


def suggested(program, *options: str) -> list[str]:
    everything = ["--measure", "web-kernel", "--filter", "none", "-k", "20"]
    found = program("suggest", "space rocket", *everything, "--format", "json", *options)
    assert found.code == 0, found
    return [each["query"] for each in json.loads(found.out)[0]["suggestions"]]


def test_a_blocked_query_is_never_offered(blocking):
    assert "rocket launch" in suggested(blocking)
    added = blocking("block", "add", "rocket launch")
    assert (added.code, added.out, added.err) == (0, "", "blocked 1 more; the block list now has 1\n")
    assert not {"rocket launch", "Rocket launches"} & set(suggested(blocking))
    assert "space rocket" in suggested(blocking)


def test_words_patterns_files_and_the_block_option_add_up(blocking):
    blocking("block", "add", "explore", "--pattern", "NAS?")
    assert set(suggested(blocking)) & {"space exploration", "NASA"} == set()
    blocking("block", "add", "--file", blocking.write("blocked.txt", "launching\n"))
    assert not {"rocket launch", "Rocket launches"} & set(suggested(blocking))
    assert "esa" in suggested(blocking)
    assert "esa" not in suggested(blocking, "--block", blocking.write("more.txt", "ESA\n"))
    assert "esa" in suggested(blocking)


def test_the_list_is_shown_in_every_format(blocking):
    blocking("block", "add", "rocket launch", "moon", "--pattern", "Cheap *")
    expected = [("query", "rocket launch"), ("word", "moon"), ("pattern", "cheap *")]
    assert blocking("block", "list").lines == [f"{kind:8} {entry}" for kind, entry in expected]
    entries = [{"kind": kind, "entry": entry} for kind, entry in expected]
    assert json.loads(blocking("block", "list", "--format", "json").out) == entries
    assert [json.loads(line) for line in blocking("block", "list", "--format", "jsonl").lines] == entries
    assert blocking("block", "list", "--format", "tsv").lines == [
        "kind\tentry",
        *("\t".join(each) for each in expected),
    ]


def test_a_glob_without_its_option_is_pointed_out(blocking):
    added = blocking("block", "add", "cheap *")
    assert added.err.endswith(
        "'cheap *' is blocked as words, without its *; for a glob: --pattern 'cheap *'\n"
    )
    assert blocking("block", "list").lines == ["word     cheap *"]


def test_what_is_removed_is_offered_again(blocking):
    blocking("block", "add", "rocket launch", "moon", "--pattern", "nasa")
    removed = blocking("block", "remove", "ROCKET LAUNCH", "--pattern", "NASA")
    assert removed.err == "unblocked 2; the block list now has 1\n"
    assert {"rocket launch", "NASA"} <= set(suggested(blocking))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add"], "next: querykin block add ENTRY"),
        (["remove"], "next: querykin block remove ENTRY"),
        (["add", "moon", "?!"], "got '?!'"),
        (["add", "moon", "--pattern", "[a"], "[[] matches a bracket"),
        (["add", "moon", "--pattern", "*"], "besides wildcards"),
        (["add", "moon", "--file", "none.txt"], "cannot read none.txt"),
        (["add", "moon", "--file", "."], "is a folder"),
        (["remove", "moon"], "'moon' is not in the block list"),
        (["list", "--format", "xml"], "--format must be one of"),
    ],
)
def test_wrong_input_is_refused_and_changes_nothing(blocking, arguments, message):
    blocking("block", "add", "rocket launch")
    assert message in blocking.refuses("block", *arguments)
    assert blocking("block", "list").lines == ["query    rocket launch"]


def test_files_of_other_encodings_are_read_and_lines_without_words_skipped(blocking):
    latin = blocking.write("latin.txt", b"caf\xe9\n")
    assert blocking("block", "add", "--file", latin).code == 0
    assert blocking("block", "list").lines == ["word     caf\u00e9"]
    found = blocking("block", "add", "--file", "-", stdin=b"moon\n??\n\xf0\x9f\x98\x80\n")
    assert found.code == 0
    assert found.err.count("skipped -, line") == 2
    assert "blocked 1 more" in found.err
    assert "nothing was given to add" in blocking.refuses(
        "block", "add", "--file", blocking.write("empty.txt", "\n")
    )


def test_check_finds_a_damaged_block_list(blocking):
    blocking("block", "add", "moon")
    assert blocking("check").code == 0
    (path,) = blocking.workspace.glob("block-list/parts/*/entries.json")
    path.write_text("{}")
    assert blocking("check").code == 1
