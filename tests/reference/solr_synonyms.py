"""A reader of the Solr synonym format, written from its documentation.

A line is a comment if it begins with "#", a one-way rule if it has "=>", otherwise a list of equal terms. A
backslash takes the meaning from the character after it.
"""


def read_synonyms(text: str) -> tuple[list[list[str]], list[tuple[list[str], list[str]]]]:
    """The two-way and the one-way rules of a file."""
    two_way, one_way = [], []
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        sides = [[_unescaped(term).strip() for term in _split(side, ",")] for side in _split(line, "=>")]
        if len(sides) == 2:
            one_way.append((sides[0], sides[1]))
        else:
            assert len(sides) == 1, line
            two_way.append(sides[0])
    return two_way, one_way


def _split(text: str, separator: str) -> list[str]:
    parts, at = [""], 0
    while at < len(text):
        if text.startswith(separator, at):
            parts.append("")
            at += len(separator)
        else:
            size = 2 if text[at] == "\\" else 1
            parts[-1] += text[at : at + size]
            at += size
    return parts


def _unescaped(text: str) -> str:
    found, characters = "", iter(text)
    for character in characters:
        found += next(characters, "") if character == "\\" else character
    return found
