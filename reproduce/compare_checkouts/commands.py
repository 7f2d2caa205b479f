"""Commands that run over the demo corpus and over the shared data alike."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from reproduce.compare_checkouts.inputs import PAIRS, PHRASES
from reproduce.compare_checkouts.runner import Runner, Step

K = "10"
ON_FIRST_USE = ("distributional", "latent")  # their counts are made when they are first named
FILTERED = ("web-kernel", "jaccard-stems", "dense-prob")  # with every filter; others without
FILTERS = ("diverse", "paper", "none")
COMBINED = ("web-kernel", "jaccard-stems", "idf-cosine")


def ready_measures(runner: Runner, place: Sequence[str]) -> list[str]:
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


def compare_suggestions(runner: Runner, place: Sequence[str], names: Iterable[str], queries: str) -> None:
    """Suggestions of every measure, and the options of `suggest`."""
    for name in names:
        for filtered in FILTERS if name in FILTERED else ("none",):
            options = ["-", "-k", K, "--measure", name, "--filter", filtered, "--format", "json"]
            runner.run(Step(f"suggest {name}, {filtered}", ["suggest", *options, *place], stdin=queries))
    few = "\n".join(queries.splitlines()[:8])
    options = ["-", "--explain", "--min-count", "2", "--threshold", "0.1", "--format", "json"]
    runner.run(Step("suggest --explain --min-count --threshold", ["suggest", *options, *place], stdin=few))
    runner.run(Step("suggest, tsv", ["suggest", "-", "--format", "tsv", *place], "tsv", few))


def compare_pairs(runner: Runner, place: Sequence[str], names: Sequence[str]) -> None:
    """Scores and explanations of single pairs by every measure."""
    named = [word for name in names for word in ("--measure", name)]
    for a, b in PAIRS[:4]:  # explanations hold the scores of the others
        runner.run(Step(f"similarity {a!r} {b!r}", ["similarity", a, b, *named, "--format", "json", *place]))
    for a, b in PAIRS:
        runner.run(
            Step(
                f"explain {a!r} {b!r}", ["similarity", a, b, "--explain", *named, "--format", "json", *place]
            )
        )


def compare_judged_pairs(
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
    queries = "\n".join(PHRASES)
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
