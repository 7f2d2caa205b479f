"""CSV for spreadsheet programs: no cell is taken for a formula (OWASP, CSV injection)."""

import re
from collections.abc import Sequence

# With one of these at its beginning a cell is a formula, also in the full-width forms of East Asian input.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?%?")
_ESCAPED = re.compile(f"'+[{re.escape(''.join(_FORMULA))}]")  # as written below
_QUOTED = re.compile(r'[",;|\t\r\n]|^\s|\s$')  # delimiters of any dialect, for programs that guess another


def safe_cell(text: str) -> str:
    """A cell that is shown and not computed: an apostrophe precedes what would begin a formula.

    It also precedes a text that looks so already: `restored_cell` returns every text as it was.

    >>> safe_cell("=1+1"), safe_cell("-12.5%"), safe_cell("garden hose"), safe_cell("'=1")
    ("'=1+1", '-12.5%', 'garden hose', "''=1")
    """
    computed = text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
    return f"'{text}" if computed or _ESCAPED.match(text) else text


def restored_cell(cell: str) -> str:
    """The text of a cell: without the apostrophe that keeps it from being a formula.

    >>> restored_cell("'=1+1"), restored_cell("''=1"), restored_cell("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return cell[1:] if cell[:1] == "'" and _ESCAPED.match(cell) else cell


def csv_line(cells: Sequence[str], delimiter: str = ",") -> str:
    r"""A line of CSV with its end; cells with delimiters, quotes or line ends are quoted (RFC 4180).

    >>> csv_line(["garden hose", "1,200", "@cmd"])
    'garden hose,"1,200",\'@cmd\r\n'
    """
    return delimiter.join(_written(safe_cell(cell), delimiter) for cell in cells) + "\r\n"


def _written(cell: str, delimiter: str) -> str:
    quoted = delimiter in cell or _QUOTED.search(cell)
    return '"' + cell.replace('"', '""') + '"' if quoted else cell
