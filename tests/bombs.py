"""Small files that would become huge: compressed lines, cells, tags and trees, and who reads them.

`python tests/bombs.py FOLDER [READER...]` reads the files of a folder and prints what came of it.
"""

import bz2
import gzip
import io
import json
import lzma
import sys
import zipfile
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from time import monotonic

import zstandard

MEBIBYTE = 2**20
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor(level=3).compress,
}


_SLOW = ("unclosed.csv", "page.html")  # of millions of rows and tags: linear, but minutes


def repeated(unit: bytes, mebibytes: int) -> bytes:
    """The unit repeated up to a size."""
    return unit * (mebibytes * MEBIBYTE // len(unit))


def packed(unit: bytes, suffix: str, mebibytes: int, begin: bytes = b"", end: bytes = b"") -> bytes:
    """A compressed file of so many repeated units: its streams or frames are copies of one."""
    pack = PACKERS[suffix]
    return pack(begin) + pack(repeated(unit, 8)) * (mebibytes // 8) + pack(end)


def text_bombs(mebibytes: int, wanted: Container[str] | None = None) -> Iterator[tuple[str, bytes]]:
    """Compressed text files that consist of one line, cell or value without end."""
    units = {  # how each begins, and what is repeated
        "line.txt": (b"", b"a"),
        "cells.csv": (b"title,text\n", b","),
        "quoted.csv": (b'title,text\n"a",', b'"",'),
        "unclosed.csv": (b"title,text\n", b'a"b,"\n'),
        "tabs.tsv": (b"query\tcount\n", b"\t"),
        "objects.jsonl": (b'{"title": "a", "text": [', b"{},"),
        "keys.jsonl": (b'{"title": "a"', b',"k":0'),
        "array.json": (b"[{}", b",{}"),
        "deep.jsonl": (b"", b'{"a":['),
        "digits.jsonl": (b'{"title": "a", "pages": 1', b"0"),
        "page.html": (b"<p>", b"<p><b>"),
        "tag.html": (b"<p ", b"x=1 "),
        "feed.xml": (b"<rss><channel><item><title>", b"a"),
        "parts.xml": (b"<rss><channel><item>", b"<a/>"),
        "tag.xml": (b"<rss x='", b"a"),
        "nested.xml": (b"<rss>", b"<a>"),
        "wiki.xml": (b"<mediawiki><page><title>a</title><revision><text>", b"[[{{"),
        "sitemap.xml": (b"<urlset>", b"<url><loc>http://example.org/a</loc></url>"),
    }
    for number, (name, (begin, unit)) in enumerate(units.items()):
        suffix = list(PACKERS)[number % len(PACKERS)]
        if wanted is None or f"{name}{suffix}" in wanted:
            size = min(mebibytes, 8) if name in _SLOW else mebibytes
            yield f"{name}{suffix}", packed(unit, suffix, size, begin)
    for suffix in PACKERS:
        if wanted is None or f"lines.txt{suffix}" in wanted:
            yield f"lines.txt{suffix}", packed(b"a" * 99 + b"\n", suffix, mebibytes)


def page_bombs() -> Iterator[tuple[str, bytes]]:
    """Web pages and texts that some parsers take quadratic time or memory for."""
    yield "formatting.html", "".join(f"<b a={number}><p>" for number in range(20_000)).encode()
    yield "nested.html", b"<div>" * 100_000 + b"text"
    yield "attribute.html", b"<p>a</p><a x=" + b" " * 200_000 + b"<"
    yield "cell.csv", b"title,text\na,<p>x</p><a x=" + b" " * 200_000 + b"<\n"
    yield "marks.txt", ("a" + "\u0301\u0316" * 100_000).encode()
    yield "controls.txt", b"\x81" * 1_000_000
    yield "entity.html", b"<p>&#" + b"9" * 10_000 + b";"


def workbook(sheet: str, texts: str = "") -> bytes:
    """A workbook with this XML as its rows."""
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" '
        f'Type="{relation}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {space} xmlns:r="{relation}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="s" '
        f'Type="{relation}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="t" '
        f'Type="{relation}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/sharedStrings.xml": f"<sst {space}>{texts}</sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet {space}><sheetData>{sheet}</sheetData></worksheet>",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def container_bombs(mebibytes: int) -> Iterator[tuple[str, bytes]]:
    """Workbooks, archives and Parquet files."""
    corner = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="{}1048576"><v>1</v></c></row>'
    yield "corner.xlsx", workbook(corner.format("XFD"))
    yield "narrow.xlsx", workbook(corner.format("T"))
    cells = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, 50_000))
    yield "shared.xlsx", workbook(cells, f"<si><t>{'a' * 32_000}</t></si>")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", repeated(b"a", mebibytes))
    yield "member.zip", file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(mebibytes // 8):
            archive.writestr(f"{number}.txt", repeated(b"a", 8))
    yield "members.zip", file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt.gz", packed(b"a", ".gz", mebibytes))
    yield "inner.zip", file.getvalue()
    yield from _arrow_bombs(mebibytes)


def _arrow_bombs(mebibytes: int) -> Iterator[tuple[str, bytes]]:
    try:
        from arro3.core import Array, DataType, Table
        from arro3.io import write_ipc, write_parquet
    except ImportError:
        return
    one = Table.from_pydict({"title": Array(["a" * (mebibytes * MEBIBYTE)], DataType.utf8())})
    many = Table.from_pydict({"title": Array(["a" * MEBIBYTE] * mebibytes, DataType.utf8())})
    for name, table in (("text", one), ("texts", many)):
        file = io.BytesIO()
        write_parquet(table, file, compression="zstd(3)", dictionary_page_size_limit=2**30)
        yield f"{name}.parquet", file.getvalue()
    file = io.BytesIO()
    write_ipc(many, file, compression="zstd")
    yield "texts.arrow", file.getvalue()


def bombs(mebibytes: int, wanted: Container[str] | None = None) -> Iterator[tuple[str, bytes]]:
    """All of them, by name; of those that take long to make, only the wanted ones."""
    yield from text_bombs(mebibytes, wanted)
    yield from page_bombs()
    yield from container_bombs(mebibytes)


def readers() -> dict[str, Callable[[str], object]]:
    """What reads files, by name."""
    from querykin.io.documents import read_documents
    from querykin.io.judgement_files import read_judged_pairs
    from querykin.io.keyword_tables import read_keyword_table
    from querykin.io.lines import open_text
    from querykin.io.log_files import read_logs
    from querykin.io.query_exports import is_query_export
    from querykin.io.query_files import read_queries
    from querykin.io.trec import read_qrels, read_run
    from querykin.learning.keywords.gold_documents import read_gold

    def consume(records: Iterator[object]) -> None:
        for _ in records:
            pass

    def ignore(problem: object) -> None:
        pass

    return {
        "documents": lambda path: consume(read_documents([path], ignore)),
        "queries": lambda path: consume(read_queries(path, ignore)),
        "log": lambda path: consume(read_logs([path], ignore)),
        "keyword table": lambda path: read_keyword_table(path, ignore),
        "judged pairs": read_judged_pairs,
        "lines": lambda path: consume(open_text(path)),
        "query export": is_query_export,
        "qrels": read_qrels,
        "run": read_run,
        "gold keywords": lambda path: read_gold(path, ignore),
    }


def _peak() -> int:
    """MiB of this process since it began; `ru_maxrss` would count the process that started it."""
    (line,) = (
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")
    )
    return int(line.split()[1]) // 1024


def main() -> None:
    """Print a JSON line for each file and reader: the outcome, the seconds, the peak of the memory so far."""
    from querykin.errors import QuerykinError

    folder, names = Path(sys.argv[1]), sys.argv[2:]
    for path in sorted(folder.iterdir()):
        for reader, read in readers().items():
            if names and reader not in names:
                continue
            began = monotonic()
            try:
                read(str(path))
                outcome = "accepted"
            except QuerykinError as error:
                outcome = f"refused: {error}"
            except BaseException as error:
                outcome = f"traceback: {error!r:.200}"
            peak = _peak()
            seconds = round(monotonic() - began, 1)
            line = {"bomb": path.name, "reader": reader, "outcome": outcome, "seconds": seconds, "peak": peak}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
