"""Excel workbooks (.xlsx): the first sheet with a usable header, its rows as records."""

import io
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any, NamedTuple

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.columns import named_positions
from querykin.io.dialects import MAX_PREAMBLE_ROWS
from querykin.io.record_files import IsHeader, RecordFile
from querykin.io.workbook_check import checked_workbook

Cell = int | float | str | bool | date | time | timedelta


class _Header(NamedTuple):
    row: int  # from 0
    cells: list[str]


def open_workbook(file: io.BufferedReader, name: str, is_header: IsHeader) -> RecordFile:
    """The records of the first visible sheet with a header that is looked for.

    Without such a sheet, the first one that is not empty: what its header lacks is said when it is used.
    """
    data = io.BytesIO(file.read(limits.MAX_LINE_BYTES + 1))
    if data.getbuffer().nbytes > limits.MAX_LINE_BYTES:
        raise InputError(
            f"{name} is a workbook of more than {limits.MAX_LINE_BYTES:,} bytes: save its sheet as CSV"
        )
    try:
        workbook = CalamineWorkbook.from_filelike(checked_workbook(data, name))
        sheets = {title: workbook.get_sheet_by_name(title) for title in _titles(workbook)}
    except BaseException as error:
        if not isinstance(error, CalamineError) and type(error).__name__ != "PanicException":
            raise
        raise InputError(
            f"{name} is a damaged workbook ({error}): open it in a spreadsheet program and save it again"
        ) from error
    usable = {title: found for title, sheet in sheets.items() if (found := _find_header(sheet, is_header))}
    others = {title: found for title, sheet in sheets.items() if (found := _widest_row(sheet))}
    if not others:
        raise InputError(f"{name} has no sheet with cells; a sheet with a header in its first rows is needed")
    title, header = next(iter((usable or others).items()))
    left = [f"'{other}'" for other in usable if other != title]
    more = f"; not read: {'sheet' if len(left) == 1 else 'sheets'} {', '.join(left)}" if left else ""
    form, records = f"Excel, sheet '{title}'{more}", _records(sheets[title], header)
    return RecordFile(form, header.cells, records, header.row + 2)


def _titles(workbook: CalamineWorkbook) -> list[str]:
    sheets = [sheet for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    visible = [sheet.name for sheet in sheets if sheet.visible == SheetVisibleEnum.Visible]
    return visible or [sheet.name for sheet in sheets]


def _first_rows(sheet: CalamineSheet) -> list[_Header]:
    rows = islice(sheet.iter_rows(), MAX_PREAMBLE_ROWS + _blank_rows(sheet))
    cells = ([str(_value(cell)).strip() for cell in row] for row in rows)
    return [_Header(number, row) for number, row in enumerate(cells) if any(row)]


def _blank_rows(sheet: CalamineSheet) -> int:
    return sheet.start[0] if sheet.start else 0


def _find_header(sheet: CalamineSheet, is_header: IsHeader) -> _Header | None:
    return max((row for row in _first_rows(sheet) if is_header(row.cells)), key=_width, default=None)


def _widest_row(sheet: CalamineSheet) -> _Header | None:
    return max(_first_rows(sheet), key=_width, default=None)


def _width(row: _Header) -> int:
    return sum(map(bool, row.cells))


def _records(sheet: CalamineSheet, header: _Header) -> Iterator[tuple[int, dict[str, Any]]]:
    rows: Iterator[Sequence[Cell]] = islice(sheet.iter_rows(), header.row + 1, None)
    positions = named_positions(header.cells)
    for number, cells in enumerate(rows, start=header.row + 2):  # as the spreadsheet program counts
        record = {name: _value(cells[at]) for name, at in positions.items()}
        if any(value != "" for value in record.values()):
            yield number, record


def _value(cell: Cell) -> str | int | float:
    """A cell as it is shown: whole numbers without a fraction, dates as ISO 8601.

    >>> _value(12.0), _value(True), _value(date(2024, 1, 2))
    (12, 'TRUE', '2024-01-02')
    """
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else cell
