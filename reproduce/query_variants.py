"""Variants of one query: how many proposals are right, and what a list of a million costs.

`python -m reproduce.query_variants` writes `reproduce/QUERY_VARIANTS.md`. Queries of `uqv100` that people wrote for one
information need may be variants, those of different needs may not. `python -m reproduce.query_variants sample` prints 200
proposals for web queries, drawn with a seed, to be read.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from time import process_time

from querykin.clustering.variants.deduplication import Deduplication, deduplicate
from querykin.io.query_files import read_queries
from querykin.text.analyzer import Analyzer
from querykin.text.normalization import fold_case
from querykin.text.tokenizer import words
from reproduce import data
from reproduce.data import list_file
from reproduce.markdown import number, table
from reproduce.memory import Watch

PAGE = data.ROOT / "reproduce" / "QUERY_VARIANTS.md"
ENGLISH = Analyzer.of("en")
SIZES = (100_000, 1_000_000)
SAMPLE, SEED = 200, 7


def report() -> str:
    """The page as Markdown."""
    return "\n\n".join([_HEAD, _needs(), _READ, _cost()]) + "\n"


def _needs() -> str:
    needs: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    with data.labelled_file("variations").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            query = fold_case(row["query"])
            needs.setdefault(query, set()).add(row["need_id"])
            counts[query] += int(row["count_workers"] or 1)
    queries = list(needs)
    found = deduplicate(queries, [counts[query] for query in queries], ENGLISH)
    rows = [
        ["querykin dedupe", *_agreement(_pairs_of(found), queries, needs)],
        ["same words in any order", *_agreement(_same_words(queries), queries, needs)],
    ]
    return (
        f"## Needs of uqv100\n\n{len(queries):,} queries of {len(set().union(*needs.values()))} needs.\n\n"
        + table(["", "proposals", "of one need", "share"], rows)
        + "\n\nBy reason:\n\n"
        + table(["reason", "proposals", "of one need"], _by_reason(found, queries, needs))
    )


def _pairs_of(found: Deduplication) -> list[tuple[int, int]]:
    return [(query, int(found.canonical[query])) for query in found.reasons]


def _same_words(queries: Sequence[str]) -> list[tuple[int, int]]:
    """The keys of OpenRefine's fingerprint: sorted distinct words."""
    first: dict[tuple[str, ...], int] = {}
    keys = [tuple(sorted(set(words(query)))) for query in queries]
    return [(at, first[key]) for at, key in enumerate(keys) if first.setdefault(key, at) != at]


def _of_one_need(
    pairs: Iterable[tuple[int, int]], queries: Sequence[str], needs: Mapping[str, set[str]]
) -> int:
    return sum(bool(needs[queries[first]] & needs[queries[second]]) for first, second in pairs)


def _agreement(
    pairs: Sequence[tuple[int, int]], queries: Sequence[str], needs: Mapping[str, set[str]]
) -> list[str]:
    right = _of_one_need(pairs, queries, needs)
    return [f"{len(pairs):,}", f"{right:,}", number(right / len(pairs))]


def _by_reason(
    found: Deduplication, queries: Sequence[str], needs: Mapping[str, set[str]]
) -> list[list[str]]:
    by_reason: dict[str, list[tuple[int, int]]] = {}
    for query, reason in found.reasons.items():
        by_reason.setdefault(reason, []).append((query, int(found.canonical[query])))
    ordered = sorted(by_reason.items(), key=lambda each: (-len(each[1]), each[0]))
    return [
        [reason, f"{len(pairs):,}", f"{_of_one_need(pairs, queries, needs):,}"] for reason, pairs in ordered
    ]


def _web_queries() -> tuple[list[str], list[int]]:
    found = [(query, count) for query, count, _ in read_queries(str(list_file("trec-web-queries")), print)]
    return [query for query, _ in found], [count for _, count in found]


def sample() -> str:
    """Proposals for web queries, a line each."""
    queries, counts = _web_queries()
    found = deduplicate(queries, counts, ENGLISH)
    chosen = Random(SEED).sample(sorted(found.reasons), SAMPLE)
    return "\n".join(
        f"{queries[each]}  ->  {queries[found.canonical[each]]}  ({found.reasons[each]})" for each in chosen
    )


def _cost() -> str:
    queries, _ = _web_queries()
    titles = [query for query, _, _ in read_queries(str(list_file("wikipedia-titles")), print)]
    distinct = {fold_case(query): query for query in (*queries, *titles, *_reordered(titles))}
    many = list(distinct.values())
    rows = []
    for size in SIZES:
        begin = process_time()
        with Watch() as watch:
            found = deduplicate(many[:size], [1] * min(size, len(many)), ENGLISH)
        seconds = process_time() - begin
        rows.append(
            [f"{min(size, len(many)):,}", f"{len(found.reasons):,}", f"{seconds:.0f}", f"{watch.taken:,.0f}"]
        )
    head = ["queries", "variants", "processor seconds", "MiB"]
    return f"## Cost\n\n{_LIST}\n\n" + table(head, rows)


def _reordered(titles: Sequence[str]) -> Iterable[str]:
    """Titles with two words exchanged: of each, the first two ways."""
    for title in titles:
        parts = title.split()
        for first, second in list(combinations(range(len(parts)), 2))[:2]:
            exchanged = parts.copy()
            exchanged[first], exchanged[second] = parts[second], parts[first]
            yield " ".join(exchanged)


_HEAD = (
    "# Variants of one query\n\n`python -m reproduce.query_variants`: what `querykin dedupe` proposes without a corpus, and what "
    "it costs."
)
_READ = (
    "## Web queries, read\n\n`python -m reproduce.query_variants sample` prints 200 proposals for 100,648 web queries. Of these, 4 "
    "join different things (`josie maran` and `josie moran`, `rent the movie` and `rent movie`, `mirs` and `mir`, `usg` and `usgs`), and 3 are doubtful "
    "(`state of nevada` and `nevada state`, `crystals` and `crystal`, `president of the united states` and `united states presidents`). "
    "They were read after the rules were settled on other samples of the same list."
)
_LIST = "Web queries, titles of articles, and titles with two words exchanged, so that there is much to find; one core."

if __name__ == "__main__":
    if message := data.missing():
        print(message)
    elif sys.argv[1:] == ["sample"]:
        print(sample())
    else:
        PAGE.write_text(report(), "utf-8")
        print(PAGE.read_text("utf-8"))
