"""Which kernels are called, and with which types: `PYTHONPATH=tests:. python -m kernel_calls` writes it.

Every command runs in a process of its own, forked from one that has imported the program, so that nothing is
in memory that a new process would not have.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numba.core.event
from bench import small_corpus

from querykin.compute import kernel_table
from querykin.compute.kernel_cache import KernelCache
from querykin.types import Document

SUBJECT, OTHER = small_corpus.SUBJECTS[:2]
COMMANDS: dict[str, list[str]] = {
    "corpus add": ["corpus", "add", "documents.jsonl"],
    "repository add": ["repository", "add", "queries.txt"],
    "build": ["build"],
    "suggest": ["suggest", SUBJECT],
    "similarity": ["similarity", SUBJECT, OTHER],
    "search": ["search", SUBJECT],
    "serve": [],
    "demo": [],
}
# What several kernels of these commands call: compiled first, so that no two processes compile it.
SHARED: list[tuple[str, list[str]]] = [
    ("compute.arrays.grow", ["int64[1]", "int64"]),
    ("compute.arrays.grow", ["float64[1]", "int64"]),
    ("compute.sorting.kth_largest", ["float64[1]", "int64"]),
    ("compute.sorting.sort_in_place", ["int64[1]"]),
]
SHARED_BY = ("build", "suggest", "similarity", "serve", "demo")
# What else is compiled by `querykin warm`.
BUILT = (
    "matching,idf-cosine,phrase,exact,lexical,edit,web-kernel-paper,set-overlap,result-cosine,sparse-prob,dense-prob,"
    "distributional-ngrams,pmi,latent,static,dense,co-click,co-session,reformulation,hybrid-static"
)
SEARCHED = ("matching", "lexical", "edit", "sparse-prob", "dense-prob", "pmi", "latent", "static", "co-click")
FURTHER: list[list[str]] = [
    ["log", "add", "sessions.csv"],
    ["repository", "mine"],
    ["build", "--measures", BUILT],
    *(["suggest", "stnoe brigde", "--explain", "--measure", name] for name in SEARCHED),
    ["match", "queries.txt", "--measure", "hybrid"],
    ["match", "--all-pairs", "--measure", "sparse-prob"],
    ["match", "queries.txt", "--measure", "web-kernel", "-k", "128"],
    ["search", "stnoe brigde"],
    ["similarity", SUBJECT, OTHER, "--explain"],
    ["keywords", "documents.jsonl", "--phrases"],
    ["cluster", "queries.txt"],
    ["dedupe", "queries.txt"],
    ["train", "combination", "pairs.tsv", "--measures", "jaccard,edit", "--name", "a", "--learner", "trees"],
    ["train", "combination", "pairs.tsv", "--measures", "jaccard,edit", "--name", "b"],
    ["train", "tweak", "pairs.tsv", "--loss", "preference"],
    ["evaluate", "pairs.tsv", "--measures", "jaccard,a,tweak,hybrid"],
    ["agreement", "pairs.tsv"],
    ["corpus", "remove", "1"],
    ["repository", "remove", small_corpus.TEXTS[0]],
    ["build"],
]
Calls = dict[str, dict[str, Any]]


class _Depth(numba.core.event.Listener):
    """How many kernels are being compiled: what one of them calls is not called from Python."""

    compiling = 0

    def on_start(self, event: Any) -> None:
        self.compiling += 1

    def on_end(self, event: Any) -> None:
        self.compiling -= 1


def write_inputs(folder: Path) -> None:
    """The files that the commands read."""
    small_corpus.write(folder)
    pairs = product(small_corpus.TEXTS[:18], small_corpus.TEXTS[::7], ("x", "y"))
    lines = [f"{a}\t{b}\t{int(a[:5] == b[:5]) + (r == 'y')}\t{r}" for a, b, r in pairs]
    (folder / "pairs.tsv").write_text("\n".join(["query\tcandidate\tgrade\trater", *lines]), "utf-8")
    steps = [
        f"{s},2026-01-01 00:0{n}:00,{text},https://shop.example/{n}"
        for s in range(40)
        for n, text in enumerate(small_corpus.TEXTS[s % 6 : s % 6 + 4])
    ]
    (folder / "sessions.csv").write_text("\n".join(["session,time,query,url", *steps]), "utf-8")


def record(found: Calls) -> None:
    """From now on, add each kernel that is called from Python, with the types of its arguments."""
    depth, load = _Depth(), KernelCache.load_overload
    numba.core.event.register("numba:compile", depth)

    def load_overload(self: KernelCache, sig: Any, target_context: Any) -> Any:
        if not depth.compiling:
            name = f"{self._function.__module__}.{self._function.__name__}".removeprefix("querykin.")
            types = [kernel_table.type_entry(each) for each in sig]
            found[json.dumps([name, types])] = {"kernel": name, "types": types}
        return load(self, sig, target_context)

    KernelCache.load_overload = load_overload  # type: ignore[method-assign]


def calls_of(run: Callable[[], object], folder: Path) -> Calls:
    """The calls of kernels in a process of its own, in `folder`."""
    out = folder / "calls.json"
    if (process := os.fork()) == 0:
        found: Calls = {}
        record(found)
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code: Any = 1
        try:
            run()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        finally:
            out.write_text(json.dumps(found), "utf-8")
            sys.stderr.flush()
            os._exit(code)
    if os.waitpid(process, 0)[1]:
        sys.stderr.write("the command failed\n")
    calls: Calls = json.loads(out.read_text("utf-8"))
    return calls


def command_line(words: Iterable[str]) -> Callable[[], object]:
    """A command of the program."""

    def run() -> None:
        from querykin.cli.main import main

        os.environ["QUERYKIN_WORKSPACE"] = "workspace"
        sys.argv = ["querykin", *words]
        main()

    return run


def serve() -> None:
    """Open the workspace as the service does, and answer what it answers before it is ready."""
    from querykin.build_policy import BuildPolicy
    from querykin.server.app import create_app
    from querykin.workspace import Workspace

    opened = Workspace.open("workspace")
    create_app(opened.reopen(BuildPolicy.REFUSE), opened.settings.server).state.service.start()


def demo() -> None:
    """The demo over the small corpus."""
    import querykin.demo
    from querykin.cli import demo as command

    documents = [Document(text, text, f"The {text} is old.") for text in small_corpus.TEXTS]
    querykin.demo.demo_documents = lambda: iter(documents)
    command.QUERIES, command.PAIR = (SUBJECT,), (SUBJECT, OTHER)
    command_line(["demo", "--workspace", "demo"])()


RUNS = {"serve": serve, "demo": demo}


def command_calls(folder: Path) -> Calls:
    """The calls of the commands that the table names, each with those that make it."""
    calls: Calls = {}
    for name, words in COMMANDS.items():
        found = calls_of(RUNS.get(name) or command_line(words), folder)
        for key, entry in found.items():
            calls.setdefault(key, {**entry, "commands": []})["commands"].append(name)
    return with_shared(calls)


def with_shared(calls: Calls) -> Calls:
    """The same, with what their kernels share."""
    for name, types in SHARED:
        entry = calls.setdefault(json.dumps([name, types]), {"kernel": name, "types": types, "commands": []})
        entry["commands"] = [each for each in COMMANDS if each in {*entry["commands"], *SHARED_BY}]
    return calls


def write_table(calls: Calls) -> None:
    """Write the table in the order of its kernels."""
    lines = ",\n".join(json.dumps(entry) for _, entry in sorted(calls.items()))
    kernel_table.FILE.write_text(f"[\n{lines}\n]\n", "utf-8")


def differences() -> list[str]:
    """Entries that the commands call and the table does not have for them, or the other way round."""
    with TemporaryDirectory() as name:
        write_inputs(Path(name))
        calls = command_calls(Path(name)).values()
    found = {(json.dumps([c["kernel"], c["types"]]), command) for c in calls for command in c["commands"]}
    listed = {
        (json.dumps([each.name, each.types]), command)
        for each in kernel_table.kernels()
        for command in each.commands
    }
    return [f"{command}: {kernel}" for kernel, command in sorted(found ^ listed)]


def main() -> None:
    """Run all commands and write the table; with --check, only say how it differs."""
    if "--check" in sys.argv:
        sys.exit("\n".join(differences()) or None)
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        calls = command_calls(folder)
        write_table(calls)
        for words in FURTHER:
            sys.stderr.write(f"querykin {' '.join(words)}\n")
            for key, entry in calls_of(command_line(words), folder).items():
                calls.setdefault(key, {**entry, "commands": []})
        write_table(calls)


if __name__ == "__main__":
    main()
