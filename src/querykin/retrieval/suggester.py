"""Related-query suggestions: retrieval of the nearest queries, then a diversity filter."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, NamedTuple

from querykin.compute.arrays import Int64Array
from querykin.index.ranking import Ranking, union_of_missing
from querykin.io.tables import chunks
from querykin.querylog.repository import Repository
from querykin.retrieval.block_list import BlockList
from querykin.retrieval.filters import DEFAULT_FILTER, TokenTuple, filters, token_tuples
from querykin.retrieval.retrievers import Retriever
from querykin.retrieval.score_distribution import ScoreDistribution
from querykin.spelling.corrector import SpellingCorrector
from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.types import Correction, Explanation, explanation_json
from querykin.validation import Count, Flag, Texts, validated

_POOL_FACTOR = 8  # candidates retrieved per suggestion, and the growth of each deeper search
_BATCH_QUERIES = 1024  # queries per search
_BATCH_PAIRS = 10_000_000  # maximum pairs per search: 160 MB
NEAREST = 10  # matches per query if neither k nor a threshold is given
_MAX_DEEPER_SEARCHES = 4  # per query


def pairs_batch(k: int) -> int:
    """The number of queries that are searched for at once when all are matched: it bounds the pairs."""
    return min(_BATCH_QUERIES, 1 + _BATCH_PAIRS // max(1, k))


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A related query with its score and its count in the repository."""

    query: str
    score: float
    count: int
    query_id: int  # in the repository
    probability: float | None = None  # of being a good suggestion, for measures that are calibrated
    explanation: Explanation | None = None
    percentile: float | None = None  # per cent of random pairs with a lower score, where it was sampled


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The suggestions for one query; `covered` is false if the corpus knows too little of it.

    Then most measures suggest nothing, and those with embeddings what general language alone says.
    `correction` says which words were replaced by known ones; the suggestions are those for its text.
    An answer with `missing_shards` is partial: queries of these shards could not be looked at.
    """

    query: str
    covered: bool
    measure: str
    suggestions: tuple[Suggestion, ...]
    correction: Correction | None = None
    missing_shards: tuple[str, ...] = ()

    @property
    def searched(self) -> str:
        """The text that the suggestions are for: the query, corrected if it was."""
        return self.correction.text if self.correction else self.query


def suggestions_json(result: Suggestions) -> dict[str, Any]:
    """Suggestions as JSON, for the command line and the HTTP API."""
    entries = []
    for suggestion in result.suggestions:
        entry: dict[str, Any] = {
            "query": suggestion.query,
            "score": round(suggestion.score, 9),
            "count": suggestion.count,
        }
        if suggestion.probability is not None:
            entry["probability"] = round(suggestion.probability, 4)
        entry["percentile"] = None if suggestion.percentile is None else round(suggestion.percentile, 3)
        if suggestion.explanation:
            entry["explanation"] = explanation_json(suggestion.explanation)
        entries.append(entry)
    found: dict[str, Any] = {
        "query": result.query,
        "covered": result.covered,
        "measure": result.measure,
        "corrected": result.correction.text if result.correction else None,
        "suggestions": entries,
    }
    if result.missing_shards:
        found |= {"partial": True, "missing_shards": list(result.missing_shards)}
    return found


TSV_COLUMNS = ("query", "rank", "suggestion", "score", "count", "probability", "percentile")


def suggestion_rows(result: Suggestions) -> Iterator[str]:
    """Suggestions as lines of tab-separated columns; probability and percentile are empty if unknown."""
    for rank, each in enumerate(result.suggestions, start=1):
        probability = "" if each.probability is None else f"{each.probability:.4f}"
        percentile = "" if each.percentile is None else f"{each.percentile:.3f}"
        columns = result.query, rank, each.query, f"{each.score:.9g}", each.count, probability, percentile
        yield "\t".join(map(str, columns))


class Candidate(NamedTuple):
    """A query of the repository that may be suggested."""

    query_id: int
    score: float
    probability: float | None
    percentile: float | None


@dataclass(frozen=True)
class Suggester:
    """Suggests related queries of a repository; those of the block list are never suggested.

    Suggestions reach `threshold` and, under a calibrated measure, `min_probability`; matches `threshold`.
    With `spelling`, words of a query without evidence are corrected before related queries are looked for.
    """

    retriever: Retriever
    repository: Repository
    filter: str = DEFAULT_FILTER
    threshold: float | None = None
    min_count: int = 1
    min_probability: float = 0.0
    block_list: BlockList = field(default_factory=BlockList)
    analyzer: Analyzer = DEFAULT
    spelling: SpellingCorrector | None = None
    distribution: ScoreDistribution | None = None  # of the measure's scores, for percentiles

    @validated
    def suggest(self, queries: Texts, k: Count, *, explain: Flag = False) -> list[Suggestions]:
        """Related queries for each of several queries, best first."""
        depth = k * _POOL_FACTOR
        corrections = [self.spelling.correct(query) if self.spelling else None for query in queries]
        texts = [found.text if found else query for query, found in zip(queries, corrections, strict=True)]
        min_score = max(self._min_score, self.retriever.lowest_score(self.min_probability))
        rankings = self._search(texts, depth, min_score)
        results = []
        for query, correction, text, ranking in zip(queries, corrections, texts, rankings, strict=True):
            searched: list[Ranking] = []
            chosen = self._choose(text, self._pool(text, ranking, depth, min_score, searched), k)
            if explain:
                chosen = [self._explained(text, suggestion) for suggestion in chosen]
            missing = union_of_missing(searched)
            found = Suggestions(query, ranking.covered, self._measure, tuple(chosen), correction, missing)
            results.append(found)
        return results

    @validated
    def match(self, queries: Texts, k: Count) -> list[Suggestions]:
        """For each query, the nearest k that reach the threshold; unfiltered, on all cores."""
        rankings = self._search(queries, k, self._min_score)
        return [
            self._matches(query, ranking, self._all_of(ranking))
            for query, ranking in zip(queries, rankings, strict=True)
        ]

    @validated
    def all_pairs(self, k: Count | None = None) -> Iterator[tuple[int, Suggestions]]:
        """For each query of the repository, its id and the nearest k other queries that reach the threshold.

        Without k, all that reach the threshold, or the nearest ten if there is none. Queries are searched
        in batches, which bounds the memory of the pairs.
        """
        return self.pairs_of(self.repository.live_ids(), k)

    def pairs_of(self, query_ids: Int64Array, k: int | None = None) -> Iterator[tuple[int, Suggestions]]:
        """The same for some queries of the repository."""
        default_k = NEAREST if self.threshold is None else len(self.repository)
        k = default_k if k is None else k
        step = pairs_batch(k)
        for begin in range(0, len(query_ids), step):
            batch = query_ids[begin : begin + step]
            texts = self.repository.queries(batch)
            rankings = self._search(texts, k + 1, self._min_score)
            for query_id, query, ranking in zip(batch.tolist(), texts, rankings, strict=True):
                others = [match for match in self._all_of(ranking) if match.query_id != query_id][:k]
                yield query_id, self._matches(query, ranking, others)

    def _matches(self, query: str, ranking: Ranking, found: Iterable[Suggestion]) -> Suggestions:
        missing = ranking.missing_shards
        return Suggestions(query, ranking.covered, self._measure, tuple(found), missing_shards=missing)

    @property
    def _measure(self) -> str:
        return self.retriever.measure.name

    @property
    def _min_score(self) -> float:
        return -inf if self.threshold is None else self.threshold

    def _search(self, queries: Sequence[str], k: int, min_score: float) -> list[Ranking]:
        return self.retriever.search(queries, k, min_score, self.min_count)

    def _all_of(self, ranking: Ranking) -> Iterator[Suggestion]:
        """The whole ranking as suggestions."""
        texts = self.repository.queries(ranking.query_ids)
        counts = self.repository.counts[ranking.query_ids].tolist()
        for candidate, text, count in zip(self._candidates(ranking), texts, counts, strict=True):
            query_id, score, probability, percentile = candidate
            yield Suggestion(text, score, count, query_id, probability, percentile=percentile)

    def _candidates(self, ranking: Ranking) -> Iterator[Candidate]:
        unknown, scores = [None] * len(ranking.query_ids), ranking.scores
        known = ranking.probabilities
        probabilities = unknown if known is None else known.tolist()
        percentiles = self.distribution.percentiles(scores).tolist() if self.distribution else unknown
        columns = ranking.query_ids.tolist(), scores.tolist(), probabilities, percentiles
        yield from (Candidate(*each) for each in zip(*columns, strict=True))

    def _suggestion(self, candidate: Candidate) -> Suggestion:
        query_id, score, probability, percentile = candidate
        text, count = self.repository.query(query_id), int(self.repository.counts[query_id])
        return Suggestion(text, score, count, query_id, probability, percentile=percentile)

    def _pool(
        self, query: str, ranking: Ranking, depth: int, min_score: float, searched: list[Ranking]
    ) -> Iterator[Candidate]:
        """Candidates by decreasing score; deeper searches are made only when the filter needs more.

        Every ranking that was looked at is appended to `searched`. A re-ranking retriever re-ranks more
        candidates in a deeper search, so the order may change.
        """
        seen = set[int]()
        for deeper in range(1 + _MAX_DEEPER_SEARCHES):
            if deeper:
                depth *= _POOL_FACTOR
                (ranking,) = self._search([query], depth, min_score)
            searched.append(ranking)
            candidates = list(self._candidates(self.retriever.as_suggestions(query, ranking)))
            yield from (each for each in candidates if each.query_id not in seen)
            seen.update(ranking.query_ids.tolist())
            hopeless = not any(map(self._qualifies, candidates[-_POOL_FACTOR:]))
            if len(candidates) < depth or hopeless:
                return

    def _choose(self, query: str, pool: Iterator[Candidate], k: int) -> list[Suggestion]:
        accept = filters[self.filter]
        chosen: list[Suggestion] = []
        reference = token_tuples([query], self.analyzer)  # the query and the suggestions chosen so far
        for candidate, text, tokens in self._tokenized(filter(self._qualifies, pool), 2 * k):
            if len(chosen) == k:
                break
            if self.block_list.blocks(text, tokens):
                continue
            accepted = all(accept(tokens, other, self.analyzer) for other in reference)
            if accepted and not self._is_paraphrase(candidate, chosen):
                chosen.append(self._suggestion(candidate))
                reference.append(tokens)
        return sorted(chosen, key=lambda suggestion: -suggestion.score)

    def _qualifies(self, candidate: Candidate) -> bool:
        probable = candidate.probability is None or candidate.probability >= self.min_probability
        return probable and candidate.score >= self._min_score

    def _is_paraphrase(self, candidate: Candidate, chosen: Sequence[Suggestion]) -> bool:
        """Whether `diverse` drops a candidate as a near-duplicate in meaning of one already chosen."""
        if self.filter != DEFAULT_FILTER or not chosen:
            return False
        return self.retriever.are_paraphrases(candidate.query_id, [each.query_id for each in chosen])

    def _tokenized(self, pool: Iterator[Candidate], step: int) -> Iterator[tuple[Candidate, str, TokenTuple]]:
        """Candidates with their text and tokens; texts are tokenized in batches of `step`."""
        for batch in chunks(pool, step):
            texts = self.repository.queries(candidate.query_id for candidate in batch)
            yield from zip(batch, texts, token_tuples(texts, self.analyzer), strict=True)

    def _explained(self, query: str, suggestion: Suggestion) -> Suggestion:
        explanation = self.retriever.explain(query, suggestion.query)
        return replace(suggestion, explanation=replace(explanation, percentile=suggestion.percentile))
