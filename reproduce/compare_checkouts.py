"""Compare the outputs of two checkouts of querykin: `python -m reproduce.compare_checkouts BEFORE AFTER [--data | --only-data] [--keep DIR]`.

BEFORE and AFTER are folders of checkouts that hold `.venv/bin/querykin`. Both are used through the command line only,
so their modules and classes may have different names. Each checkout builds its own workspaces: the demo corpus and,
with `--data`, Simple English Wikipedia with real web queries (`reproduce.data` locates the files). The same commands
run on both. Exit codes, keys, texts and their order must be equal. Numbers may differ by `TOLERANCE`, relative to the
larger of the two where that is above 1. Scores are printed with nine decimals, so a difference of one unit in the
last place is accepted.

The two checkouts run each command at the same time. Progress goes to stderr. The exit code is 1 when any output
differs, or when a command fails that should not. Workspaces are deleted at the end unless `--keep` names a folder for them.
"""

import argparse
import csv
import gzip
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from querykin.model_files import upgrade_from_1
from reproduce import data

TOLERANCE = 1e-9
ROUNDING = 1e-15  # what the subtraction of two printed numbers adds
RENAMED: Mapping[str, str] = {}  # words of the command line and keys of outputs: before -> after
IGNORED_KEYS = frozenset({"bytes", "version", "querykin"})  # depend on the file format and the release
SHOWN = 5  # differences printed for one command
QUERIES = 20_000  # queries of the repository in the data part
JUDGED = 4_000  # judged pairs in the data part
K = "10"

# Demo part: phrases by topic. Pairs within a topic are graded 2 or 1, pairs with the next topic 0.
TOPICS = {
    "space": ["space exploration", "solar system", "moon landing", "space telescope", "orbit of a planet"],
    "music": ["classical music", "string quartet", "opera singer", "jazz piano", "rock band"],
    "war": ["world war", "nuclear weapon", "peace treaty", "civil war battle", "army general"],
    "sport": ["football player", "olympic games", "tennis tournament", "world cup", "basketball team"],
    "biology": ["cell membrane", "human evolution", "dna sequence", "species of birds", "plant growth"],
    "rivers": ["longest river", "ancient rome", "capital of France", "mountain range", "city on the coast"],
    "computers": [
        "computer science",
        "programming language",
        "web browser",
        "artificial intelligence",
        "java",
    ],
    "money": ["stock market", "central bank", "tax on income", "car company", "oil price"],
}
EDGE_CASES = [
    "",
    "zzyzx qwxyz",
    "Solar  SYSTEM",
    "naïve café",
    "the of and",
    "c++",
    '"space station" nasa',
    "a",
    "東京",
    "energy energy energy",
]
PAIRS = [
    ("space exploration", "NASA"),
    ("java island", "Indonesia"),
    ("apple", "apple"),
    ("solar energy", ""),
    ("zzyzx", "planet"),
    ("Kofi Annan", "UN Secretary-General"),
    ("the", "of"),
    ("Bill Gates", "Microsoft founder"),
    ("chess player", "players of chess"),
    ("naïve café", "naive cafe"),
]
ON_FIRST_USE = ("distributional", "latent")  # their counts are made when they are first named
FILTERED = ("web-kernel", "jaccard-stems", "dense-prob")  # with every filter; others without
FILTERS = ("diverse", "paper", "none")
COMBINED = ("web-kernel", "jaccard-stems", "idf-cosine")
WITH_DATA = (
    "web-kernel",
    "web-kernel-paper",
    "web-relevance",
    "tweak",
    "tfidf",
    "result-cosine",
    "set-overlap",
    "dense-prob",
    "sparse-prob",
    "backoff",
    "lexical",
    "idf-cosine",
    "jaccard-stems",
    "edit",
    "pmi",
    "distributional",
    "distributional-ngrams",
    "latent",
    "static",
    "dense",
)
SCORED_ONLY = frozenset(
    {"web-kernel-paper", "tfidf", "result-cosine", "set-overlap"}
)  # indexes that take minutes


# The comparison of two outputs


@dataclass
class Comparison:
    """Two outputs compared: how many values, the largest difference of numbers, and what differs."""

    items: int = 0
    largest: float = 0.0
    differences: list[str] = field(default_factory=list)

    def text(self, where: str, before: object, after: object) -> None:
        """Record two values that are not the same."""
        self.differences.append(f"{where or 'output'}: {_short(before)} -> {_short(after)}")


def compare(before: object, after: object, tolerance: float = TOLERANCE) -> Comparison:
    """Compare two parsed outputs.

    >>> compare({"a": [1.0, "x"]}, {"a": [1.0 + 1e-12, "x"]}).differences
    []
    >>> compare({"a": [1.0, "x"]}, {"a": [1.1, "y"]}).differences
    ['a[0]: 1.0 -> 1.1', "a[1]: 'x' -> 'y'"]
    """
    found = Comparison()
    _compare(before, after, "", tolerance, found)
    return found


def _compare(before: object, after: object, where: str, tolerance: float, found: Comparison) -> None:
    if isinstance(before, dict) and isinstance(after, dict):
        _compare_objects(before, after, where, tolerance, found)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            found.text(f"{where} length".strip(), len(before), len(after))
        for place, (one, other) in enumerate(zip(before, after, strict=False)):
            _compare(one, other, f"{where}[{place}]", tolerance, found)
    elif _is_number(before) and _is_number(after):
        found.items += 1
        apart = _difference(float(before), float(after))  # type: ignore[arg-type]
        found.largest = max(found.largest, apart)
        if apart > tolerance + ROUNDING:
            found.text(where, before, after)
    else:
        found.items += 1
        if type(before) is not type(after) or before != after:
            found.text(where, before, after)


def _compare_objects(
    before: dict[str, Any], after: dict[str, Any], where: str, tolerance: float, found: Comparison
) -> None:
    """Keys must be the same and in the same order."""
    if {"kind", "content", "training"} <= before.keys():  # a trained model
        before = upgrade_from_1(before)
    before = {RENAMED.get(key, key): value for key, value in before.items() if key not in IGNORED_KEYS}
    after = {key: value for key, value in after.items() if key not in IGNORED_KEYS}
    inside = f"{where}." if where else ""
    for key in before.keys() - after.keys():
        found.text(f"{inside}{key}", before[key], "missing")
    for key in after.keys() - before.keys():
        found.text(f"{inside}{key}", "missing", after[key])
    shared = [key for key in before if key in after]
    if shared != [key for key in after if key in before]:
        found.text(f"{where} order of keys".strip(), list(before), list(after))
    for key in shared:
        _compare(before[key], after[key], f"{inside}{key}", tolerance, found)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _difference(one: float, other: float) -> float:
    """The difference of two numbers, relative to the larger where that is above 1; two NaN are equal."""
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    if not (math.isfinite(one) and math.isfinite(other)):
        return math.inf
    return abs(one - other) / max(1.0, abs(one), abs(other))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."


# Commands


@dataclass(frozen=True)
class Step:
    """A command, what it reads from standard input, and how its output is parsed."""

    name: str
    arguments: Sequence[str]
    form: str = "json"  # json, jsonl, tsv, text; exit: only the exit code is compared
    stdin: str = ""
    fails: bool = False  # whether an exit code above 0 is expected


@dataclass(frozen=True)
class Output:
    """What a command returned."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    def parsed(self, form: str) -> object:
        """The exit code and the output as values that can be compared; text that cannot be parsed stays text."""
        try:
            return {"exit code": self.code, "output": PARSERS[form](self.stdout)}
        except (ValueError, csv.Error):
            return {"exit code": self.code, "output": self.stdout}


def _parse_tsv(text: str) -> list[list[object]]:
    return [[_cell(cell) for cell in line.split("\t")] for line in text.splitlines()]


def _cell(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


PARSERS: Mapping[str, Callable[[str], object]] = {
    "json": lambda text: json.loads(text) if text.strip() else None,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
    "tsv": _parse_tsv,
    "text": str.splitlines,
    "exit": lambda text: None,
}


class Checkout:
    """One of the two checkouts, run in a separate folder."""

    def __init__(self, path: Path, folder: Path, renamed: Mapping[str, str] = {}) -> None:
        self.path, self.folder, self._renamed = path.resolve(), folder, renamed
        self._program = self.path / ".venv" / "bin" / "querykin"
        if not self._program.is_file():
            sys.exit(f"{self._program} not found: {path} must be a checkout with an installed environment")
        folder.mkdir(parents=True, exist_ok=True)
        self._check_source()

    def run(self, step: Step) -> Output:
        """Run a command; the workspace is a relative path, so that messages are the same in both checkouts."""
        command = [str(self._program), *(self._renamed.get(word, word) for word in step.arguments)]
        start = time.perf_counter()
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment(),
            input=step.stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
        )
        return Output(done.returncode, done.stdout, done.stderr, time.perf_counter() - start)

    def _environment(self) -> dict[str, str]:
        """Without settings of querykin, and without PYTHONPATH, which would put another tree in place of this one."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name != "PYTHONPATH" and not name.startswith("QUERYKIN_")
        }
        return kept | {"PATH": f"{self._program.parent}{os.pathsep}{os.environ.get('PATH', '')}"}

    def _check_source(self) -> None:
        """An environment may have another checkout installed; then the comparison would be worthless."""
        python = self._program.parent / "python"
        script = "import importlib.util as u; print(u.find_spec('querykin').origin)"
        found = subprocess.run(
            [str(python), "-c", script],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        if not Path(found).resolve().is_relative_to(self.path):
            sys.exit(f"{self._program} runs {found}, which is not inside {self.path}")


class Runner:
    """Runs steps on both checkouts at the same time and collects the comparisons."""

    def __init__(self, before: Checkout, after: Checkout) -> None:
        self.checkouts = before, after
        self.rows: list[tuple[str, Comparison]] = []
        self.failed: list[str] = []  # commands that should have succeeded

    def run(self, step: Step) -> object:
        """Compare the outputs of one command; returns what the first checkout printed."""
        with ThreadPoolExecutor(2) as pool:
            outputs = list(pool.map(lambda checkout: checkout.run(step), self.checkouts))
        before, after = (output.parsed(step.form) for output in outputs)
        found = compare(before, after)
        self.rows.append((step.name, found))
        seconds = " ".join(f"{output.seconds:.1f} s" for output in outputs)
        note = f", {len(found.differences)} DIFFERENCES" if found.differences else ""
        _progress(f"{step.name}: {found.items:,} items, exit {outputs[0].code} ({seconds}){note}")
        if any(output.code for output in outputs) and not step.fails:
            self.failed.append(step.name)
            for output in outputs:
                _progress("  " + (output.stderr.strip().splitlines() or ["no message"])[-1])
        return before["output"] if isinstance(before, dict) else before

    def report(self) -> str:
        """A table of all comparisons, the first differences, and the count."""
        width = max(len(name) for name, _ in self.rows)
        lines = [f"{'command':<{width}}  {'items':>9}  largest difference"]
        for name, found in self.rows:
            lines.append(
                f"{name:<{width}}  {found.items:>9,}  {found.largest:.1e}"
                if found.largest
                else f"{name:<{width}}  {found.items:>9,}  0"
            )
        differing = [(name, found) for name, found in self.rows if found.differences]
        for name, found in differing:
            more = len(found.differences) - SHOWN
            lines += ["", f"{name}: {len(found.differences):,} differences"]
            lines += [f"  {difference}" for difference in found.differences[:SHOWN]]
            lines += [f"  and {more:,} more"] if more > 0 else []
        if self.failed:
            lines += ["", f"failed, so that little was compared: {', '.join(self.failed)}"]
        largest = max(found.largest for _, found in self.rows)
        lines += [
            "",
            f"numbers compared to {TOLERANCE:g}; largest difference {largest:.1e}",
            f"{len(self.rows)} comparisons, {len(differing)} differ",
        ]
        return "\n".join(lines)


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# The demo part


def demo_steps(runner: Runner, inputs: Path) -> None:
    """Every measure and every command on the demo corpus."""
    place = ("--workspace", "demo", "--quiet")
    runner.run(Step("demo", ["demo", *place], "exit"))
    names = _measures(runner, place)
    judged = _write(inputs / "topics.tsv", _judged_topics())
    raters = _write(inputs / "raters.tsv", _raters())
    phrases = [phrase for topic in TOPICS.values() for phrase in topic]
    queries = "\n".join([*phrases, *filter(None, EDGE_CASES)]) + "\n"
    runner.run(Step("build", ["build", "--measures", ",".join(names), *place], "exit"))
    for kind in ("corpus", "repository"):
        runner.run(Step(f"{kind} info", [kind, "info", "--workspace", "demo", "--format", "json"]))
    _suggest(runner, place, names, queries)
    _pairs(runner, place, names)
    _judgements(runner, place, judged, names, ())
    runner.run(Step("agreement", ["agreement", str(raters), "--format", "json", "--quiet"]))
    pages = _write(inputs / "pages.jsonl", _pages())
    runner.run(Step("filter", ["filter", str(pages), *place], "jsonl"))
    runner.run(
        Step(
            "filter, threshold", ["filter", str(pages), "--threshold", "0.3", "--only-kept", *place], "jsonl"
        )
    )
    documents = _write(inputs / "documents.jsonl", _documents())
    for options in ([], ["--phrases"]):
        runner.run(
            Step(
                f"keywords {' '.join(options)}".strip(),
                ["keywords", str(documents), *options, "--format", "json", *place],
            )
        )
    _match(runner, inputs, phrases)
    _errors(runner, place, judged)


def _measures(runner: Runner, place: Sequence[str]) -> list[str]:
    """The measures of the first checkout that can be used, once those counted on first use are there."""
    named = [word for name in ON_FIRST_USE for word in ("--measure", name)]
    runner.run(
        Step(
            "similarity, first use of co-occurrence",
            ["similarity", *PAIRS[0], *named, "--format", "json", *place],
        )
    )
    found = runner.run(Step("measures ready", ["similarity", *PAIRS[0], "--format", "json", *place]))
    if not isinstance(found, dict):
        sys.exit("the first checkout lists no measures: see the messages above")
    return list(found["scores"])


def _suggest(runner: Runner, place: Sequence[str], names: Iterable[str], queries: str) -> None:
    for name in names:
        for filtered in FILTERS if name in FILTERED else ("none",):
            options = ["-", "-k", K, "--measure", name, "--filter", filtered, "--format", "json"]
            runner.run(Step(f"suggest {name}, {filtered}", ["suggest", *options, *place], stdin=queries))
    few = "\n".join(queries.splitlines()[:8])
    options = ["-", "--explain", "--min-count", "2", "--threshold", "0.1", "--format", "json"]
    runner.run(Step("suggest --explain --min-count --threshold", ["suggest", *options, *place], stdin=few))
    runner.run(Step("suggest, tsv", ["suggest", "-", "--format", "tsv", *place], "tsv", few))


def _pairs(runner: Runner, place: Sequence[str], names: Sequence[str]) -> None:
    named = [word for name in names for word in ("--measure", name)]
    for a, b in PAIRS[:4]:  # explanations hold the scores of the others
        runner.run(Step(f"similarity {a!r} {b!r}", ["similarity", a, b, *named, "--format", "json", *place]))
    for a, b in PAIRS:
        runner.run(
            Step(
                f"explain {a!r} {b!r}", ["similarity", a, b, "--explain", *named, "--format", "json", *place]
            )
        )


def _judgements(
    runner: Runner, place: Sequence[str], judged: Path, names: Sequence[str], columns: Sequence[str]
) -> None:
    """Scores, evaluation and training on one file of judged pairs."""
    everything = ",".join(names)
    scored = ["--columns", _sides(columns[1])] if columns else []
    runner.run(
        Step(
            f"score {judged.name}",
            ["score", str(judged), "--measures", everything, *scored, "--format", "jsonl", *place],
            "jsonl",
        )
    )
    runner.run(
        Step(
            f"evaluate {judged.name}",
            ["evaluate", str(judged), "--measures", everything, *columns, "--format", "json", *place],
        )
    )
    for learner, loss in (("logistic", "preference"), ("logistic", "metric"), ("trees", "metric")):
        name = f"combined-{learner}-{loss}"
        train = [
            "train",
            "combination",
            str(judged),
            "--measures",
            ",".join(COMBINED),
            "--learner",
            learner,
            "--loss",
            loss,
            "--name",
            name,
            *columns,
            "--format",
            "json",
        ]
        runner.run(Step(f"train {name}", [*train, *place]))
    runner.run(
        Step(
            "train tweak",
            ["train", "tweak", str(judged), "--name", "trained-tweak", *columns, "--format", "json", *place],
        )
    )
    trained = [f"combined-{name}" for name in ("logistic-preference", "logistic-metric", "trees-metric")]
    queries = "\n".join(phrase for topic in TOPICS.values() for phrase in topic)
    for name in (*trained, "trained-tweak"):
        options = ["-", "-k", K, "--measure", name, "--format", "json"]
        runner.run(Step(f"suggest {name}", ["suggest", *options, *place], stdin=queries))
    options = [
        "--measures",
        ",".join(("jaccard-stems", *trained[:2])),
        "--folds",
        "3",
        *columns,
        "--format",
        "json",
    ]
    runner.run(Step("evaluate --folds", ["evaluate", str(judged), *options, *place]))


def _sides(columns: str) -> str:
    return ",".join(part for part in columns.split(",") if part.startswith(("query=", "candidate=")))


def _match(runner: Runner, inputs: Path, phrases: list[str]) -> None:
    """The nearest queries for a file, and all pairs of a small repository over the same corpus."""
    listed = _write(
        inputs / "queries.tsv", (f"{phrase}\t{1 + number % 7}" for number, phrase in enumerate(phrases))
    )
    runner.run(
        Step(
            "match FILE",
            ["match", str(listed), "-k", K, "--format", "json", "--workspace", "demo", "--quiet"],
        )
    )
    runner.run(
        Step(
            "match FILE, trec",
            ["match", str(listed), "-k", K, "--format", "trec", "--workspace", "demo", "--quiet"],
            "text",
        )
    )
    documents = _write(inputs / "small.jsonl", _documents())
    place = ("--workspace", "small", "--quiet")
    runner.run(Step("corpus add, small", ["corpus", "add", str(documents), *place], "exit"))
    runner.run(Step("repository add, small", ["repository", "add", str(listed), *place], "exit"))
    for measure in ("web-kernel", "jaccard-stems", "edit", "sparse-prob"):
        for options in (["-k", "3"], ["--threshold", "0.2"]):
            arguments = ["match", "--all-pairs", "--measure", measure, *options, "--format", "json", *place]
            runner.run(Step(f"match --all-pairs {measure} {' '.join(options)}", arguments))
    for step in (["repository", "remove", phrases[0]], ["corpus", "remove", "space"]):
        runner.run(Step(f"{step[0]} remove", [*step, *place], "exit"))
    runner.run(Step("build after removal", ["build", *place], "exit"))
    for kind in ("corpus", "repository"):
        runner.run(
            Step(f"{kind} info after removal", [kind, "info", "--workspace", "small", "--format", "json"])
        )
    runner.run(
        Step(
            "match --all-pairs after removal", ["match", "--all-pairs", "-k", "3", "--format", "json", *place]
        )
    )
    runner.run(Step("check", ["check", "--workspace", "small"], "exit"))


def _errors(runner: Runner, place: Sequence[str], judged: Path) -> None:
    """Exit codes of wrong input (1) and wrong usage (2)."""
    wrong = {
        "unknown measure": ["suggest", "x", "--measure", "web-kernle", *place],
        "unknown filter": ["suggest", "x", "--filter", "nothing", *place],
        "unknown format": ["similarity", "a", "b", "--format", "xml", *place],
        "missing file": ["score", "absent.tsv", "--measures", "jaccard", *place],
        "missing column": [
            "score",
            str(judged),
            "--measures",
            "jaccard",
            "--columns",
            "query=absent",
            *place,
        ],
        "missing argument": ["similarity", "a", *place],
        "unknown command": ["sugest", "x"],
        "bad threshold": ["suggest", "x", "--threshold", "nan", *place],
    }
    for name, arguments in wrong.items():
        runner.run(Step(f"error: {name}", arguments, "exit", fails=True))


# Inputs of the demo part


def _judged_topics() -> Iterator[str]:
    yield "query\tcandidate\tgrade"
    topics = list(TOPICS.values())
    for number, topic in enumerate(topics):
        for query, candidate in product(topic, topic):
            if query != candidate:
                yield f"{query}\t{candidate}\t{1 + crc32(f'{query} {candidate}'.encode()) % 2}"
        for query, candidate in product(topic, topics[(number + 1) % len(topics)]):
            yield f"{query}\t{candidate}\t0"


def _raters() -> Iterator[str]:
    """Three raters who give the grade or, by a fixed rule, another one."""
    yield "query\tcandidate\tgrade\trater"
    for line in islice(_judged_topics(), 1, None):
        query, candidate, grade = line.split("\t")
        for rater in "abc":
            noise = crc32(f"{rater} {query} {candidate}".encode()) % 5
            yield f"{query}\t{candidate}\t{(int(grade) + (noise == 0)) % 3}\t{rater}"


def _pages() -> Iterator[str]:
    for number, (name, topic) in enumerate(TOPICS.items()):
        for query in (topic[0], list(TOPICS.values())[number - 1][0]):
            html = (
                f"<html><head><title>{topic[0]} and {topic[1]}</title><meta name='description' content='{topic[2]}'>"
                f"</head><body><h1>{name}</h1><p>{'. '.join(topic)}.</p></body></html>"
            )
            yield json.dumps(
                {"query": query, "html": html, "url": f"https://example.org/{name}/{number}.html"}
            )


def _documents() -> Iterator[str]:
    for name, topic in TOPICS.items():
        sentences = [
            f"{one.capitalize()} is often mentioned with {other}."
            for one, other in product(topic, topic)
            if one != other
        ]
        yield json.dumps({"id": name, "title": f"About {topic[0]}", "text": " ".join(sentences)})


def _write(path: Path, lines: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path.resolve()


# The data part


def data_steps(runner: Runner, inputs: Path) -> None:
    """The measures that matter on Simple English Wikipedia, real queries and judged pairs."""
    corpus, queries = (
        data.corpus_file("simplewiki"),
        data.data_folder() / "queries" / "trec-web-queries.txt.gz",
    )
    judged = [data.labelled_file(name) for name in ("neuqs", "bird", "inspec")]
    if absent := [path for path in (corpus, queries, *judged) if not path.is_file()]:
        print(f"data part skipped: {absent[0]} not found; set QUERYKIN_DATA to the folder of the data")
        return
    place = ("--workspace", "data", "--quiet")
    with gzip.open(queries, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n") for line in islice(lines, 2 * QUERIES)]
    listed = _write(inputs / "web-queries.tsv", rows[:QUERIES])
    unseen_queries = "\n".join(
        row.split("\t")[0] for row in rows[QUERIES::100]
    )  # 200 that are not in the repository
    runner.run(Step("data: corpus add", ["corpus", "add", str(corpus), *place], "exit"))
    runner.run(Step("data: repository add", ["repository", "add", str(listed), *place], "exit"))
    ready = _measures(runner, place)
    names = [name for name in WITH_DATA if name in ready]
    searched = [name for name in names if name not in SCORED_ONLY]
    runner.run(Step("data: build", ["build", "--measures", ",".join(searched), *place], "exit"))
    for kind in ("corpus", "repository"):
        runner.run(Step(f"data: {kind} info", [kind, "info", "--workspace", "data", "--format", "json"]))
    _suggest(runner, place, searched, unseen_queries)
    _pairs(runner, place, names)
    columns = ("--columns", "query=query,candidate=suggestion,grade=label")
    with gzip.open(judged[0], "rt", encoding="utf-8") as lines:
        neuqs = _write(inputs / "neuqs.tsv", (line.rstrip("\n") for line in islice(lines, 1 + JUDGED)))
    _judgements(runner, place, neuqs, names, columns)
    bird = [
        "--columns",
        "query=term1,candidate=term2,grade=relatedness",
        "--relevant",
        "0.5",
        "--format",
        "json",
    ]
    runner.run(
        Step("evaluate bird", ["evaluate", str(judged[1]), "--measures", ",".join(names), *bird, *place])
    )
    with gzip.open(judged[2], "rt", encoding="utf-8") as lines:
        inspec = _write(inputs / "inspec.jsonl", (line.rstrip("\n") for line in islice(lines, 200)))
    runner.run(Step("data: keywords", ["keywords", str(inspec), "--format", "json", *place]))


def main() -> int:
    """Run both parts, print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m reproduce.compare_checkouts", description=(__doc__ or "").split(":")[0]
    )
    parser.add_argument("before", type=Path, help="a checkout with .venv/bin/querykin")
    parser.add_argument("after", type=Path, help="another one")
    parser.add_argument("--data", action="store_true", help="also the shared corpora (QUERYKIN_DATA)")
    parser.add_argument("--only-data", action="store_true", help="without the demo part")
    parser.add_argument("--keep", type=Path, help="a new folder that keeps workspaces and inputs")
    given = parser.parse_args()
    if given.keep and given.keep.exists():
        sys.exit(f"--keep must name a folder that does not exist yet, got {given.keep}")
    with TemporaryDirectory(prefix="compare-checkouts-") as temporary:
        folder = (given.keep or Path(temporary)).resolve()
        runner = Runner(
            Checkout(given.before, folder / "before"), Checkout(given.after, folder / "after", RENAMED)
        )
        if not given.only_data:
            demo_steps(runner, folder / "inputs")
        if given.data or given.only_data:
            data_steps(runner, folder / "inputs")
    if not runner.rows:
        return 1
    print(runner.report())
    return int(bool(runner.failed) or any(found.differences for _, found in runner.rows))


if __name__ == "__main__":
    sys.exit(main())
