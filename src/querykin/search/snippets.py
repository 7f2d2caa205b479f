"""What does the stretch say? Tokens of a document back as text."""

from querykin.corpus.segment import TokenizedDocuments
from querykin.text.normalization import to_nfc


def snippet(segment: TokenizedDocuments, ordinal: int, begin: int, end: int) -> str:
    """The text from token `begin` up to token `end`, with dots where the body goes on."""
    if begin == end:
        return ""
    document = segment.document(ordinal)
    text = to_nfc(f"{document.title}\n{document.text}")
    body = len(to_nfc(document.title)) + 1
    opens = begin == segment.indptr[ordinal] + segment.title_lengths[ordinal]
    closes = end == segment.indptr[ordinal + 1]
    low = body if opens else int(segment.starts[begin])
    high = len(text) if closes else int(segment.starts[end])
    inside = " ".join(text[low:high].split())
    return ("" if opens else "… ") + inside + ("" if closes else " …")
