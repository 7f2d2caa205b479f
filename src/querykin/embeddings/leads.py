"""The lead of a document: the words that stand for it in its vector."""

from querykin.types import Document

MAX_CHARACTERS = 10  # of a word on average: bounds the lead of a text without spaces


def lead(document: Document, words: int) -> str:
    """The title and the first words of the text.

    It depends on nothing but the document: other documents never change it.

    >>> lead(Document("1", "Java", "Java is an island of Indonesia."), words=4)
    'Java. Java is an island'
    >>> lead(Document("2", text="Nobody knows."), words=4)
    'Nobody knows.'
    """
    begin = " ".join(document.text[: MAX_CHARACTERS * words].split()[:words])
    return f"{document.title}. {begin}" if document.title else begin
