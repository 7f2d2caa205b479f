"""Numbers with nouns, for messages."""


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is one.

    >>> counted(1, "document"), counted(2000, "query"), counted(0, "address")
    ('1 document', '2,000 queries', '0 addresses')
    """
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}{'es' if noun.endswith('s') else 's'}"
