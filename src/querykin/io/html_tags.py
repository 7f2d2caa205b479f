"""The tags of HTML, valid or not, in one pass: linear in the size of the page, whatever it holds."""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

# A comment, a tag with its attributes, or a declaration; each goes on to the end of the page if it is not
# closed. Quotes count after an equals sign only, as in `<p title=it's>`. No part is matched twice.
_MARKUP = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]*+)"
    r"(?P<attributes>(?:[^>=]++|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))?+)*+)(?:>|\Z)"
    r"|<[!?/][^>]*+(?:>|\Z)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"([^\s=/]++)(?:\s*+=\s*+(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\s\"']\S*+)?+))?+"
)
# Elements whose content is characters up to their end tag.
_RAW = ("script", "style", "iframe", "noembed", "noframes", "xmp")
_RAW_WITH_ENTITIES = ("title", "textarea")
_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in (*_RAW, *_RAW_WITH_ENTITIES)}
_LEADING_ZEROS = re.compile(r"&#0++(?=[0-9])")
_NO_CHARACTER = re.compile(r"&#[0-9]{8,}+;?+")


class Tag(NamedTuple):
    """A start tag (or an end tag) and the text after it; the text of a script or style is left out."""

    name: str  # in lower case; empty at the begin of the page, for comments and for declarations
    is_end: bool
    written_attributes: str
    text: str

    def attributes(self) -> dict[str, str]:
        """The attributes by name in lower case; of several with the same name the first."""
        found: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(self.written_attributes):
            found.setdefault(name.lower(), unescape("".join(values)))
        return found


def tags(page: str) -> Iterator[Tag]:
    """The tags of a page, each with the text up to the next one.

    >>> [(tag.name, tag.text) for tag in tags("a <b>bold</b> &amp; <script>1 < 2</script>c")]
    [('', 'a '), ('b', 'bold'), ('b', ' & '), ('script', ''), ('script', 'c')]
    """
    name, is_end, attributes, begin = "", False, "", 0
    while True:
        raw = None if is_end else _ENDS.get(name)
        if raw is not None:
            end = raw.search(page, begin)
            stop = end.start() if end else len(page)
            text = unescape(page[begin:stop]) if name in _RAW_WITH_ENTITIES else ""
            found = _MARKUP.match(page, stop)
        else:
            found = _MARKUP.search(page, begin)
            text = unescape(page[begin : found.start() if found else len(page)])
        yield Tag(name, is_end, attributes, text)
        if found is None:
            return
        name, is_end = (found["name"] or "").lower(), found["slash"] == "/"
        attributes, begin = found["attributes"] or "", found.end()


def unescape(text: str) -> str:
    """The text with its character references resolved; a number that is no character is U+FFFD.

    >>> unescape("&lt;&#8364;&#00065;"), unescape("&#" + "9" * 5000 + ";")
    ('<€A', '\ufffd')
    """
    if "&" not in text:
        return text
    if "&#" in text:  # int() of the standard library refuses thousands of digits
        text = _NO_CHARACTER.sub("\ufffd", _LEADING_ZEROS.sub("&#", text))
    return html.unescape(text)
