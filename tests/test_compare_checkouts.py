"""The comparison of two checkouts: what counts as a difference between two outputs."""

import math

import pytest
from reproduce.compare_checkouts.outputs import compare
from reproduce.compare_checkouts.runner import Checkout, Output, Runner, Step

OUTPUT = {
    "query": "a",
    "covered": True,
    "suggestions": [{"query": "b", "score": 0.5}, {"query": "c", "score": 0.25}],
}


def changed(**values):
    first, second = OUTPUT["suggestions"]
    return OUTPUT | {"suggestions": [first | values, second]}


def test_equal_outputs_do_not_differ():
    found = compare(OUTPUT, changed())
    assert (found.items, found.largest, found.differences) == (6, 0, [])


def test_numbers_within_the_tolerance_are_equal_and_the_largest_difference_is_kept():
    found = compare(OUTPUT, changed(score=0.5 + 4e-10))
    assert found.differences == []
    assert found.largest == pytest.approx(4e-10)


def test_one_unit_of_the_ninth_decimal_is_within_the_tolerance():
    assert compare(0.123456789, 0.123456790).differences == []


def test_numbers_beyond_the_tolerance_differ():
    found = compare(OUTPUT, changed(score=0.5 + 4e-9))
    assert found.differences == ["suggestions[0].score: 0.5 -> 0.500000004"]
    assert compare(1.0, 1e300).largest == pytest.approx(1)


def test_large_numbers_are_compared_relative_to_their_size():
    assert compare(1e12, 1e12 + 1).differences == []
    assert compare(1e6, 1e6 + 1).differences


@pytest.mark.parametrize(
    ("before", "after"), [(math.nan, 0.5), (0.5, None), (math.inf, 1.0), (1, True), ("1", 1)]
)
def test_a_number_is_not_something_else(before, after):
    assert len(compare([before], [after]).differences) == 1
    assert compare([before], [before]).differences == []


def test_missing_and_additional_keys_differ():
    shorter = {key: value for key, value in OUTPUT.items() if key != "covered"}
    assert compare(OUTPUT, shorter).differences == ["covered: True -> 'missing'"]
    assert compare(shorter, OUTPUT).differences == ["covered: 'missing' -> True"]


def test_another_order_of_items_or_keys_differs():
    turned = OUTPUT | {"suggestions": OUTPUT["suggestions"][::-1]}
    assert len(compare(OUTPUT, turned).differences) == 4
    assert compare({"a": 1, "b": 2}, {"b": 2, "a": 1}).differences == [
        "order of keys: ['a', 'b'] -> ['b', 'a']"
    ]


def test_lists_of_different_lengths_differ():
    assert compare([1, 2], [1]).differences == ["length: 2 -> 1"]


def test_ignored_keys():
    assert compare({"bytes": 1}, {"bytes": 2}).differences == []


def test_a_model_of_version_1_is_compared_under_the_names_of_version_2():
    before = {"kind": "combination", "content": {"free": False, "low": [0.0, 1.0]}, "training": {}}
    after = {
        "kind": "combination",
        "content": {"unconstrained": False, "missing_values": [0.0, 1.0]},
        "training": {},
    }
    assert compare(before, after).differences == []
    after["content"]["missing_values"] = [0.0, 2.0]
    assert compare(before, after).differences == ["content.missing_values[1]: 1.0 -> 2.0"]


def test_exit_codes_are_compared_and_unparsable_output_stays_text():
    good, bad = Output(0, "[1]\n", "", 0.1), Output(1, "Traceback", "", 0.1)
    assert compare(good.parsed("json"), bad.parsed("json")).differences == [
        "exit code: 0 -> 1",
        "output: [1] -> 'Traceback'",
    ]
    assert Output(0, "a\t0.5\n", "", 0.1).parsed("tsv") == {"exit code": 0, "output": [["a", 0.5]]}


def program(folder, line):
    """A checkout whose program prints one line."""
    bin = folder / ".venv" / "bin"
    bin.mkdir(parents=True)
    for name, script in {
        "querykin": f"echo '{line}'",
        "python": f"echo {folder}/src/querykin/__init__.py",
    }.items():
        (bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (bin / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("after", "verdict"), [("[0.5]", "1 comparisons, 0 differ"), ("[0.6]", "1 comparisons, 1 differ")]
)
def test_the_report_counts_commands_that_differ(after, verdict, tmp_path, capsys):
    checkouts = [
        Checkout(program(tmp_path / name, line), tmp_path / f"{name}-workspaces")
        for name, line in (("before", "[0.5]"), ("after", after))
    ]
    runner = Runner(*checkouts)
    runner.run(Step("suggest", ["suggest", "x"]))
    assert runner.report().endswith(verdict)
    assert ("output[0]: 0.5 -> 0.6" in runner.report()) == (after == "[0.6]")


def test_a_command_that_fails_in_both_checkouts_is_reported(tmp_path):
    folders = [program(tmp_path / name, "") for name in ("before", "after")]
    for folder in folders:
        (folder / ".venv" / "bin" / "querykin").write_text("#!/bin/sh\necho wrong >&2\nexit 1\n")
    runner = Runner(*(Checkout(folder, folder / "workspaces") for folder in folders))
    runner.run(Step("error: wrong input", ["suggest"], "exit", fails=True))
    assert runner.failed == []
    runner.run(Step("suggest", ["suggest"]))
    assert runner.failed == ["suggest"]
    assert "failed, so that little was compared: suggest" in runner.report()


def test_a_program_of_another_tree_is_refused(tmp_path):
    folder = program(tmp_path / "before", "[]")
    (folder / ".venv" / "bin" / "python").write_text("#!/bin/sh\necho /elsewhere/querykin/__init__.py\n")
    with pytest.raises(SystemExit, match="not inside"):
        Checkout(folder, tmp_path / "workspaces")
