"""The lead of a document: the words that stand for it in its vector."""

from querykin.types import Document

CHARACTERS = 10  # for each word, at most: bounds the lead of a text without spaces


def lead(document: Document, words: int) -> str:
    """The title and the first words of the text.

    It depends on nothing but the document: other documents never change it.

    >>> lead(Document("1", "Java", "Java is an island of Indonesia."), words=4)
    'Java. Java is an island'
    >>> lead(Document("2", text="Nobody knows."), words=4)
    'Nobody knows.'
    """
    limit = CHARACTERS * words
    begin = " ".join(document.text[:limit].split()[:words])
    return f"{document.title[:limit]}. {begin}" if document.title else begin
