"""Examples read on the real path, and the reference page that shows the result."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin.io.columns import ColumnsRead
from querykin.io.documents import read_documents
from querykin.io.query_files import read_queries
from querykin.types import Document, SkippedRecord

from .example import Example

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "example-files.md"
INTRODUCTION = """# Example files

What comes in from files like those that people have. `tests/example_files` makes them and reads them with
the functions behind `querykin corpus add` and `querykin repository add`; this page is written by
`PYTHONPATH=tests python -m example_files`, and a test compares it with what is read. How to add such files:
[documents](../how-to/add-documents.md), [queries](../how-to/add-queries.md).
"""
HEADINGS = {"queries": "Queries", "documents": "Documents"}


@dataclass(frozen=True)
class Outcome:
    """What came in from an example."""

    records: list[tuple[str, int]] | list[Document]
    columns: list[ColumnsRead]
    skipped: list[SkippedRecord]


def read(example: Example, folder: Path) -> Outcome:
    """Write the files of an example into a folder and read them."""
    for name, content in example.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    sources = [str(folder / name) for name in example.added or example.files]
    columns: list[ColumnsRead] = []
    skipped: list[SkippedRecord] = []
    if example.kind == "documents":
        found = read_documents(sources, skipped.append, columns=example.columns, noted=columns.append)
        return Outcome(list(found), columns, skipped)
    queries = [
        (query, count)
        for source in sources
        for query, count, _ in read_queries(
            source, skipped.append, columns=example.columns, noted=columns.append
        )
    ]
    return Outcome(queries, columns, skipped)


def page(examples: Iterable[Example]) -> str:
    """The reference page."""
    lines = {kind: [f"\n## {heading}\n", *_TABLE_HEAD] for kind, heading in HEADINGS.items()}
    for example in examples:
        with TemporaryDirectory() as folder:
            lines[example.kind].append(_row(example, read(example, Path(folder))))
    return INTRODUCTION + "\n".join("\n".join(part) for part in lines.values()) + "\n"


_TABLE_HEAD = (
    "| file | imitates | recognized as | columns read | not read | records |",
    "|---|---|---|---|---|---|",
)


def _row(example: Example, outcome: Outcome) -> str:
    names = ", ".join(f"`{name}`" for name in example.added or example.files)
    if example.columns:
        names += f" with `--columns {example.columns}`"
    recognized = {
        ", ".join(filter(None, (read.export, read.form, read.encoding))) for read in outcome.columns
    }
    roles = {f"{role} = {columns}": None for read in outcome.columns for role, columns in read.roles.items()}
    unread = {name: None for read in outcome.columns for name in read.unread}
    count = f"{len(outcome.records)}" + (f", {len(outcome.skipped)} skipped" if outcome.skipped else "")
    cells = (
        names,
        example.imitates,
        "; ".join(sorted(recognized)),
        ", ".join(roles),
        ", ".join(unread),
        count,
    )
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"
