"""Does a measure or a search engine keep its promises? Checks to run on your own as on ours.

A check is a function that raises AssertionError and says what it found. `check_measure` and `check_engine`
run all of them; `MEASURE_CHECKS` and `ENGINE_CHECKS` hold them one by one, for a test per check.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import pairwise

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.corpus.segment import CorpusSegment
from querykin.measures import Measure, VectorMeasure
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.search.engine import SearchEngine
from querykin.types import Explanation
from querykin.workspace import Workspace

ODD_TEXTS = (
    "",
    " \t\n",
    "😀👍🏽",
    "nul\0nul",
    "tiny text " * 1000,
    "x" * 10_000,
    "zzyzxq qqxzzy",  # words that no corpus knows
    "שלום עולם",
    "half a \ud800 surrogate",
)
SAMPLE = 8  # documents whose titles stand for covered texts
EXACT = 1e-9
STORED = 2e-6  # indexes keep weights in single precision
DEPTH = 15  # how far down rankings are compared


def check_measure(measure: Measure, texts: Sequence[str] | None = None) -> None:
    """Run every check on a measure; the texts are some titles of its corpus unless others are given."""
    chosen = sample_texts(measure) if texts is None else texts
    for check in MEASURE_CHECKS:
        check(measure, chosen)


def check_engine(engine: SearchEngine, query: str) -> None:
    """Run every check on a search engine; the query must be one that finds documents."""
    for check in ENGINE_CHECKS:
        check(engine, query)


def check_search(workspace: Workspace, measure: str, queries: Sequence[str]) -> None:
    """A measure finds in the repository what scoring every one of its queries finds, also after reopening."""
    workspace.build(measure)
    opened = workspace.reopen()
    made, repository = opened.measure(measure), opened.repository
    candidates = repository.queries(repository.live_ids())
    counts = repository.counts[repository.live_ids()].tolist()
    everything = isinstance(made, VectorMeasure) and made.scores_all_rows
    for query, found in zip(queries, opened.match(queries, DEPTH, measure), strict=True):
        scores = made.score(query, candidates)
        kept = ~np.isnan(scores) & (everything | (scores > 0))
        expected = np.sort(scores[kept])[::-1][:DEPTH]
        ranked = np.array([suggestion.score for suggestion in found.suggestions])
        _demand(_near(ranked, expected), made, f"{query!r} finds other scores than brute force")
        score = dict(zip(candidates, scores.tolist(), strict=True))
        own = np.array([score[suggestion.query] for suggestion in found.suggestions])
        _demand(_near(ranked, own), made, f"{query!r} finds queries with scores that are not theirs")
        keys = [(-s.score, -s.count, s.query) for s in found.suggestions]
        _demand(keys == sorted(keys), made, f"{query!r}: equal scores are not in order of count and text")
        count = dict(zip(candidates, counts, strict=True))
        _demand(all(s.count == count[s.query] for s in found.suggestions), made, "a wrong count")


def sample_texts(measure: Measure) -> list[str]:
    """Titles of the first documents of a measure's corpus, alone and two by two, so that words are shared."""
    documents = (
        segment.document(ordinal)
        for segment in _segments(measure)
        for ordinal in range(min(SAMPLE, len(segment)))
    )
    titles = [document.title for document in documents][:SAMPLE] or ["apple pie", "space exploration"]
    return [*titles, *(f"{a} {b}" for a, b in pairwise(titles))]


def _segments(measure: Measure) -> Sequence[CorpusSegment]:
    """The segments of the corpus that a measure reads; none where it reads no corpus."""
    parts = [measure, *measure.components()]
    return next((part.expander.corpus.segments for part in parts if isinstance(part, ExpansionMeasure)), [])


def scores_are_finite_or_absent(measure: Measure, texts: Sequence[str]) -> None:
    """A score is a number, or NaN exactly where the query or the candidate has no score with any text."""
    everything = [*texts, *ODD_TEXTS]
    scores = _matrix(measure, everything)
    _demand(not np.isinf(scores).any(), measure, "a score is infinite")
    absent: BoolArray = np.isnan(scores)
    _demand(not (measure.always_scores and absent.any()), measure, "always_scores, but a score is NaN")
    expected = absent.all(axis=1, keepdims=True) | absent.all(axis=0, keepdims=True)
    _demand(
        np.array_equal(absent, expected),
        measure,
        "NaN for texts that both have an opinion, or a number where one has none",
    )
    if isinstance(measure, VectorMeasure) and not measure.always_scores:
        queries, candidates = measure.encode_queries(everything), measure.encode_candidates(everything)
        covered = queries.covered[:, None] & candidates.covered
        _demand(np.array_equal(~covered, absent), measure, "an empty row must score NaN, and no other may")


def a_batch_scores_like_its_pairs(measure: Measure, texts: Sequence[str]) -> None:
    """Many pairs at once get the scores that each pair gets alone."""
    queries = [*texts, *ODD_TEXTS]
    candidates = [*queries[1:], queries[0]]
    together = measure.score_pairs(queries, candidates)
    alone = [measure.score_pairs([q], [c])[0] for q, c in zip(queries, candidates, strict=True)]
    _demand(_same(together, np.array(alone)), measure, "a batch and its pairs one by one differ")


def no_pairs_have_no_scores(measure: Measure, texts: Sequence[str]) -> None:
    """An empty batch is answered with an empty array."""
    try:
        empty = [measure.score_pairs([], []), measure.score(texts[0], [])]
    except Exception as error:
        raise AssertionError(f"{measure!r}: an empty batch raised {error!r}") from error
    _demand([len(scores) for scores in empty] == [0, 0], measure, "no pairs, but scores")


def score_agrees_with_score_pairs(measure: Measure, texts: Sequence[str]) -> None:
    """One query with several candidates gets the scores of the pairs."""
    pairs = measure.score_pairs([texts[0]] * len(texts), texts)
    _demand(_same(measure.score(texts[0], texts), pairs), measure, "score and score_pairs differ")


def order_does_not_matter_where_symmetric(measure: Measure, texts: Sequence[str]) -> None:
    """A measure that declares itself symmetric scores (a, b) like (b, a)."""
    scores = _matrix(measure, [*texts, *ODD_TEXTS])
    _demand(not measure.symmetric or _same(scores, scores.T), measure, "symmetric, but the order matters")


def kernels_are_kernels(measure: Measure, texts: Sequence[str]) -> None:
    """A kernel is symmetric, within 0 and 1, 1 for a covered text and itself, positive semi-definite."""
    if not measure.kernel:
        return
    scores = _matrix(measure, [*texts, *ODD_TEXTS])
    covered = np.diag(scores) > 0
    gram = scores[np.ix_(covered, covered)]
    _demand(bool(covered.any()), measure, "no text is covered: give texts that the corpus knows")
    _demand(_same(np.diag(gram), np.ones(len(gram))), measure, "K(x, x) is not 1")
    _demand(bool(((gram >= 0) & (gram <= 1)).all()), measure, "a score lies outside 0 to 1")
    _demand(_same(gram, gram.T), measure, "K(x, y) is not K(y, x)")
    lowest = float(np.linalg.eigvalsh(gram).min())
    _demand(lowest >= -EXACT * len(gram), measure, f"not positive semi-definite: eigenvalue {lowest}")


def explanations_add_up(measure: Measure, texts: Sequence[str]) -> None:
    """An explanation repeats the texts and the score, and the shares of its terms sum to it."""
    for a, b in [(texts[0], text) for text in [*texts, ODD_TEXTS[0]]]:
        found = measure.explain(a, b)
        _demand((found.a, found.b) == (a, b), measure, "the explanation is of other texts")
        _demand(found.measure == measure.name, measure, "the explanation names another measure")
        score = measure.score_pairs([a], [b])
        _demand(_same(score, np.array([found.score])), measure, "the explanation has another score")
        total = sum(part.share for part in found.contributions)
        _demand(
            abs(total - np.nan_to_num(score[0])) <= EXACT,
            measure,
            f"the shares for {a[:40]!r} and {b[:40]!r} sum to {total}, the score is {score[0]}",
        )
        _check_fields(measure, found)


def _check_fields(measure: Measure, found: Explanation) -> None:
    _demand(all(part.term for part in found.contributions), measure, "a contribution without a term")
    for passage in found.passages:
        _demand(passage.side in ("a", "b"), measure, f"a passage for side {passage.side!r}")
        filled = bool(passage.document and (passage.text or passage.title))
        _demand(filled, measure, "a passage without a document or without text")


def repr_names_what_makes_it(measure: Measure, texts: Sequence[str]) -> None:
    """The repr names the class and every parameter; built again from its fields, a measure is equal."""
    shown = [f"{f.name}={getattr(measure, f.name)!r}" for f in fields(measure) if f.repr]
    wanted = f"{type(measure).__qualname__}({', '.join(shown)})"
    _demand(repr(measure) == wanted, measure, f"its repr should be {wanted}")
    again = type(measure)(**{f.name: getattr(measure, f.name) for f in fields(measure) if f.init})
    _demand(again == measure, measure, "built again from its fields it is another one")
    _demand(
        _same(again.score(texts[0], texts), measure.score(texts[0], texts)),
        measure,
        "built again from its fields it scores otherwise",
    )


def odd_texts_do_no_harm(measure: Measure, texts: Sequence[str]) -> None:
    """Empty, endless, unknown or broken texts are scored and explained without an exception."""
    for odd in ODD_TEXTS:
        try:
            measure.score_pairs([odd, texts[0], odd], [texts[0], odd, odd])
            measure.explain(odd, texts[0])
            measure.explain(odd, odd)
            measure.explain(f"{texts[0]} {odd}", f"{texts[1]} {odd}")
        except Exception as error:
            raise AssertionError(f"{measure!r}: {odd[:40]!r} raised {error!r}") from error


def hits_keep_the_limit(engine: SearchEngine, query: str) -> None:
    """There are at most as many hits as asked for, and a smaller limit gives the first of them."""
    hits = engine.search(query, 100)
    _demand(bool(hits), engine, f"{query!r} finds nothing: give a query that finds documents")
    for limit in (1, 2, 100):
        _demand(engine.search(query, limit) == hits[:limit], engine, f"limit {limit} gives other hits")


def hits_are_whole_and_fall(engine: SearchEngine, query: str) -> None:
    """Every hit is another document, and its score is a number that is not above the one before."""
    hits = engine.search(query, 100)
    ids = [hit.document_id for hit in hits]
    _demand(all(ids) and len(set(ids)) == len(ids), engine, "a document without an id, or twice")
    scores = np.array([hit.score for hit in hits])
    _demand(bool(np.isfinite(scores).all()), engine, "a score is not a number")
    _demand(bool((np.diff(scores) <= 0).all()), engine, "a score is above the one before")


def the_same_query_finds_the_same(engine: SearchEngine, query: str) -> None:
    """Asked twice, an engine answers alike."""
    _demand(engine.search(query, 100) == engine.search(query, 100), engine, "two searches differ")


def no_query_finds_nothing(engine: SearchEngine, query: str) -> None:
    """An empty query has no hits."""
    _demand(not engine.search("", 100) and not engine.search(" \t\n", 100), engine, "hits for an empty query")


def odd_queries_do_no_harm(engine: SearchEngine, query: str) -> None:
    """Empty, endless, unknown or broken queries are answered without an exception."""
    for odd in (*ODD_TEXTS, f'{query}" AND (title:* OR [', f"{query}\0{query}"):
        try:
            engine.search(odd, 5)
        except Exception as error:
            raise AssertionError(f"{engine!r}: {odd[:40]!r} raised {error!r}") from error


MEASURE_CHECKS: tuple[Callable[[Measure, Sequence[str]], None], ...] = (
    scores_are_finite_or_absent,
    a_batch_scores_like_its_pairs,
    no_pairs_have_no_scores,
    score_agrees_with_score_pairs,
    order_does_not_matter_where_symmetric,
    kernels_are_kernels,
    explanations_add_up,
    repr_names_what_makes_it,
    odd_texts_do_no_harm,
)
ENGINE_CHECKS: tuple[Callable[[SearchEngine, str], None], ...] = (
    hits_keep_the_limit,
    hits_are_whole_and_fall,
    the_same_query_finds_the_same,
    no_query_finds_nothing,
    odd_queries_do_no_harm,
)


def _demand(kept: bool, what: object, message: str) -> None:
    if not kept:
        raise AssertionError(f"{what!r}: {message}")


def _same(a: Float64Array, b: Float64Array) -> bool:
    return bool(np.allclose(a, b, rtol=0, atol=EXACT, equal_nan=True))


def _near(a: Float64Array, b: Float64Array) -> bool:
    return len(a) == len(b) and bool(np.allclose(a, b, rtol=STORED, atol=STORED))


def _matrix(measure: Measure, texts: Sequence[str]) -> Float64Array:
    """The score of every text with every text."""
    queries = [text for text in texts for _ in texts]
    return measure.score_pairs(queries, list(texts) * len(texts)).reshape(len(texts), len(texts))
