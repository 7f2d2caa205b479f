"""The measures that matter on Simple English Wikipedia, with real queries and judged pairs."""

import gzip
from itertools import islice
from pathlib import Path

from reproduce import data
from reproduce.compare_checkouts.commands import (
    compare_judged_pairs,
    compare_pairs,
    compare_suggestions,
    ready_measures,
)
from reproduce.compare_checkouts.inputs import write
from reproduce.compare_checkouts.runner import Runner, Step

QUERIES = 20_000  # queries of the repository
JUDGED = 4_000  # judged pairs
MEASURES = (
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
# Their indexes take minutes to build.
SCORED_ONLY = frozenset({"web-kernel-paper", "tfidf", "result-cosine", "set-overlap"})


def data_steps(runner: Runner, inputs: Path) -> None:
    """The same commands on the shared data, without what the demo part covers."""
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
    listed = write(inputs / "web-queries.tsv", rows[:QUERIES])
    unseen_queries = "\n".join(
        row.split("\t")[0] for row in rows[QUERIES::100]
    )  # 200 that are not in the repository
    runner.run(Step("data: corpus add", ["corpus", "add", str(corpus), *place], "exit"))
    runner.run(Step("data: repository add", ["repository", "add", str(listed), *place], "exit"))
    ready = ready_measures(runner, place)
    names = [name for name in MEASURES if name in ready]
    searched = [name for name in names if name not in SCORED_ONLY]
    runner.run(Step("data: build", ["build", "--measures", ",".join(searched), *place], "exit"))
    for kind in ("corpus", "repository"):
        runner.run(Step(f"data: {kind} info", [kind, "info", "--workspace", "data", "--format", "json"]))
    compare_suggestions(runner, place, searched, unseen_queries)
    compare_pairs(runner, place, names)
    columns = ("--columns", "query=query,candidate=suggestion,grade=label")
    with gzip.open(judged[0], "rt", encoding="utf-8") as lines:
        neuqs = write(inputs / "neuqs.tsv", (line.rstrip("\n") for line in islice(lines, 1 + JUDGED)))
    compare_judged_pairs(runner, place, neuqs, names, columns)
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
        inspec = write(inputs / "inspec.jsonl", (line.rstrip("\n") for line in islice(lines, 200)))
    runner.run(Step("data: keywords", ["keywords", str(inspec), "--format", "json", *place]))
