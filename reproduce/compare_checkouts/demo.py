"""Every measure and every command on the demo corpus."""

from collections.abc import Sequence
from pathlib import Path

from reproduce.compare_checkouts.commands import (
    K,
    compare_judged_pairs,
    compare_pairs,
    compare_suggestions,
    ready_measures,
)
from reproduce.compare_checkouts.inputs import (
    EDGE_CASES,
    PHRASES,
    documents,
    judged_topics,
    pages,
    raters,
    write,
)
from reproduce.compare_checkouts.runner import Runner, Step


def demo_steps(runner: Runner, inputs: Path) -> None:
    """Every measure and every command on the demo corpus."""
    place = ("--workspace", "demo", "--quiet")
    runner.run(Step("demo", ["demo", *place], "exit"))
    names = ready_measures(runner, place)
    judged = write(inputs / "topics.tsv", judged_topics())
    queries = "\n".join([*PHRASES, *filter(None, EDGE_CASES)]) + "\n"
    runner.run(Step("build", ["build", "--measures", ",".join(names), *place], "exit"))
    for kind in ("corpus", "repository"):
        runner.run(Step(f"{kind} info", [kind, "info", "--workspace", "demo", "--format", "json"]))
    compare_suggestions(runner, place, names, queries)
    compare_pairs(runner, place, names)
    compare_judged_pairs(runner, place, judged, names, ())
    rated = write(inputs / "raters.tsv", raters())
    runner.run(Step("agreement", ["agreement", str(rated), "--format", "json", "--quiet"]))
    judged_pages = write(inputs / "pages.jsonl", pages())
    runner.run(Step("filter", ["filter", str(judged_pages), *place], "jsonl"))
    runner.run(
        Step(
            "filter, threshold",
            ["filter", str(judged_pages), "--threshold", "0.3", "--only-kept", *place],
            "jsonl",
        )
    )
    corpus = write(inputs / "documents.jsonl", documents())
    for options in ([], ["--phrases"]):
        runner.run(
            Step(
                f"keywords {' '.join(options)}".strip(),
                ["keywords", str(corpus), *options, "--format", "json", *place],
            )
        )
    _match(runner, inputs)
    _errors(runner, place, judged)


def _match(runner: Runner, inputs: Path) -> None:
    """The nearest queries for a file, and all pairs of a small repository over the same corpus."""
    listed = write(
        inputs / "queries.tsv", (f"{phrase}\t{1 + number % 7}" for number, phrase in enumerate(PHRASES))
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
    corpus = write(inputs / "small.jsonl", documents())
    place = ("--workspace", "small", "--quiet")
    runner.run(Step("corpus add, small", ["corpus", "add", str(corpus), *place], "exit"))
    runner.run(Step("repository add, small", ["repository", "add", str(listed), *place], "exit"))
    for measure in ("web-kernel", "jaccard-stems", "edit", "sparse-prob"):
        for options in (["-k", "3"], ["--threshold", "0.2"]):
            arguments = ["match", "--all-pairs", "--measure", measure, *options, "--format", "json", *place]
            runner.run(Step(f"match --all-pairs {measure} {' '.join(options)}", arguments))
    for step in (["repository", "remove", PHRASES[0]], ["corpus", "remove", "space"]):
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
