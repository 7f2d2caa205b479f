"""Suggestions that say the same as an earlier one: dropped by the cosine of embeddings, or by their score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from querykin import Workspace
from querykin.retrieval.hybrid_retriever import PARAPHRASE, HybridRetriever
from querykin.retrieval.suggester import Suggester
from reproduce.markdown import number, table

SCORES = (0.9, 0.85, 0.8)


@dataclass(frozen=True)
class ThinnedByScore(HybridRetriever):
    """Two queries are paraphrases from a score of the hybrid measure on."""

    limit: float = np.inf

    def are_paraphrases(self, query_id: int, others: Sequence[int]) -> bool:
        """Whether the score with one of the others reaches the limit."""
        if self.limit == np.inf:
            return False
        scores = self.scores(self.repository.query(query_id), np.array(others))
        return bool((scores >= self.limit).any())


def report(opened: Workspace, judge: Callable[[Suggester], list[str]]) -> str:
    """Precision with each rule; `judge` gives the cells of a suggester."""
    shipped = opened.suggester("hybrid", min_probability=0.0, exact=True)
    retriever = shipped.retriever
    assert isinstance(retriever, HybridRetriever)
    parts = (retriever.hybrid, retriever.repository, retriever.parts, retriever.weights)
    rows = [["cosine of embeddings, as shipped", number(PARAPHRASE, 2), *judge(shipped)]]
    for limit in (np.inf, *SCORES):
        suggester = replace(shipped, retriever=ThinnedByScore(*parts, limit=limit))
        rule = "nothing dropped" if limit == np.inf else "score of the hybrid measure"
        rows.append([rule, "" if limit == np.inf else number(limit, 2), *judge(suggester)])
    header = ["paraphrases by", "from", "judged", "P@5, unjudged are bad", "P@5, unjudged are good"]
    return f"### Suggestions that say the same\n\n{table(header, rows)}"
