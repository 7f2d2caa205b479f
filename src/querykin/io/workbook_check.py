"""The bounds of workbooks, checked before one is read: a few cells can be a sheet of 17 billion.

The library that reads workbooks holds the whole rectangle of a sheet, and a shared text once for each cell
that uses it. Both are counted here, in one pass over the XML.
"""

import io
import re
import zipfile
from array import array
from xml.parsers import expat

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.zip_archive import ZipArchive

_REFERENCE = re.compile(r"\$?([A-Za-z]{1,7})\$?([0-9]{1,9})")
_SAVE = "save its sheet as CSV"


def checked_workbook(data: io.BytesIO, name: str) -> io.BytesIO:
    """The XML of a workbook in an archive of its own; an InputError if it exceeds the limits.

    The copy has what was checked and nothing else: readers of zip archives differ in what they find in a
    crafted one.
    """
    copy = io.BytesIO()
    with ZipArchive(data, name, limits.MAX_WORKBOOK_BYTES) as archive:
        counts = _Counts(name)
        entries = sorted(archive.entries(), key=_without_texts)
        with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for member in entries:
                part = _Part(counts)
                with packed.open(zipfile.ZipInfo(member.filename), "w", force_zip64=True) as file:
                    for piece in archive.read(member):
                        if not part.feed(piece):
                            break  # no XML: pictures, macros; what is missed is said when it is read
                        file.write(piece)
                part.end()
    copy.seek(0)
    return copy


def _without_texts(entry: zipfile.ZipInfo) -> bool:
    return "sharedstrings" not in entry.filename.lower()  # cells refer to these, so they come first


class _Counts:
    """The cells and characters of all sheets, and the lengths of the shared texts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._cells = self._characters = 0
        self.shared_lengths = array("q")

    def add_cells(self, cells: int) -> None:
        self._cells += cells
        if self._cells > limits.MAX_WORKBOOK_CELLS:
            raise InputError(
                f"{self._name} is a workbook of {self._cells:,} cells, counted from A1 to the last row and "
                f"column that are used; at most {limits.MAX_WORKBOOK_CELLS:,} are read: {_SAVE}"
            )

    def add_characters(self, characters: int) -> None:
        self._characters += characters
        if self._characters > limits.MAX_WORKBOOK_CHARACTERS:
            raise InputError(
                f"{self._name} is a workbook with more than {limits.MAX_WORKBOOK_CHARACTERS:,} characters in "
                f"its cells: {_SAVE}"
            )


class _Part:
    """One XML file of a workbook, which may be a sheet or the shared texts."""

    def __init__(self, counts: _Counts) -> None:
        self._counts = counts
        self._row = self._column = -1  # of the cell that was read last, from 0
        self._rows = self._columns = self._area = 0
        self._is_reference = False  # to a shared text
        self._value: list[str] = []
        self._shared_size = -1
        self._expat = expat.ParserCreate(namespace_separator=" ")
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.CharacterDataHandler = self._value.append
        self._expat.EntityDeclHandler = self._entity

    def feed(self, piece: bytes) -> bool:
        """Whether the file is XML so far."""
        try:
            self._expat.Parse(piece, False)
        except expat.ExpatError:
            return False
        self._end_value()
        return True

    def end(self) -> None:
        """Count what came last."""
        self._end_value()
        if self._shared_size >= 0:
            self._counts.shared_lengths.append(self._shared_size)

    def _entity(self, *_: object) -> None:
        raise expat.ExpatError("entities are declared")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = tag.rpartition(" ")[2]
        self._end_value()
        if element == "c":
            self._start_cell(attributes)
        elif element == "row":
            self._row, self._column = _number(attributes.get("r"), self._row + 2) - 1, -1
        elif element == "si":
            if self._shared_size >= 0:
                self._counts.shared_lengths.append(self._shared_size)
            self._shared_size = 0

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._is_reference = attributes.get("t") == "s"
        written = _REFERENCE.fullmatch(attributes.get("r", ""))
        if written:
            self._row, self._column = int(written[2]) - 1, _column(written[1])
        else:
            self._column += 1
        self._rows, self._columns = max(self._rows, self._row + 1), max(self._columns, self._column + 1)
        if self._rows * self._columns > self._area:
            self._counts.add_cells(self._rows * self._columns - self._area)
            self._area = self._rows * self._columns

    def _end_value(self) -> None:
        if not self._value:
            return
        text = "".join(self._value)
        self._value.clear()
        if self._shared_size >= 0:
            self._shared_size += len(text)
        elif self._columns:
            self._counts.add_characters(self._length(text) if self._is_reference else len(text))

    def _length(self, reference: str) -> int:
        number = _number(reference.strip(), 0)
        lengths = self._counts.shared_lengths
        return lengths[number] if number < len(lengths) else 0


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1
