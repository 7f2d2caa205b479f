"""Unicode normalization of texts and queries."""

import re
import unicodedata
from functools import cache

import numpy as np

from querykin.compute.arrays import BoolArray

MAX_QUERY_LENGTH = 1000  # characters; a longer "query" is a document

# More than 30 combining marks in a row do not occur in any language. Normalization sorts them in quadratic
# time, so longer runs are interrupted by U+034F, as the Stream-Safe Text Format (UAX #15) has it.
_MAX_MARKS = 30
_MAY_HAVE_MARKS = re.compile(f"[^\0-\u02ff]{{{_MAX_MARKS + 1}}}")
_LAST_MARK = 0x20000  # of those with a combining class; beyond are ideographs


def to_nfc(text: str) -> str:
    r"""The Unicode normalization form C, in which texts are stored and compared.

    >>> to_nfc("e\u0301te\u0301") == "\u00e9t\u00e9"
    True
    """
    return unicodedata.normalize("NFC", _stream_safe(text))


def _stream_safe(text: str) -> str:
    if text.isascii() or not _MAY_HAVE_MARKS.search(text):
        return text
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    marks = np.flatnonzero(_is_mark()[np.minimum(codes, _LAST_MARK)])
    is_long = marks[_MAX_MARKS:] - marks[:-_MAX_MARKS] == _MAX_MARKS
    if not is_long.any():
        return text
    pieces, begin, run, previous = [], 0, 0, -2
    for at in marks.tolist():
        run = run + 1 if at == previous + 1 else 1
        previous = at
        if run > _MAX_MARKS:
            pieces += [text[begin:at], "\u034f"]
            begin, run = at, 1
    return "".join([*pieces, text[begin:]])


@cache
def _is_mark() -> BoolArray:
    return np.array([unicodedata.combining(chr(code)) > 0 for code in range(_LAST_MARK + 1)])


def fold_case(text: str) -> str:
    r"""A text as it is compared where case, character width and white space do not matter: NFKC, case-folded.

    >>> fold_case(" Top\u00a0Queries ")
    'top queries'
    """
    return " ".join(unicodedata.normalize("NFKC", _stream_safe(text)).casefold().split())


def normalize_query(query: str) -> str:
    r"""A query in the form in which it is displayed: NFC, single spaces, no control characters.

    >>> normalize_query("  Seattle \t Mariners ")
    'Seattle Mariners'
    """
    if not query.isprintable():
        query = "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in query)
    return " ".join(to_nfc(query).split())
