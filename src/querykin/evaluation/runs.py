"""Rankings of other programs (TREC runs) as ranked lists over the judged candidates."""

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.errors import InputError
from querykin.evaluation.ranked_lists import RankedLists
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import dense_ids, dense_pair_ids
from querykin.io.trec import Run


def run_ranked_lists(judged: JudgedPairs, run: Run) -> tuple[Int64Array, RankedLists]:
    """The ids of the judged candidates, and the lists that a run returns for the judged queries."""
    count = len(judged)
    queries = dense_ids(np.concatenate([judged.queries.hashes, run.queries.hashes]))
    candidates = dense_ids(np.concatenate([judged.candidates.hashes, run.candidates.hashes]))
    pairs = dense_pair_ids(queries[count:], candidates[count:])
    repeated = np.flatnonzero(np.bincount(pairs)[pairs] > 1)
    if len(repeated):
        query, candidate = run.queries[int(repeated[0])], run.candidates[int(repeated[0])]
        raise InputError(
            f"run {run.name!r} has {candidate!r} twice for query {query!r}; keep one line of them"
        )
    order = np.lexsort((run.ranks, -run.scores, queries[count:]))
    order = order[queries[count:][order] <= queries[:count].max()]  # the other queries were not judged
    return candidates[:count], RankedLists(queries[count:][order], candidates[count:][order])
