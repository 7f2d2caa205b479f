"""What a file is by its first bytes, whatever its name says: a PDF saved as .csv is still a PDF."""

import codecs
import re
from dataclasses import dataclass

from querykin.errors import InputError

_AS_TEXT = "save its text as .txt or .html"
_AS_XLSX = "open it in a spreadsheet program and save it as .xlsx or CSV"
_UNPACK = "unpack it and name the folder, or pack it as .zip"
_EXPORT = "export its table as .csv or .jsonl"
_OLE = rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # compound files: old Office formats, and encrypted new ones


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: its name, what it is called in messages, and what a user can do with it instead.

    `suffix` is the ending of those kinds that can be read.
    """

    name: str
    description: str
    advice: str
    suffix: str = ""

    @property
    def is_text(self) -> bool:
        """Whether the file consists of characters."""
        return self.name in ("html", "xml", "rtf", "postscript")


def _readable(name: str, description: str, suffix: str) -> FileKind:
    return FileKind(name, description, f"rename it to end in {suffix}", suffix)


def _zip_entry(folder: bytes) -> bytes:
    """A pattern for a zip archive in which a file is in this folder: its name is after 30 bytes."""
    return rb"(?=PK\x03\x04).*?PK\x03\x04.{26}" + folder


def _zip_mimetype(name: bytes) -> bytes:
    """A pattern for a zip archive whose first file says what it is, as in OpenDocument and EPUB."""
    return rb"PK\x03\x04.{26}mimetypeapplication/" + name


def _ole_stream(*names: str) -> bytes:
    """A pattern for an OLE compound file with a stream of one of these names, which are in UTF-16."""
    return _OLE + b".*(?:" + b"|".join(name.encode("utf-16-le") for name in names) + b")"


# The first that matches counts, so the particular stand before the general.
_SIGNATURES: tuple[tuple[bytes, FileKind], ...] = (
    (rb"\s*%PDF-\d", FileKind("pdf", "a PDF document", _AS_TEXT)),
    (rb"\x89PNG\r\n", FileKind("png", "a PNG image", _AS_TEXT)),
    (rb"\xff\xd8\xff", FileKind("jpeg", "a JPEG image", _AS_TEXT)),
    (rb"GIF8[79]a", FileKind("gif", "a GIF image", _AS_TEXT)),
    (rb"RIFF.{4}WEBP", FileKind("webp", "a WebP image", _AS_TEXT)),
    (rb"II\*\0|MM\0\*", FileKind("tiff", "a TIFF image", _AS_TEXT)),
    (rb"BM.{4}\0\0\0\0", FileKind("bmp", "a bitmap image", _AS_TEXT)),
    (rb"\x00\x00\x01\x00[\x01-\x20]\x00", FileKind("ico", "an icon", _AS_TEXT)),
    (
        rb"ID3[\x02-\x04]|OggS\0|fLaC|RIFF.{4}(?:WAVE|AVI )|\x1aE\xdf\xa3|.{4}ftyp",
        FileKind("media", "a sound or video file", _AS_TEXT),
    ),
    (rb"\x7fELF|MZ.{1,62}\0", FileKind("executable", "a program", "name the file with the texts")),
    (rb"SQLite format 3\0", FileKind("sqlite", "an SQLite database", _EXPORT)),
    (rb"\x89HDF\r\n", FileKind("hdf5", "an HDF5 file", _EXPORT)),
    (rb"\x93NUMPY", FileKind("numpy", "a NumPy array", _EXPORT)),
    (rb"\x80[\x02-\x05].{0,64}\0", FileKind("pickle", "a pickled Python object", _EXPORT)),
    (rb"7z\xbc\xaf\x27\x1c", FileKind("7z", "a 7z archive", _UNPACK)),
    (rb"Rar!\x1a\x07", FileKind("rar", "a RAR archive", _UNPACK)),
    (rb".{257}ustar", FileKind("tar", "a tar archive", _UNPACK)),
    (_zip_entry(rb"xl/"), _readable("xlsx", "an Excel workbook", ".xlsx")),
    (_zip_entry(rb"word/"), FileKind("docx", "a Word document", _AS_TEXT)),
    (_zip_entry(rb"ppt/"), FileKind("pptx", "a PowerPoint presentation", _AS_TEXT)),
    (
        _zip_mimetype(rb"vnd\.oasis\.opendocument\.spreadsheet"),
        FileKind("ods", "an OpenDocument spreadsheet", _AS_XLSX),
    ),
    (_zip_mimetype(rb"vnd\.oasis\.opendocument"), FileKind("opendocument", "an OpenDocument file", _AS_TEXT)),
    (_zip_mimetype(b"epub"), FileKind("epub", "an EPUB book", f"{_AS_TEXT}, or rename it to end in .zip")),
    (rb"PK(?:\x03\x04|\x05\x06)", _readable("zip", "a zip archive", ".zip")),
    (
        _ole_stream("EncryptedPackage"),
        FileKind("encrypted", "an Office file protected by a password", "save it without the password"),
    ),
    (_ole_stream("WordDoc"), FileKind("doc", "an old Word document (.doc)", _AS_TEXT)),
    (_ole_stream("PowerPoint"), FileKind("ppt", "an old PowerPoint presentation (.ppt)", _AS_TEXT)),
    (
        _ole_stream("Workbook", "Book") + rb"|\x09\x08\x10\0\0\x06\x05\0",
        FileKind("xls", "an old Excel workbook (.xls)", _AS_XLSX),
    ),
    (_OLE, FileKind("ole", "an old Office file (.doc, .xls, .ppt)", "save it as .xlsx, .txt or .html")),
    (rb"PAR1", _readable("parquet", "a Parquet file", ".parquet")),
    (rb"ARROW1\0\0", _readable("arrow", "an Arrow file", ".arrow")),
    (rb"FEA1", FileKind("feather1", "a Feather file of version 1", "write it again with version 2")),
    (rb"\{\\rtf", FileKind("rtf", "an RTF document", _AS_TEXT)),
    (rb"%!PS", FileKind("postscript", "a PostScript document", _AS_TEXT)),
    (
        rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?i:!doctype\s+html|html|head|body)\b",
        _readable("html", "a web page", ".html"),
    ),
    (rb"\s*<\?xml\b", _readable("xml", "an XML file", ".xml")),
)
_KINDS = tuple((re.compile(pattern, re.DOTALL), kind) for pattern, kind in _SIGNATURES)


def kind_of(head: bytes) -> FileKind | None:
    """The kind of a file that begins with these bytes; None for plain text, tables and anything unknown.

    >>> kind_of(b"%PDF-1.7 ...").description, kind_of(b"id,title")
    ('a PDF document', None)
    """
    head = head.removeprefix(codecs.BOM_UTF8)
    return next((kind for pattern, kind in _KINDS if pattern.match(head)), None)


def wrong_kind(name: str, kind: FileKind, allowed: str) -> InputError:
    """The error for a file of a kind that cannot be read in this place.

    >>> print(wrong_kind("report.pdf", kind_of(b"%PDF-1.7"), "tables are"))
    report.pdf is a PDF document, which cannot be read here; tables are. Next: save its text as .txt or .html
    """
    is_misnamed = kind.suffix and not name.endswith(kind.suffix)
    objection = ", whatever its name says" if is_misnamed else ", which cannot be read here"
    is_useful = not kind.suffix or not kind.is_text or kind.suffix in allowed
    advice = kind.advice if is_useful else "open it to see why it was saved, and export the table again"
    return InputError(f"{name} is {kind.description}{objection}; {allowed}. Next: {advice}")
