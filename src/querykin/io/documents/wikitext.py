"""MediaWiki markup to plain text: the running text that a reader of the page sees.

Templates, tables, footnotes, comments, files and categories are removed; links are replaced by their label.
Every step takes time linear in the size of the page.
"""

import html
import re
from collections.abc import Callable, Set

MEDIA_AND_CATEGORIES = frozenset({"file", "image", "media", "category"})

_REMOVED_ELEMENTS = (
    "ref|references|math|chem|gallery|timeline|score|syntaxhighlight|source|imagemap|graph|"
    "hiero|mapframe|maplink|style|script"
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ELEMENT = re.compile(rf"(<(?:{_REMOVED_ELEMENTS})\b[^<>]*>|</(?:{_REMOVED_ELEMENTS})\s*>)", re.IGNORECASE)
_TEMPLATE = re.compile(r"(\{\{+|\}\}+)")
_TABLE = re.compile(r"(^[ \t:*#]*+\{\||^[ \t]*+\|\})", re.MULTILINE)
_LINK = re.compile(r"(\[\[|\]\])")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*+:")
_EXTERNAL_LINK = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]]++[ \t]*+([^\[\]\n]*+)\]")
_BLOCK_TAG = re.compile(r"</?(?:br|p|div|li|ul|ol|dl|dd|dt|tr|td|th|hr|blockquote)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_SWITCH = re.compile(r"__[A-Z]++__")
_EMPTY_BRACKETS = re.compile(r"\([ ,;]*+\)")
_EMPHASIS = ("'''''", "'''", "''")
_LEFTOVERS = ("{{", "}}", "[[", "]]", "{|", "|}")

_MAX_LINK_DEPTH = 20  # each level is copied once more by the enclosing one


def plain_text(wikitext: str, hidden: Set[str] = MEDIA_AND_CATEGORIES) -> str:
    """The running text of a page; links into a namespace of `hidden` (lower case) are removed.

    >>> plain_text("'''Java''' is an [[island]] of [[Indonesia|the country]].{{citation needed}}")
    'Java is an island of the country.'
    """
    text = _COMMENT.sub("", wikitext)
    text = _without(text, _ELEMENT, _element_levels)
    text = _without(text, _TEMPLATE, _brace_levels)
    text = _without(text, _TABLE, _table_levels)
    text = _labels(text, hidden)
    text = _EXTERNAL_LINK.sub(r"\1", text)
    text = _TAG.sub("", _BLOCK_TAG.sub("\n", text))
    for mark in _EMPHASIS:
        text = text.replace(mark, "")
    text = _EMPTY_BRACKETS.sub("", html.unescape(_SWITCH.sub("", text)))
    for mark in _LEFTOVERS:
        text = text.replace(mark, " ")
    lines = (_line(line) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _element_levels(mark: str) -> int:
    return 0 if mark.endswith("/>") else -1 if mark.startswith("</") else 1


def _brace_levels(mark: str) -> int:
    # Three braces are a parameter, four are two templates, five are one of each.
    return len(mark) // 2 if mark[0] == "{" else -(len(mark) // 2)


def _table_levels(mark: str) -> int:
    return 1 if mark.endswith("{|") else -1


def _without(text: str, marks: re.Pattern[str], levels: Callable[[str], int]) -> str:
    """The text outside of marked ranges; an unpaired mark is removed, the text after it is not."""
    output: list[str] = []
    starts: list[int] = []
    for position, piece in enumerate(marks.split(text)):
        if position % 2 == 0:
            output.append(piece)
            continue
        level = levels(piece)
        starts.extend([len(output)] * level)
        while level < 0 and starts:
            del output[starts.pop() :]
            level += 1
    return "".join(output)


def _labels(text: str, hidden: Set[str]) -> str:
    """The text with every internal link replaced by its label, innermost first."""
    output: list[str] = []
    starts: list[int] = []
    for piece in _LINK.split(text):
        if piece == "[[":
            if len(starts) < _MAX_LINK_DEPTH:
                starts.append(len(output))
        elif piece != "]]":
            output.append(piece)
        elif starts:
            start = starts.pop()
            output[start:] = [_label("".join(output[start:]), hidden)]
    return "".join(output)


def _label(link: str, hidden: Set[str]) -> str:
    target, _, label = link.partition("|")
    prefix, colon, _ = target.partition(":")
    if colon and (prefix.strip().lower() in hidden or _LANGUAGE.match(target)):
        return ""
    return label.rpartition("|")[2] or target.strip().removeprefix(":")


def _line(line: str) -> str:
    line = " ".join(line.split())
    if line.startswith(("|", "----")):  # rows of an unclosed table, and rulers
        return ""
    if line.startswith("=") and line.endswith("="):
        heading = line.strip("= ")
        return heading if heading.endswith((".", "?", "!")) or not heading else f"{heading}."
    return line.lstrip("*#:; ")
