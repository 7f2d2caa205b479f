"""HTML within texts: what a reader sees of it."""

import html
import re

from querykin.io.html_text import visible_text

# The elements that are found in descriptions; "a <b and c> d" and "List<String>" are not HTML.
_ELEMENT = re.compile(
    r"</?(?:a|abbr|article|b|big|blockquote|body|br|center|cite|code|dd|del|div|dl|dt|em|figure|font|h[1-6]|"
    r"head|header|hr|html|i|iframe|img|ins|kbd|li|main|mark|meta|ol|p|pre|q|s|script|section|small|span|"
    r"strong|style|sub|sup|svg|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|video)"
    r"(?:\s++[a-z][\w:-]*+\s*+=[^<>]*+|\s++[a-z][\w-]*+\s*+/?+|\s*+/?+)>|<!--",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});")


def strip_html(text: str) -> str:
    """The visible text of a cell that may hold HTML; other text is unchanged.

    >>> strip_html("<p>Fish &amp; chips</p>"), strip_html("a < b"), strip_html("AT&T")
    ('Fish & chips', 'a < b', 'AT&T')
    """
    if "<" in text and _ELEMENT.search(text):
        return visible_text(text)
    if "&" in text:
        return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return text
