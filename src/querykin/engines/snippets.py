"""What does the stretch say? Tokens of a document back as text."""

from querykin.corpus.segment import TokenisedDocuments
from querykin.text import clean


def snippet(segment: TokenisedDocuments, place: int, begin: int, end: int) -> str:
    """The text from token `begin` up to token `end`, with dots where the body goes on."""
    if begin == end:
        return ""
    document = segment.document(place)
    text = clean(f"{document.title}\n{document.text}")
    body = len(clean(document.title)) + 1
    opens = begin == segment.first[place] + segment.titles[place]
    closes = end == segment.first[place + 1]
    low = body if opens else int(segment.starts[begin])
    high = len(text) if closes else int(segment.starts[end])
    inside = " ".join(text[low:high].split())
    return ("" if opens else "… ") + inside + ("" if closes else " …")
