"""Document search for expansions, compared with other engines: `python -m bench.search`.

All engines index the same documents as the same stems. bm25s scores every document that contains a word of the query;
tantivy alone ranks with its own constants; querykin finds the 300 documents that tantivy ranks highest in its own
posting lists, and ranks them.
"""

from collections.abc import Callable

import numpy as np
import tantivy

from bench import workload
from bench.result import Result
from bench.timing import figures, take_turns
from querykin import Workspace
from querykin.search.engine import ParsedQueries
from querykin.search.postings_engine import PostingsEngine
from querykin.search.query_parser import parse_queries

LIMIT = 30


def run() -> Result:
    """The 30 best documents for queries that are not in the repository."""
    opened = workload.workspace(workload.rows_wanted())
    corpus = opened.corpus
    engine = PostingsEngine(corpus)
    unseen_queries = [parse_queries([query], corpus) for query in workload.unseen_queries()]
    unseen_queries = [query for query in unseen_queries if (query.stems >= 0).any()]
    bm25s = _bm25s(opened)
    runs: dict[str, Callable[[ParsedQueries], object]] = {
        "querykin": lambda query: engine.search_documents(query, LIMIT),
        "tantivy alone": _tantivy(opened),
        "bm25s": bm25s,
    }
    found = take_turns(runs, unseen_queries, repeats=3)
    own = found["querykin"].p50
    rows = [[name, *it.cells, f"{it.p50 / own:.1f}"] for name, it in found.items()]
    text = f"{len(corpus):,} documents, {corpus.statistics.tokens:,} words; the {LIMIT} best; milliseconds of processor time, one thread."
    return Result("search", "Search", text, ["", "p50", "p99", "times ours"], rows, figures(found))


def _tantivy(opened: Workspace) -> Callable[[ParsedQueries], object]:
    indexes = [tantivy.Index.open(str(segment.folder / "engine")) for segment in opened.corpus.segments]

    def search(query: ParsedQueries) -> object:
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(index.schema, field, f"{stem:x}", "freq"))
            for index in indexes[:1]
            for stem in query.stems
            if stem >= 0
            for field in ("body", "title")
        ]
        wanted = tantivy.Query.boolean_query(terms)
        return [index.searcher().search(wanted, LIMIT, count=False).hits for index in indexes]

    return search


def _bm25s(opened: Workspace) -> Callable[[ParsedQueries], object]:
    import bm25s

    stem, documents, names = opened.corpus.vocabulary.stem, [], {}
    for segment in opened.corpus.segments:
        stems = stem[segment.tokens.whole() >> 2]
        documents += [part.tolist() for part in np.split(stems, segment.indptr[1:-1])]
    names = {str(number): number for number in range(len(stem))}
    retriever = bm25s.BM25(k1=0.9, b=0.4)
    retriever.index((documents, names), show_progress=False)

    def search(query: ParsedQueries) -> object:
        known = query.stems[query.stems >= 0].tolist()
        return retriever.retrieve([known], k=LIMIT, show_progress=False, n_threads=0)

    return search


if __name__ == "__main__":
    print(run().markdown())
