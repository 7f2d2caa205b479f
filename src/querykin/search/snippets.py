"""Text of a run of tokens."""

from querykin.corpus.segment import TokenizedDocuments
from querykin.text.normalization import to_nfc


def snippet(segment: TokenizedDocuments, ordinal: int, begin: int, end: int) -> str:
    """The text from token `begin` to token `end`, with an ellipsis where the body continues."""
    if begin == end:
        return ""
    document = segment.document(ordinal)
    text = to_nfc(f"{document.title}\n{document.text}")
    body = len(to_nfc(document.title)) + 1
    at_start = begin == segment.indptr[ordinal] + segment.title_lengths[ordinal]
    at_end = end == segment.indptr[ordinal + 1]
    low = body if at_start else int(segment.starts[begin : begin + 1][0])
    high = len(text) if at_end else int(segment.starts[end : end + 1][0])
    inside = " ".join(text[low:high].split())
    return ("" if at_start else "… ") + inside + ("" if at_end else " …")
