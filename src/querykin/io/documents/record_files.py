"""Excel workbooks, Parquet and Arrow files as documents, one a row."""

from collections.abc import Iterator
from functools import partial

from querykin.errors import InputError
from querykin.io.columns import columns_read, is_header
from querykin.io.documents.formats import document_format
from querykin.io.documents.records import document_columns, documents
from querykin.io.inputs import Input
from querykin.io.record_files import open_records
from querykin.types import Document


@document_format("xlsx", ".xlsx", ".xlsm", description="Excel workbooks", kinds=("xlsx",))
@document_format("parquet", ".parquet", description="Parquet files", kinds=("parquet",))
@document_format("arrow", ".arrow", ".feather", description="Arrow files", kinds=("arrow",))
def read_record_file(source: Input) -> Iterator[Document]:
    """The documents of a file with columns; of a workbook, those of the first sheet with a usable header."""
    if not source.file.peek(1):
        raise InputError(f"{source.name} is empty; write or fetch it again")
    wanted = partial(is_header, kind="documents", given=source.columns)
    found = open_records(source.file, source.name, wanted)
    if found is None:
        raise InputError(
            f"{source.name} is not what its ending says: it holds text or is damaged. "
            "Next: rename it to .csv, .txt or .jsonl if it is text, otherwise write or fetch it again"
        )
    columns = document_columns(source, found.columns)
    yield from documents(source, found.records, columns)
    source.columns_read = columns_read(source.name, found.form, "", columns)
