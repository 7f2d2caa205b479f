"""Counts and numbers in the styles of several languages."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.io.numbers import parse_count, parse_number


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("12", 12),
        ("1.234", 1234),
        ("1,234", 1234),
        ("1 234", 1234),
        ("1\u00a0234", 1234),
        ("1\u202f234\u202f567", 1234567),
        ("1’234", 1234),
        ("1.234.567", 1234567),
        ("1.234,5", 1234),
        ("1,234.5", 1234),
        ("12,5", 12),
        ("0.9", 0),
        ("2.0", 2),
        ("1e3", 1000),
        ("1K", 1000),
        ("1.2k", 1200),
        ("1,5M", 1500000),
        ("<10", 1),
        ("< 10", 1),
        (">1000", 1000),
        ("100+", 100),
        ("10-100", 10),
        ("1K – 10K", 1000),
        ("0-10", 1),
        ("100K – 1M", 100000),
        ("--", None),
        ("–", None),
        ("", None),
        ("-3", -3),
    ],
)
def test_a_count_is_read_in_any_style(text, count):
    assert parse_count(text) == count


@pytest.mark.parametrize("text", ["many", "1 2", "1-", "nan", "inf", "<", "12 apples", "1K – many"])
def test_other_text_is_no_count(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the caller's message names the cell
        parse_count(text)


@given(st.integers(0, 10**12), st.sampled_from([",", ".", " ", "\u00a0", "\u202f", "'"]))
def test_a_count_with_grouped_digits_is_read_back(count, separator):
    assert parse_count(f"{count:,}".replace(",", separator)) == count


@given(st.decimals(0, 10**6, places=2))
def test_a_number_with_a_decimal_comma_is_read_back(number):
    assert parse_number(str(number).replace(".", ",")) == float(number)


@pytest.mark.parametrize("text", ["", "high", "1-2", "1 2", "0x1", "1,2,3,", "5%%", "%" * 10_000])
def test_other_text_is_no_number(text):
    assert math.isnan(parse_number(text))
