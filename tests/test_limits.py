"""The page of limits shows the constants, and what exceeds one is refused with a message."""

import re
from pathlib import Path

import pytest

from querykin import untrusted_json
from querykin.errors import InputError
from querykin.io import limits
from querykin.io.csv_rows import Dialect, parse_rows
from querykin.io.documents import read_documents
from querykin.io.encodings import decode
from querykin.io.html_text import visible_text
from querykin.text.normalization import to_nfc

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "limits.md"


def test_the_page_has_every_limit_with_its_value():
    constants = {name: getattr(limits, name) for name in vars(limits) if name.isupper()}
    constants |= {name: getattr(untrusted_json, name) for name in ("MAX_DEPTH", "MAX_VALUES")}
    shown = dict(re.findall(r"`([A-Z_]+)` \| ([\d,e+]+)", PAGE.read_text("utf-8")))
    assert {name: float(value.replace(",", "")) for name, value in shown.items()} == constants


def test_links_in_a_folder_lead_only_to_files_within_it(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "a.txt").write_text(f"text {folder.name}")
    links = {"b.txt": inside / "a.txt", "c.txt": outside / "a.txt", "loop.txt": inside / "loop.txt"}
    links |= {"folder": outside, "again": inside, "gone.txt": inside / "nothing"}
    for name, target in links.items():
        (inside / name).symlink_to(target)
    problems = []
    documents = list(read_documents([inside], problems.append))
    assert [found.text for found in documents] == ["text inside", "text inside"]
    named = {str(problem).split(" is a link")[0].rpartition("/")[2] for problem in problems}
    assert named == {"c.txt", "folder", "gone.txt", "loop.txt"}


@pytest.mark.parametrize(
    "charset",
    [
        "base64",
        "rot13",
        "zlib",
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "undefined",
        "utf-7",
        "cp037",
        "hex",
        "nonsense",
    ],
)
def test_a_declared_charset_that_is_none_falls_back_to_the_usual_guess(charset):
    page = f'<meta charset="{charset}"><title>Café für Größe</title>'
    assert decode(page.encode("cp1252")) == decode(page.encode()) == page


def test_utf_16_without_a_mark_is_recognized():
    assert decode("<title>Café</title>".encode("utf-16-le")) == "<title>Café</title>"


def test_a_row_has_a_bounded_number_of_cells():
    cells = limits.MAX_COLUMNS
    for line in ("," * 100_000, '"a",' * 100_000):
        (row,) = parse_rows([(1, line)], Dialect())
        assert len(row.cells) == cells + 1


def test_a_table_with_too_many_columns_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("title," + "a," * limits.MAX_COLUMNS + "\nx\n")
    with pytest.raises(InputError, match="has more than 16,384 columns; export it with those"):
        list(read_documents([tmp_path / "a.csv"], lambda problem: None))


def test_unclosed_quotes_are_looked_after_a_bounded_number_of_times(monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 10_000)
    looked = 0

    class Line(str):
        def count(self, *given):
            nonlocal looked
            looked += 1
            return super().count(*given)

    lines = [(number, Line('a"b,"\n')) for number in range(5_000)]
    assert len(list(parse_rows(lines, Dialect()))) == 5_000
    assert looked < 5 * len(lines)


def test_the_text_of_deeply_nested_and_unclosed_tags_is_read():
    assert visible_text("<div>" * 5_000 + "a" + "</div>" * 5_000 + "b").split() == ["a", "b"]
    assert visible_text("<nav>" + "<i>" * 5_000 + "menu</nav><p>text") == "text"
    assert visible_text("".join(f"<b a={number}><p>{number}" for number in range(50))).split()[-1] == "49"
    assert visible_text("<p title='it>a") == ""
    assert visible_text("<p title=it's>a<svg/>b<br/>c<script>'<p>x'</script>d") == "ab\ncd"


def test_long_runs_of_combining_marks_are_interrupted():
    marks = "\u0301\u0316" * 500
    found = to_nfc(f"a{marks}")
    assert found.count("\u034f") == 33
    assert to_nfc(found) == found
    assert "\u034f" not in to_nfc("Tiếng Việt " * 50 + "ประเทศไทย" * 50)


def test_a_few_hundred_fuzzed_inputs_are_read_or_refused(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    from torture.fuzz_child import attempt
    from torture.fuzz_inputs import make_input
    from torture.fuzz_targets import TARGETS

    names = [name for name in TARGETS if "parquet" not in name]  # each starts a process
    for number in range(400):
        target, data = make_input(7, number, names)
        outcome, detail = attempt(target, data, tmp_path, watched=False)
        assert outcome in ("accepted", "refused"), (target, data, detail)
