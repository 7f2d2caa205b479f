"""What a reader sees of HTML, valid or not: one pass over its tags, with a bounded stack of open elements."""

from collections.abc import Iterable

from querykin.io import limits
from querykin.io.html_tags import Tag, tags


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_INVISIBLE = _names(
    "script style noscript template svg iframe object canvas title nav footer aside button select dialog"
)
_BLOCKS = _names(
    "address article blockquote br dd div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5 h6 header hr "
    "li main ol p pre section table td th tr ul"
)
_EMPTY = _names("area base br col embed hr img input link meta param source track wbr")
_INLINE = _names(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small "
    "span strike strong sub sup time tt u var"
)
_SCOPES = _names("table td th caption object template svg")  # an end tag does not reach beyond
_TABLE_PARTS = _names("table tbody thead tfoot tr td th caption")
_HEADINGS = _names("h1 h2 h3 h4 h5 h6")
_CELLS = frozenset(("td", "th"))
# Elements that end without an end tag where one of these begins.
_ENDED_BY: dict[str, frozenset[str]] = {
    **dict.fromkeys(_BLOCKS | {"aside", "footer", "nav"}, frozenset("p")),
    **dict.fromkeys(_HEADINGS, frozenset("p") | _HEADINGS),
    **dict.fromkeys(_CELLS, frozenset("p") | _CELLS),
    "li": frozenset(("p", "li")),
    "dd": frozenset(("p", "dd", "dt")),
    "dt": frozenset(("p", "dd", "dt")),
    "tr": frozenset(("p", "tr")) | _CELLS,
    "br": frozenset(),
}


class VisibleText:
    """Collects the text outside of menus, footers and scripts, one line for each block."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._open: list[str] = []
        self._hidden_from = limits.MAX_HTML_DEPTH  # the depth of the outermost element that is not seen

    @property
    def is_visible(self) -> bool:
        """Whether text at this place is seen."""
        return len(self._open) <= self._hidden_from

    def add(self, tag: Tag) -> None:
        """Take the next tag of the page, with its text."""
        if tag.is_end:
            self._end(tag.name)
        elif tag.name:
            self._start(tag)
        if tag.name in _BLOCKS and self._pieces[-1:] != ["\n"]:
            self._pieces.append("\n")
        if tag.text and self.is_visible:
            self._pieces.append(tag.text)

    def text(self) -> str:
        """All text so far."""
        lines = (" ".join(line.split()) for line in "".join(self._pieces).split("\n"))
        return "\n".join(line for line in lines if line)

    def _start(self, tag: Tag) -> None:
        ended = _ENDED_BY.get(tag.name, frozenset())
        while self._open and self._open[-1] in ended:
            self._pop()
        if tag.name in _EMPTY or len(self._open) >= limits.MAX_HTML_DEPTH:
            return
        if (tag.name == "svg" or not self.is_visible) and tag.written_attributes.endswith("/"):
            return  # <svg/> and <path/> have no end tag
        if self.is_visible and not _is_hidden(tag):
            if tag.name not in _INLINE:
                self._open.append(tag.name)
            return
        self._hidden_from = min(self._hidden_from, len(self._open))
        self._open.append(tag.name)

    def _end(self, name: str) -> None:
        for depth in range(len(self._open) - 1, -1, -1):
            each = self._open[depth]
            if each == name:
                while len(self._open) > depth:
                    self._pop()
                return
            if (name in _INLINE and each not in _INLINE) or (each in _SCOPES and name not in _TABLE_PARTS):
                return

    def _pop(self) -> None:
        self._open.pop()
        if len(self._open) <= self._hidden_from:
            self._hidden_from = limits.MAX_HTML_DEPTH


def _is_hidden(tag: Tag) -> bool:
    if tag.name in _INVISIBLE:
        return True
    if not tag.written_attributes or tag.written_attributes.isspace():
        return False
    written = tag.written_attributes.lower()
    if "hidden" not in written and "navigation" not in written:
        return False
    attributes = tag.attributes()
    return "hidden" in attributes or attributes.get("role") == "navigation"


def visible_text(page: str | Iterable[Tag]) -> str:
    r"""The text of a page without menus, footers and scripts, one line for each block.

    >>> visible_text("<nav>Home</nav><p>Fish &amp; <b>chips</b><p hidden>secret<p>Peas")
    'Fish & chips\nPeas'
    """
    seen = VisibleText()
    for tag in tags(page) if isinstance(page, str) else page:
        seen.add(tag)
    return seen.text()
