"""What the first stage of a search changes: `python -m bench.first_stage [QUERIES]`.

For queries of each list: whether posting lists and tantivy give the same documents and scores, and how many of the best
documents would be others if every document were ranked instead of the 300 that the first stage proposes.
"""

import random
import sys

import numpy as np

from bench import workload
from bench.result import Result
from querykin.compute.arrays import Int64Array
from querykin.corpus.corpus import Corpus
from querykin.search.bm25 import rank
from querykin.search.engine import ParsedQueries
from querykin.search.postings_engine import PostingsEngine
from querykin.search.query_parser import parse_queries
from querykin.search.tantivy_engine import TantivyEngine

LIMIT = 30
QUERIES = 100  # of each list


def run() -> Result:
    """A row for each list of queries."""
    wanted = next((int(each) for each in sys.argv[1:] if each.isdecimal()), QUERIES)
    corpus = workload.named_workspace("first-stage").corpus
    rows = [[name, *_compared(corpus, _sample(name, wanted))] for name in workload.LISTS]
    text = (
        f"{len(corpus):,} documents; {wanted} queries of each list, their {LIMIT} best documents. Same results: documents, scores and "
        "matched terms of both engines are equal to the last bit. Ranked without a first stage: the share of queries whose best "
        "documents are the same, in the same order, and the mean share of them that both have (of queries with results)."
    )
    header = ["", "same results as tantivy", "same without a first stage", "in common without it"]
    return Result("first_stage", "The first stage of a search", text, header, rows, {})


def _sample(name: str, wanted: int) -> list[str]:
    return random.Random(91).sample(sorted(set(workload.lines(name))), wanted)


def _compared(corpus: Corpus, texts: list[str]) -> list[str]:
    queries = parse_queries(texts, corpus)
    ours, theirs = (kind(corpus).search_documents(queries, LIMIT) for kind in (PostingsEngine, TantivyEngine))
    equal = unmoved = 0
    shares = list[float]()
    for number in range(len(texts)):
        mine = slice(ours.indptr[number], ours.indptr[number + 1])
        other = slice(theirs.indptr[number], theirs.indptr[number + 1])
        equal += all(
            np.array_equal(getattr(ours, field)[mine], getattr(theirs, field)[other])
            for field in ("documents", "scores", "matched")
        )
        found, best = ours.documents[mine], _best(corpus, queries, number)
        unmoved += np.array_equal(found, best)
        if len(best):
            shares.append(len(np.intersect1d(found, best)) / len(best))
    return [f"{equal} of {len(texts)}", f"{unmoved / len(texts):.2f}", f"{np.mean(shares):.3f}"]


def _best(corpus: Corpus, queries: ParsedQueries, number: int) -> Int64Array:
    """The best of all documents."""
    stems, idf = queries.terms(number)
    mean_length = corpus.statistics.tokens / corpus.statistics.documents
    ids, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
    for segment in corpus.segments:
        live = np.flatnonzero(segment.live(corpus.tombstones))
        values, _ = rank(segment, corpus.vocabulary, live, stems, idf, mean_length)
        ids.append(segment.doc_ids[live[values > 0]])
        scores.append(values[values > 0])
    all_ids, all_scores = np.concatenate(ids), np.concatenate(scores)
    return all_ids[np.lexsort((all_ids, -all_scores))[:LIMIT]]


if __name__ == "__main__":
    print(run().markdown())
