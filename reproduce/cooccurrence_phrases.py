"""Number of past queries that must contain a word sequence to make it a phrase: `python -m reproduce.cooccurrence_phrases`."""

from dataclasses import replace
from functools import reduce
from operator import or_
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin import Workspace
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.measures.distributional import DistributionalNgrams
from querykin.querylog.phrase_lists import phrase_lists
from reproduce import data
from reproduce.judged_sets import auc, read_sets
from reproduce.markdown import number, table

MINIMA = (None, 20, 10, 5)  # None: no word sequences from queries


def report(workspace: Workspace) -> str:
    """AUC of distributional-ngrams on every set for each number of queries."""
    queries = workspace.repository.queries(workspace.repository.live_ids())
    *others, _ = phrase_lists(workspace.corpus, workspace.repository).values()
    sets = read_sets()
    rows = []
    for minimum in MINIMA:
        ngrams = Phrases.frequent(queries, minimum) if minimum else Phrases.of([])
        listed = reduce(or_, others) | ngrams
        with TemporaryDirectory(dir=workspace.path.parent) as folder:
            counts = CooccurrenceCounts(Path(folder))
            counts.update(workspace.corpus, lambda listed=listed: listed)  # type: ignore[misc]
            measure = workspace.measure("distributional-ngrams")
            assert isinstance(measure, DistributionalNgrams)
            counted = replace(measure, counts=counts)
            figures = [number(auc(each.labels, counted.score_pairs(each.left, each.right))) for each in sets]
        rows.append([str(minimum or "-"), f"{len(ngrams):,}", f"{len(listed):,}", *figures])
    header = ["past queries", "n-grams", "phrases in all", *(f"{each.name}: AUC" for each in sets)]
    return table(header, rows)


if __name__ == "__main__":
    data.show(report)
