"""Unicode normalization of texts and queries."""

import unicodedata

MAX_QUERY_LENGTH = 1000  # characters; a longer "query" is a document


def to_nfc(text: str) -> str:
    r"""The Unicode normalization form C, in which texts are stored and compared.

    >>> to_nfc("e\u0301te\u0301") == "\u00e9t\u00e9"
    True
    """
    return unicodedata.normalize("NFC", text)


def fold_case(text: str) -> str:
    r"""A text as it is compared where case, character width and white space do not matter: NFKC, case-folded.

    >>> fold_case(" Top\u00a0Queries ")
    'top queries'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def normalize_query(query: str) -> str:
    r"""A query in the form in which it is displayed: NFC, single spaces, no control characters.

    >>> normalize_query("  Seattle \t Mariners ")
    'Seattle Mariners'
    """
    if not query.isprintable():
        query = "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in query)
    return " ".join(to_nfc(query).split())
