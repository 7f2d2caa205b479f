"""What is there to judge? Suggestions of several measures, pooled and shuffled, so that raters are blind."""

from collections.abc import Sequence
from random import Random

import numpy as np

from querykin.errors import InputError
from querykin.querylog.repository import Repository, normalize_query
from querykin.server.judgement_store import Item, Proposal
from querykin.server.snapshot import Snapshot


def pool(
    snapshot: Snapshot, queries: Sequence[str], measures: Sequence[str], k: int, seed: str
) -> list[Item]:
    """The first k suggestions of each measure for every query: each pair once, in a random order.

    Queries keep their order, so that a rater thinks of one at a time; the order of its candidates hangs on
    the seed alone.
    """
    if not measures:
        raise InputError("choose at least one measure whose suggestions are to be judged")
    texts = list(dict.fromkeys(filter(None, map(normalize_query, queries))))
    if not texts:
        raise InputError(
            "there are no queries: write one a line, or leave the field empty for the most frequent"
        )
    proposed: dict[str, dict[str, list[Proposal]]] = {query: {} for query in texts}
    for measure in measures:
        for found in snapshot.suggester(measure).suggest(texts, k):
            for rank, offer in enumerate(found.suggestions, start=1):
                proposal = Proposal(measure, rank, round(offer.score, 9))
                proposed[found.query].setdefault(offer.query, []).append(proposal)
    pairs = []
    for query, candidates in proposed.items():
        order = sorted(candidates)  # whoever proposed first must not show
        Random(f"{seed}\n{query}").shuffle(order)
        pairs += [(query, candidate, tuple(candidates[candidate])) for candidate in order]
    return [Item(place, *pair) for place, pair in enumerate(pairs, start=1)]


def most_frequent(repository: Repository, limit: int) -> list[str]:
    """The past queries that were asked most often."""
    live_ids = repository.live_ids()
    order = np.argsort(-repository.counts[live_ids], kind="stable")[:limit]
    return repository.queries(live_ids[order])
