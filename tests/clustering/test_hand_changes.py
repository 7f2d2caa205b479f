"""Changes by hand: chains, circles, keywords that are gone, damaged and read-only files."""

import pytest

from querykin import WorkspaceError
from querykin.clustering.hand_changes import HAND_CHANGES, HandChange, HandChanges, placements
from querykin.storage.lost_files import mark_of

POSITIONS = {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([], {}),
        ([("a", "b"), ("a", "c")], {0: 2}),  # the later change counts
        ([("a", "b"), ("b", "")], {0: 1, 1: 1}),
        ([("a", "b"), ("b", "c")], {0: 2, 1: 2}),
        ([("a", "b"), ("b", "a")], {0: 0, 1: 1}),  # a circle
        ([("a", "a")], {0: 0}),
        ([("a", "gone"), ("gone", "b")], {}),
    ],
)
def test_placements_follow_the_changes(changes, expected):
    assert placements([HandChange(*each) for each in changes], POSITIONS) == expected


@pytest.mark.parametrize("content", ["", "{", "[1]", '[{"query": "a"}]', "{}x", "null"])
def test_a_damaged_file_is_named_and_left_alone(tmp_path, content):
    (tmp_path / HAND_CHANGES).write_text(content)
    with pytest.raises(WorkspaceError, match=rf"{HAND_CHANGES} is damaged"):
        HandChanges(tmp_path).add(HandChange("a", "b"))
    assert (tmp_path / HAND_CHANGES).read_text() == content


def test_a_lost_file_is_named_until_its_mark_is_deleted_too(tmp_path):
    changes = HandChanges(tmp_path)
    assert changes.all() == ()
    changes.add(HandChange("a", "b"))
    (tmp_path / HAND_CHANGES).unlink()
    for work in (changes.all, changes.undo):
        with pytest.raises(WorkspaceError, match=r"it is missing; .*: delete .*exists"):
            work()
    mark_of(tmp_path / HAND_CHANGES).unlink()
    assert changes.all() == ()


def test_changes_that_cannot_be_written_are_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="nothing has changed"):
        HandChanges(tmp_path / "file").add(HandChange("a", "b"))


def test_two_writers_lose_nothing(tmp_path):
    one, other = HandChanges(tmp_path), HandChanges(tmp_path)
    one.add(HandChange("a", "b"))
    other.add(HandChange("c"))
    assert one.all() == other.all() == (HandChange("a", "b"), HandChange("c"))
