"""Block lists: what they block, and their store."""

import json
import signal
import subprocess
import sys
import time

import pytest

from querykin import InputError, WorkspaceError
from querykin.retrieval.block_list import MAX_PATTERNS, BlockList, read_entries
from querykin.retrieval.block_list_store import BlockListStore
from querykin.text.analyzer import Analyzer
from querykin.text.tokenizer import words


def blocks(block_list: BlockList, query: str) -> bool:
    return block_list.blocks(query, words(query))


@pytest.mark.parametrize(
    ("entry", "query", "expected"),
    [
        ("rocket", "rocket", True),
        ("rocket", "two Rockets launched", True),
        ("ROCKETS", "a rocket", True),
        ("rocket", "rocketry", False),
        ("rocket launch", "Rocket  LAUNCH", True),
        ("rocket launch", "rocket-launches", True),
        ("rocket launch", "rocket", False),
        ("rocket launch", "launch rocket", False),
        ("rocket launch", "rocket launch today", False),
        ("crème brûlée", "Cre\u0300me Bru\u0302le\u0301e", True),
        ("no-hitter", "hitter", False),
    ],
)
def test_a_word_blocks_its_stem_and_several_words_block_that_query(entry, query, expected):
    assert blocks(BlockList.of([entry]), query) is expected


def test_stems_are_those_of_the_languages_of_the_corpus():
    block_list = BlockList.of(["Gießkanne", "tomatoes"], analyzer=Analyzer.of("de", "en"))
    assert blocks(block_list, "grüne giesskannen")
    assert blocks(block_list, "tomato soup")
    assert not blocks(block_list, "grüne kannen")


@pytest.mark.parametrize(
    ("entry", "query", "expected"),
    [
        ("cafetiere", "cafetière italienne", True),
        ("cafetieres", "Cafetière", True),
        ("cafetière", "cafetiere", True),
        ("creme brulee", "crème brûlée", True),
        ("cafetiere", "café", False),
    ],
)
def test_diacritics_make_no_difference(entry, query, expected):
    assert blocks(BlockList.of([entry], analyzer=Analyzer.of("fr")), query) is expected


@pytest.mark.parametrize(
    ("entry", "query", "expected"),
    [
        ("自転車", "子供用自転車", True),
        ("自転車", "自転車用ヘルメット", True),
        ("自転車", "自動車", False),
        ("コーヒー", "ｺｰﾋｰ豆", True),
        ("東京 地図", "東京 地図帳", False),
        ("자전거", "자전거용 헬멧", True),
    ],
)
def test_a_word_without_spaces_around_it_blocks_what_contains_it(entry, query, expected):
    block_list = BlockList.of([entry], analyzer=Analyzer.of("ja"))
    assert blocks(block_list, query) is expected
    assert block_list.kinds() == [("query" if " " in entry else "word", entry)]


@pytest.mark.parametrize(
    ("pattern", "query", "expected"),
    [
        ("cheap *", "Cheap flights", True),
        ("cheap *", "very cheap flights", False),
        ("CHEAP *", "cheap  flights", True),
        ("*free download*", "pdf free downloads", True),
        ("jav?", "java", True),
        ("jav?", "javas", False),
        ("[jl]ava", "lava", True),
        ("[!j]ava", "java", False),
        ("*[[]draft]", "report [draft]", True),
        ("a.c", "abc", False),
        ("*😀*", "hello 😀", True),
    ],
)
def test_a_pattern_is_a_glob_over_the_whole_query(pattern, query, expected):
    assert blocks(BlockList.of([], [pattern]), query) is expected


def test_an_empty_list_blocks_nothing():
    assert not blocks(BlockList(), "")
    assert not blocks(BlockList(), "rocket")


@pytest.mark.parametrize("entry", ["", "  ", "?!", "\0", "x" * 1001])
def test_an_entry_without_a_word_or_too_long_is_refused(entry):
    with pytest.raises(InputError, match="is a word or a query of up to 1,000 characters"):
        BlockList.of(["rocket", entry])


@pytest.mark.parametrize("pattern", ["", "*", "? *", "[a-z]*", "[a", "a[", "x" * 1001])
def test_a_pattern_that_is_no_glob_or_matches_anything_is_refused(pattern):
    with pytest.raises(InputError, match="a pattern"):
        BlockList.of([], [pattern])


def test_patterns_are_limited_and_matched_in_bounded_time():
    with pytest.raises(InputError, match="may have 1,000 patterns, got 1,001"):
        BlockList.of([], [f"{number} *" for number in range(MAX_PATTERNS + 1)])
    hostile = BlockList.of([], ["*" + "a*" * 400 + "b" for _ in range(10)] + ["*?" * 400 + "b"])
    began = time.process_time()
    assert not blocks(hostile, "a" * 1000)
    assert time.process_time() - began < 5  # a regular expression would take longer than the universe exists


def test_union_and_difference_compare_entries_as_they_block():
    both = BlockList.of(["rocket", "Space travel"], ["a *"]) | BlockList.of(
        ["Rockets", "moon"], ["A *", "b *"]
    )
    assert both == BlockList(("rocket", "Space travel", "moon"), ("a *", "b *"))
    assert both - BlockList.of(["space-travels"], ["b *"]) == BlockList(("rocket", "moon"), ("a *",))
    with pytest.raises(InputError, match="'mars' is not in the block list; nothing was removed"):
        both - BlockList.of(["rocket", "mars"])
    with pytest.raises(InputError, match="'z'"):
        both - BlockList.of([], ["z"])


def test_a_file_has_an_entry_per_line(tmp_path):
    path, skipped = tmp_path / "blocked.txt", []
    path.write_text("Rockets\n\n  mars   ROVER \n?!\n")
    assert read_entries(str(path), skipped.append) == ["Rockets", "mars ROVER"]
    assert [(record.line, record.file) for record in skipped] == [(4, str(path))]
    for source in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError):
            read_entries(str(source), skipped.append)


def test_the_store_keeps_what_was_added_and_removed(tmp_path):
    store = BlockListStore(tmp_path / "block-list")
    assert (store.add(["rocket", "Rockets"], ["a *"]), store.add(["rocket"])) == (2, 0)
    assert store.add(["mars rover"]) == 1
    assert BlockListStore(tmp_path / "block-list").current == store.current
    assert store.remove(["rockets"], ["A *"]) == 2
    assert BlockListStore(tmp_path / "block-list").current.entries == ("mars rover",)


def test_an_invalid_or_unknown_entry_changes_nothing(tmp_path):
    store = BlockListStore(tmp_path / "block-list")
    store.add(["rocket"])
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for change in (
        lambda: store.add(["moon", "?!"]),
        lambda: store.add(["moon"], ["*"]),
        lambda: store.add("moon"),
        lambda: store.add([None]),
        lambda: store.remove(["rocket", "moon"]),
    ):
        with pytest.raises(InputError):
            change()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files


def test_two_writers_lose_nothing(tmp_path):
    one, other = (BlockListStore(tmp_path / "block-list") for _ in range(2))
    one.add(["rocket"])
    other.add(["moon"])
    assert other.current.entries == ("rocket", "moon")


def test_damage_is_reported_and_found_by_check(build):
    workspace = build()
    workspace.block_list.add(["rocket"])
    (path,) = workspace.path.glob("block-list/parts/*/entries.json")
    path.write_text("[1")
    with pytest.raises(WorkspaceError, match="is damaged"):
        workspace.reopen().block_list  # noqa: B018
    path.write_text(json.dumps({"entries": []}))
    with pytest.raises(WorkspaceError, match="is damaged"):
        workspace.reopen().block_list  # noqa: B018


WRITER = """
import sys
from itertools import count
from pathlib import Path
from querykin.retrieval.block_list_store import BlockListStore

store = BlockListStore(Path(sys.argv[1]))
for number in count():
    store.add([f"word{number}"])
    print(number, flush=True)
"""


def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path):
    path = tmp_path / "block-list"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout
        for _ in range(20):
            acknowledged = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        later = [int(line) for line in writer.stdout]
    last = max([acknowledged, *later])
    entries = BlockListStore(path).current.entries
    assert entries == tuple(f"word{number}" for number in range(len(entries)))
    assert last < len(entries) <= last + 2
    BlockListStore(path).add(["after"])
    assert BlockListStore(path).current.entries == (*entries, "after")
