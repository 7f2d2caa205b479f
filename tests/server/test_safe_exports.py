"""Exports for spreadsheets have no formulas, and what is read back is what was judged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.io import read_judged_pairs
from querykin.io.safe_csv import restored_cell, safe_cell
from querykin.server.judgement_records import Judgement
from querykin.server.summary import export_judgements

TEXTS = ["=1+1", "@cmd", "-rose", "+49 30", "'=1", "''@x", "'tis", "rose", "-5", "＝1", "a=b"]
FORMULAS = tuple("=+@＝＋－＠")


@given(st.text(alphabet="'=+-@ab1\t", max_size=6))
def test_every_text_is_restored(text):
    assert restored_cell(safe_cell(text)) == text
    assert not safe_cell(text).startswith(FORMULAS) or safe_cell(text).lstrip("+-").replace(".", "").isdigit()


@pytest.mark.parametrize("file_format", ["csv", "tsv"])
def test_judgements_are_safe_for_spreadsheets_and_read_back_unchanged(tmp_path, file_format):
    judged = [Judgement("t", text, text[::-1], "=rater", 1.0, "now", "=note") for text in TEXTS]
    content = export_judgements(judged, {"=1+1": "=need"}, file_format)
    separator = "," if file_format == "csv" else "\t"
    for line in content.splitlines()[1:]:
        for cell in line.split(separator):
            assert not cell.startswith(FORMULAS), line
    path = tmp_path / f"judged.{file_format}"
    path.write_text(content, "utf-8")
    assert list(read_judged_pairs(str(path)).pairs()) == [(text, text[::-1]) for text in TEXTS]
