"""Pooling: suggestions of several measures merged and shuffled, so that raters judge them blind."""

from collections.abc import Sequence
from random import Random

import numpy as np

from querykin.errors import InputError, WorkspaceError
from querykin.querylog.repository import Repository
from querykin.server.judgement_records import Item, Proposal
from querykin.server.snapshot import Snapshot
from querykin.text.normalization import normalize_query


def pool(
    snapshot: Snapshot, queries: Sequence[str], measures: Sequence[str], k: int, seed: str
) -> list[Item]:
    """The top k suggestions of each measure for each query, without duplicates, in random order.

    Queries keep their order, so that a rater judges one at a time. The order of a query's candidates depends
    only on the seed.
    """
    if not measures:
        raise InputError("choose at least one measure whose suggestions are to be judged")
    texts = list(dict.fromkeys(filter(None, map(normalize_query, queries))))
    if not texts:
        raise InputError("there are no queries; enter one per line, or none to use the most frequent")
    pooled: dict[str, dict[str, list[Proposal]]] = {query: {} for query in texts}
    for measure in measures:
        for result in snapshot.suggester(measure, min_probability=0.0, exact=True).suggest(texts, k):
            if result.missing_shards:
                missing = ", ".join(result.missing_shards)
                raise WorkspaceError(f"a pool must be whole, and shards do not answer ({missing}); try again")
            for rank, suggestion in enumerate(result.suggestions, start=1):
                proposal = Proposal(measure, rank, round(suggestion.score, 9))
                pooled[result.query].setdefault(suggestion.query, []).append(proposal)
    pairs = []
    for query, proposals in pooled.items():
        candidates = sorted(proposals)  # so that the order of the measures cannot influence the shuffle
        Random(f"{seed}\n{query}").shuffle(candidates)
        pairs += [(query, candidate, tuple(proposals[candidate])) for candidate in candidates]
    return [Item(position, *pair) for position, pair in enumerate(pairs, start=1)]


def most_frequent(repository: Repository, limit: int) -> list[str]:
    """The most frequent queries of the repository."""
    live_ids = repository.live_ids()
    order = np.argsort(-repository.counts[live_ids], kind="stable")[:limit]
    return repository.queries(live_ids[order])
