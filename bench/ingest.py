"""Documents into the corpus, in one process and in tasks: `python -m bench ingest`.

Each run is `querykin corpus add` in a process of its own, on uncompressed JSON-lines files of 16 MB: the first corpus alone
(1x), then with as much again three times under other ids (4x). The corpora of one size are compared by the checksums of
their arrays.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from reproduce import data

from bench import workload
from bench.result import Result
from bench.workload import synthetic_documents
from querykin import Workspace
from querykin.io.documents import read_documents

MASTERS = ("", "processes[1]", "processes[2]")
SIZES = (1, 4)
_FILE_BYTES = 16_000_000


def run() -> Result:
    """Wall and processor time of every size and master."""
    rows, figures = [], dict[str, float]()
    with TemporaryDirectory() as folder:
        for copies in SIZES:
            files = _files(Path(folder) / f"{copies}x", copies)
            seen = set[str]()
            for master in MASTERS:
                home = Path(folder) / f"workspace-{copies}-{master}"
                wall, cpu = _add(home, files, master)
                corpus = Workspace.open(home).corpus
                words, size = corpus.statistics.tokens, _bytes(home / "corpus")
                seen.add(json.dumps(_checksums(home / "corpus")))
                name = f"{copies}x {master or 'one process'}"
                figures |= {f"{name} wall s": wall, f"{name} CPU s": cpu}
                rows.append(
                    [
                        f"{copies}x",
                        master or "one process",
                        f"{len(corpus):,}",
                        f"{words:,}",
                        f"{wall:.1f}",
                        f"{cpu:.1f}",
                        f"{words / cpu / 1000:,.0f}",
                        f"{size / words:.1f}",
                    ]
                )
            if len(seen) != 1:
                raise AssertionError(f"{copies}x: the corpora differ")
    text = (
        f"{'enwiki-core' if workload.real() else 'Synthetic documents'}; everything a command takes, with its start. "
        "The corpora of a size have the same checksums."
    )
    header = ["data", "on", "documents", "words", "wall s", "CPU s", "1,000 words a CPU-s", "bytes a word"]
    return Result("ingest", "Adding documents", text, header, rows, figures)


def _files(folder: Path, copies: int) -> list[Path]:
    """The documents in files of about the same size."""
    folder.mkdir()
    lines: list[str] = []
    size, files = 0, list[Path]()
    for line in chain.from_iterable(_lines(copy) for copy in range(copies)):
        lines.append(line)
        size += len(line)
        if size >= _FILE_BYTES:
            files.append(_written(folder / f"{len(files):04}.jsonl", lines))
            lines, size = [], 0
    return [*files, _written(folder / f"{len(files):04}.jsonl", lines)] if lines else files


def _lines(copy: int) -> Iterator[str]:
    real = workload.real()
    documents = read_documents([data.corpus_file("enwiki-core")], print) if real else synthetic_documents()
    for each in documents:
        yield json.dumps({"id": f"{copy}-{each.id}", "title": each.title, "text": each.text}) + "\n"


def _written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(lines), "utf-8")
    return path


def _add(home: Path, files: list[Path], master: str) -> tuple[float, float]:
    """Wall and processor seconds of one command, with all its processes."""
    on = ["--on", master] if master else []
    command = [
        sys.executable,
        "-c",
        "from querykin.cli import main; main()",
        "corpus",
        "add",
        *map(str, files),
    ]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*command, *on, "--workspace", str(home), "--quiet"], check=True, env=os.environ)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _checksums(store: Path) -> list[tuple[str, list[int]]]:
    """Size and checksum of every array of a store; the files of the search engine have random names."""
    parts = json.loads((store / "manifest.json").read_text("utf-8"))["parts"]
    files = (
        (f"{name.partition('-')[0]}/{file}", facts)
        for name, part in parts.items()
        for file, facts in part.items()
        if not file.startswith("engine/")
    )
    return sorted(files)


if __name__ == "__main__":
    print(run().markdown())
