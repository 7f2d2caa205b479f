"""Unicode normalization."""

import unicodedata


def clean(text: str) -> str:
    """The form in which texts are kept and compared: accents composed (Unicode NFC)."""
    return unicodedata.normalize("NFC", text)
