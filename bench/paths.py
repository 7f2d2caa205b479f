"""Functions entered and work repeated on the common paths: `python -m bench.paths [--json FILE] [--checkout DIR]`.

Four paths run in this process over a small corpus in a temporary folder: `corpus add`; `build` and `suggest`;
`similarity --explain`; `train combination` and `evaluate --folds`. Each runs once before it is traced, so that imports
and compilation are not counted, and then again in a new workspace with `sys.setprofile` and `threading.setprofile`.

Counted are functions of querykin, without comprehensions; each resumption of a generator is a call. Compiled functions
call each other unseen. Repeated work: objects constructed, and texts tokenized, expanded and NFC-normalized, how many
of them are distinct and how many were processed more than once.

Names differ between versions, so the table `NAMES` lists alternatives and takes the one that exists. `--checkout`
traces the version in another folder with the interpreter of its environment.
"""

import argparse
import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from inspect import isfunction
from itertools import product
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

from bench import small_corpus

# What is watched: module:name, the names of earlier versions first.
NAMES = {
    "app": ("querykin.cli.main:app", "querykin.cli.main:program"),
    "measure": ("querykin.measures.base:Measure",),
    "index": ("querykin.index.index:Index",),
    "corpus": ("querykin.corpus.corpus:Corpus",),
    "tokenize": ("querykin.text:tokenise", "querykin.text.tokenizer:tokenize"),
    "expand": ("querykin.expansion:Expander.expand", "querykin.search.expansion:Expander.expand"),
    "search": ("querykin.expansion:Expander.search", "querykin.search.expansion:Expander.search"),
}
TEXTS = {"tokenize": 0, "expand": 1, "search": 1}  # which argument holds the texts
COMPREHENSIONS = frozenset({"<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
MEASURES = ("web-kernel", "jaccard-stems", "idf-cosine")

Command = Sequence[str]


@dataclass
class Texts:
    """Texts that a function received: calls, texts, different ones, and those received more than once."""

    calls: int = 0
    texts: int = 0
    distinct: int = 0
    repeated: int = 0

    @classmethod
    def of(cls, calls: Sequence[Sequence[str]]) -> "Texts":
        """Count the texts of all calls."""
        counts = Counter(text for texts in calls for text in texts)
        repeated = sum(count > 1 for count in counts.values())
        return cls(len(calls), counts.total(), len(counts), repeated)


@dataclass
class PathTrace:
    """What one path did."""

    functions: int
    files: int
    calls: int
    measures: dict[str, int]
    indexes: int
    corpora: int
    tokenize: Texts
    expand: Texts
    search: Texts
    nfc: Texts
    most_called: dict[str, int] = field(default_factory=dict)


class Trace:
    """Records the calls of querykin's functions while it is switched on."""

    def __init__(self) -> None:
        found = {name: _resolved(alternatives) for name, alternatives in NAMES.items()}
        self.app = found["app"]() if isfunction(found["app"]) else found["app"]
        self._kinds = {"measure": found["measure"], "index": found["index"], "corpus": found["corpus"]}
        self._watched: dict[CodeType, str] = {found[name].__code__: name for name in TEXTS}
        self._source = str(Path(importlib.import_module("querykin").__file__ or "").parent) + os.sep
        self._clear()

    def _clear(self) -> None:
        # Lists, because appending is safe from several threads.
        self._entered: list[CodeType] = []
        self._made: list[tuple[str, str]] = []
        self._texts: dict[str, list[list[str]]] = {name: [] for name in (*TEXTS, "nfc")}

    @contextmanager
    def on(self) -> Iterator[None]:
        """Record from here on, in this thread and in those started by it."""
        self._clear()
        with _counted_normalization(self._texts["nfc"]):
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)
            try:
                yield
            finally:
                sys.setprofile(None)
                threading.setprofile(None)

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code.co_name == "__init__":
            self._constructed(frame)  # constructors of dataclasses have no file
        if not code.co_filename.startswith(self._source) or code.co_name in COMPREHENSIONS:
            return
        self._entered.append(code)
        if name := self._watched.get(code):
            texts = frame.f_locals[code.co_varnames[TEXTS[name]]]
            self._texts[name].append(list(texts))

    def _constructed(self, frame: FrameType) -> None:
        made = frame.f_locals.get(frame.f_code.co_varnames[0]) if frame.f_code.co_varnames else None
        for kind, base in self._kinds.items():
            # The constructor of the object's own class, not one that it calls of its base.
            if isinstance(made, base) and getattr(type(made).__init__, "__code__", None) is frame.f_code:
                self._made.append((kind, type(made).__name__))

    def result(self) -> PathTrace:
        """What was recorded."""
        names = Counter(
            f"{Path(code.co_filename).relative_to(self._source)}:{code.co_qualname}" for code in self._entered
        )
        kinds = Counter(kind for kind, _ in self._made)
        measures = Counter(name for kind, name in self._made if kind == "measure")
        texts = {name: Texts.of(calls) for name, calls in self._texts.items()}
        return PathTrace(
            functions=len(names),
            files=len({name.partition(":")[0] for name in names}),
            calls=names.total(),
            measures=dict(measures.most_common()),
            indexes=kinds["index"],
            corpora=kinds["corpus"],
            **texts,
            most_called=dict(names.most_common(10)),
        )


@contextmanager
def _counted_normalization(calls: list[list[str]]) -> Iterator[None]:
    """Record the texts given to `unicodedata.normalize`, which is called through its module."""
    normalize = unicodedata.normalize

    def counted(form: Any, text: str) -> str:
        if form == "NFC":
            calls.append([text])
        return normalize(form, text)

    unicodedata.normalize = counted
    try:
        yield
    finally:
        unicodedata.normalize = normalize


def _resolved(alternatives: Sequence[str]) -> Any:
    """The first of several names that exists."""
    for alternative in alternatives:
        module, _, name = alternative.partition(":")
        with contextlib.suppress(ImportError, AttributeError):
            found: Any = importlib.import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
            return found
    sys.exit(f"none of {', '.join(alternatives)} exists; add the new name to NAMES in bench/paths.py")


def paths(folder: Path) -> dict[str, tuple[list[Command], list[Command]]]:
    """The traced commands of each path, after those that prepare its workspace."""
    small_corpus.write(folder)
    texts = small_corpus.TEXTS
    # A candidate about the same subject is relevant; ten candidates a query, half of them relevant.
    judged = [
        f"{texts[query]}\t{texts[(query + step) % len(texts)]}\t{int(query // 6 == (query + step) % len(texts) // 6)}"
        for query in range(0, len(texts), 2)
        for step in range(1, 11)
    ]
    (folder / "judged.tsv").write_text("\n".join(["query\tcandidate\tgrade", *judged]), "utf-8")
    add = ["corpus", "add", str(folder / "documents.jsonl")]
    queries = ["repository", "add", str(folder / "queries.txt")]
    file, combined = str(folder / "judged.tsv"), "combined"
    train = ["train", "combination", file, "--measures", ",".join(MEASURES), "--name", combined]
    evaluate = ["evaluate", file, "--measures", f"web-kernel,{combined}", "--folds", "3"]
    return {
        "corpus add": ([], [add]),
        "build, suggest": ([add, queries], [["build"], ["suggest", "stone bridge"]]),
        "similarity --explain": ([add], [["similarity", *small_corpus.SUBJECTS[:2], "--explain"]]),
        "train combination, evaluate --folds": ([add, queries], [train, evaluate]),
    }


def traced() -> dict[str, PathTrace]:
    """Every path, first without the trace and then with it."""
    trace = Trace()
    found = {}
    with TemporaryDirectory(prefix="bench-paths-") as folder:
        for number, (name, (before, path)) in enumerate(paths(Path(folder)).items()):
            for turn in ("warm", "traced"):
                place = ["--workspace", str(Path(folder) / f"{number}-{turn}"), "--quiet"]
                for command in before:
                    _invoke(trace.app, [*command, *place])
                with trace.on() if turn == "traced" else contextlib.nullcontext():
                    for command in path:
                        _invoke(trace.app, [*command, *place])
            found[name] = trace.result()
    return found


def _invoke(app: Any, words: Command) -> None:
    from typer.testing import CliRunner

    result = CliRunner().invoke(app, list(words))
    if result.exit_code or result.exception:
        sys.exit(
            f"querykin {' '.join(words)}: exit {result.exit_code}, {result.exception!r}\n{result.output}"
        )


def report(found: dict[str, PathTrace]) -> str:
    """The table, one column a path."""
    rows: list[tuple[str, Callable[[PathTrace], int]]] = [
        ("functions entered", lambda path: path.functions),
        ("files", lambda path: path.files),
        ("calls", lambda path: path.calls),
        ("measures constructed", lambda path: sum(path.measures.values())),
        ("indexes opened", lambda path: path.indexes),
        ("corpora opened", lambda path: path.corpora),
    ]
    counted = product(("tokenize", "search", "expand", "nfc"), ("calls", "texts", "distinct", "repeated"))
    rows += [(f"{name}: {what}", attrgetter(f"{name}.{what}")) for name, what in counted]
    lines = [f"| | {' | '.join(found)} |", "|---" * (1 + len(found)) + "|"]
    for title, value in rows:
        lines.append(f"| {title} | {' | '.join(f'{value(path):,}' for path in found.values())} |")
    for name, path in found.items():
        made = ", ".join(f"{kind} {count}" for kind, count in path.measures.items()) or "none"
        lines.append(f"\n{name}: measures constructed: {made}")
    return "\n".join(lines)


def main() -> None:
    """Trace, print the table, write the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.paths", description=(__doc__ or "").split(":")[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--checkout", type=Path, help="trace the version in this folder, with its .venv")
    given = parser.parse_args()
    if given.checkout:
        sys.exit(_run_checkout(given.checkout.resolve(), given.json))
    found = traced()
    print(report(found))
    if given.json:
        figures = {name: asdict(path) for name, path in found.items()}
        given.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def _run_checkout(checkout: Path, out: Path | None) -> int:
    """Run the script on another version, with its sources and its interpreter."""
    words = [
        str(checkout / ".venv" / "bin" / "python"),
        "-P",  # modules of bench/ must not hide those of the standard library
        __file__,
        *(["--json", str(out.resolve())] if out else []),
    ]
    environment = os.environ | {"PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}"}
    return subprocess.run(words, env=environment).returncode


if __name__ == "__main__":
    main()
