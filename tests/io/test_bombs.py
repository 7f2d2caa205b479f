"""Files that would become huge: readers stay within a bound of memory, and refuse or skip with a message."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bombs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak of the memory is read from /proc")
MEBIBYTES = 16  # that a line, cell or text grows to
MAX_PEAK = 500  # MiB of the process, of which 120 are for Python and its libraries
QUICK = (
    "cells.csv.xz",
    "objects.jsonl.xz",
    "array.json.zst",
    "deep.jsonl.gz",
    "tag.xml.bz2",
    "feed.xml.gz",
    "formatting.html",
    "nested.html",
    "cell.csv",
    "marks.txt",
    "entity.html",
    "corner.xlsx",
    "shared.xlsx",
    "member.zip",
    "inner.zip",
    "texts.parquet",
    "texts.arrow",
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bombs")
    for name, content in bombs.bombs(MEBIBYTES, QUICK):
        if name in QUICK:
            (folder / name).write_bytes(content)
    (folder / "long.txt.gz").write_bytes(bombs.packed(b"a", ".gz", 128))
    command = [sys.executable, str(Path(bombs.__file__)), str(folder), "documents", "queries"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_no_bomb_exceeds_the_bound_of_memory(outcomes):
    above = [(each["bomb"], each["reader"], each["peak"]) for each in outcomes if each["peak"] > MAX_PEAK]
    assert not above
    assert len(outcomes) >= 2 * len(QUICK)


def test_a_bomb_is_read_or_refused_with_a_message(outcomes):
    assert not [each for each in outcomes if each["outcome"].startswith("traceback")]


@pytest.mark.parametrize(
    ("bomb", "message"),
    [
        ("long.txt.gz", "above a ratio of 200 a file is refused: unpack it yourself"),
        ("corner.xlsx", "is a workbook of 17,179,869,184 cells"),
        ("shared.xlsx", "more than 268,435,456 characters in its cells"),
        ("member.zip", "above a ratio of 200 an archive is refused"),
        ("tag.xml.bz2", "a tag or comment of more than 1,048,576 bytes"),
    ],
)
def test_a_bomb_is_named_for_what_it_is(outcomes, bomb, message):
    (found,) = (each for each in outcomes if (each["bomb"], each["reader"]) == (bomb, "documents"))
    assert message in found["outcome"]
