"""Encodings of text files, found in their bytes: Unicode by its marks, the others by the letters they give.

A file is decoded while it is read. As long as it is ASCII nothing has to be decided; its first other bytes
decide, and the decision holds to the end of the file.
"""

import codecs
import io
import re
from collections.abc import Iterator

from querykin.errors import InputError
from querykin.io.streams import PIECE, as_pieces

_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEGACY = ("cp1252", "cp1250", "iso8859-2", "cp1251", "cp932", "gb18030")
# CP1252 is by far the most frequent: another encoding must fit better by this factor.
_CLEARLY = 1.5
_NAMES = {"iso8859-2": "ISO 8859-2", "cp932": "Shift-JIS"}

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*+=\s*+["']?+\s*+([\w-]++)""", re.IGNORECASE)
# The encodings of web pages (WHATWG Encoding Standard) by their names in Python, where codecs such as base64,
# idna and unicode_escape have names too.
_DECLARABLE = re.compile(
    r"iso8859-\d+|cp125\d|cp866|cp874|tis-620|koi8-[ru]|mac-(roman|cyrillic)|gb2312|gbk|gb18030|big5(hkscs)?|"
    "euc_jp|iso2022_jp|shift_jis|cp932|euc_kr|cp949"
)
_DECLARATION_BYTES = 4096  # in which HTML and XML declare their encoding

# Of the characters beyond ASCII in a UTF-8 file, a smaller share than this may be damaged. In other
# encodings nearly all of them are invalid as UTF-8.
_DAMAGED_SHARE = 0.1
_DAMAGED = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII = re.compile("[^\0-\x7f]")
_ZERO_SHARE = 0.2  # of the high bytes of UTF-16: spaces, digits and separators are in every language
_UNMARKED = (("utf-32-le", 4, 1), ("utf-32-be", 4, 2), ("utf-16-le", 2, 1), ("utf-16-be", 2, 0))
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1f]")


def name_of(encoding: str) -> str:
    """The name of an encoding for people.

    >>> name_of("utf-16-le"), name_of("cp1252")
    ('UTF-16', 'CP1252')
    """
    encoding = re.sub(r"-(le|be)$", "", encoding)
    return _NAMES.get(encoding, encoding.upper())


class TextFile(io.BufferedReader):
    """A text file as UTF-8, with line ends that include a line feed; `encoding` names that of its bytes."""

    def __init__(self, file: io.BufferedReader, name: str) -> None:
        self._transcoder = _Transcoder(file, name)
        super().__init__(as_pieces(_with_line_feeds(iter(self._transcoder))), PIECE)

    @property
    def encoding(self) -> str:
        """The encoding found so far; UTF-8 while everything is ASCII."""
        return name_of(self._transcoder.encoding)


class _Transcoder:
    def __init__(self, file: io.BufferedReader, name: str) -> None:
        self._file = file
        self._name = name
        self.encoding = "utf-8"

    def __iter__(self) -> Iterator[bytes]:
        piece = self._file.read(PIECE)
        has_mark, piece = piece.startswith(codecs.BOM_UTF8), piece.removeprefix(codecs.BOM_UTF8)
        declared = "utf-8" if has_mark else _declared(piece)
        unicode = _marked(piece) or _unmarked(piece)
        while piece and unicode is None and piece.isascii():
            yield piece
            piece = self._file.read(PIECE)
        self.encoding = unicode or _other(piece, declared)
        if self.encoding == "utf-8":
            while piece:
                yield piece
                piece = self._file.read(PIECE)
        else:
            yield from self._decoded(piece, "strict" if unicode else "replace")

    def _decoded(self, piece: bytes, errors: str) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self.encoding)(errors)
        try:
            while piece:
                yield decoder.decode(piece).encode()
                piece = self._file.read(PIECE)
            yield decoder.decode(b"", final=True).encode()
        except UnicodeError as error:
            raise InputError(
                f"{self._name} begins like {name_of(self.encoding)} but is not ({error}): "
                "save it as UTF-8 and try again"
            ) from error


def encoding_of(file: io.BufferedReader) -> str:
    """The encoding of a text file, read up to the bytes that decide it."""
    transcoder = _Transcoder(file, "")
    for piece in transcoder:
        if not piece.isascii():
            break
    return transcoder.encoding


def decode(data: bytes) -> str:
    r"""The text of a whole file in any known encoding; what cannot be decoded is U+FFFD.

    >>> decode("Größe".encode("cp1252")), decode("Größe".encode("utf-16"))
    ('Größe', 'Größe')
    """
    declared = "utf-8" if data.startswith(codecs.BOM_UTF8) else _declared(data)
    encoding = _marked(data) or _unmarked(data[:PIECE]) or _other(_first_beyond_ascii(data), declared)
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def _first_beyond_ascii(data: bytes) -> bytes:
    """The piece of a file whose bytes decide, as in a stream: the first that is not ASCII."""
    pieces = (data[at : at + PIECE] for at in range(0, len(data), PIECE))
    return next((piece for piece in pieces if not piece.isascii()), b"")


def _marked(head: bytes) -> str | None:
    return next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)


def _unmarked(head: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark: it gives text, and zeros are in the high bytes."""
    if b"\0" not in head or (head.isascii() and head.count(0) < len(head) // 4):
        return None  # Latin letters would have a zero each
    for encoding, width, high in _UNMARKED:
        zeros = head[high::width].count(0)
        if zeros >= _ZERO_SHARE * (len(head) // width) and _is_text(head, encoding):
            return encoding
    return None


def _is_text(head: bytes, encoding: str) -> bool:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head, len(head) < PIECE)
    except UnicodeDecodeError:
        return False
    return _CONTROL.search(text) is None


def _other(piece: bytes, declared: str | None) -> str:
    """UTF-8, the encoding that HTML or XML declares, or the legacy encoding whose letters fit best."""
    if b"\0" in piece or _is_utf8(piece):
        return "utf-8"
    if declared is not None:
        return declared
    from chardet import detect_all  # slow to import, and only needed here

    found = detect_all(piece, include_encodings=_LEGACY, compat_names=False)
    confidence = {each["encoding"] or "cp1252": each["confidence"] for each in reversed(found)}
    best = found[0]["encoding"] or "cp1252"  # None for what looks binary
    if confidence[best] < _CLEARLY * confidence.get("cp1252", 0):
        return "cp1252"
    return "cp932" if best.startswith("shift_jis") else best


def _is_utf8(piece: bytes) -> bool:
    """Whether a piece of a file is UTF-8, apart from little damage and a character cut at its end."""
    text = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode(piece, len(piece) < PIECE)
    damaged = len(_DAMAGED.findall(text))
    return damaged == 0 or damaged < _DAMAGED_SHARE * len(_BEYOND_ASCII.findall(text))


def _declared(head: bytes) -> str | None:
    if not head.lstrip().startswith(b"<"):
        return None
    declared = _DECLARED.search(head[:_DECLARATION_BYTES])
    try:
        encoding = codecs.lookup(declared[1].decode()).name if declared else "utf-8"
    except LookupError:
        return None
    if not _DECLARABLE.fullmatch(encoding):
        return None
    # Pages declared as Latin-1 are Windows-1252 in practice, and browsers decode them so.
    return {"iso8859-1": "cp1252"}.get(encoding, encoding)


def _with_line_feeds(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces with CR as LF if lines end in CR alone, as in files of old spreadsheets."""
    first = next(pieces, b"")
    alone = b"\r" in first[:-1] and b"\n" not in first
    yield first.replace(b"\r", b"\n") if alone else first
    for piece in pieces:
        yield piece.replace(b"\r", b"\n") if alone else piece
