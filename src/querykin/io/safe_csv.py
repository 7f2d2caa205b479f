"""CSV for spreadsheet programs: no cell is taken for a formula (OWASP, CSV injection)."""

import re
from collections.abc import Sequence

# With one of these at its beginning a cell is a formula, also in the full-width forms of East Asian input.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*%?")
_QUOTED = re.compile(r'[",;|\t\r\n]|^\s|\s$')  # delimiters of any dialect, for programs that guess another


def safe_cell(text: str) -> str:
    """A cell that is shown and not computed: an apostrophe precedes what would begin a formula.

    >>> safe_cell("=1+1"), safe_cell("-12.5%"), safe_cell("garden hose")
    ("'=1+1", '-12.5%', 'garden hose')
    """
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def csv_line(cells: Sequence[str], delimiter: str = ",") -> str:
    r"""A line of CSV with its end; cells with delimiters, quotes or line ends are quoted (RFC 4180).

    >>> csv_line(["garden hose", "1,200", "@cmd"])
    'garden hose,"1,200",\'@cmd\r\n'
    """
    return delimiter.join(_written(safe_cell(cell), delimiter) for cell in cells) + "\r\n"


def _written(cell: str, delimiter: str) -> str:
    quoted = delimiter in cell or _QUOTED.search(cell)
    return '"' + cell.replace('"', '""') + '"' if quoted else cell
