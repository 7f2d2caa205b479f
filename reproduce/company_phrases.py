"""How many past queries must hold a run of words to make it a phrase? `python -m reproduce.company_phrases`."""

from dataclasses import replace
from functools import reduce
from operator import or_
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin import Workspace
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.measures.distributional import DistributionalNgrams
from reproduce import data
from reproduce.judged_sets import auc, read_sets
from reproduce.markdown import number, table
from reproduce.repository import web_queries

HOLDERS = (None, 20, 10, 5)  # None: no runs of words at all


def report(opened: Workspace) -> str:
    """AUC of distributional-ngrams on every set for each number of queries."""
    workspace = web_queries(opened)
    workspace.update_derived("distributional")
    queries = workspace.repository.queries(workspace.repository.live_ids())
    *others, _ = workspace.phrases().values()
    sets = read_sets()
    rows = []
    for least in HOLDERS:
        runs = Phrases.frequent(queries, least) if least else Phrases.of([])
        listed = reduce(or_, others) | runs
        with TemporaryDirectory(dir=workspace.path.parent) as folder:
            counts = CooccurrenceCounts(Path(folder))
            counts.update(workspace.corpus, lambda listed=listed: listed)  # type: ignore[misc]
            measure = workspace.measure("distributional-ngrams")
            assert isinstance(measure, DistributionalNgrams)
            counted = replace(measure, cooccurrence=counts)
            figures = [number(auc(each.labels, counted.score_pairs(each.left, each.right))) for each in sets]
        rows.append([str(least or "-"), f"{len(runs):,}", f"{len(listed):,}", *figures])
    header = ["past queries", "runs of words", "phrases in all", *(f"{each.name}: AUC" for each in sets)]
    return table(header, rows)


if __name__ == "__main__":
    data.show(report)
