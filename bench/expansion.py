"""Query expansion to weighted rows, compared with a vectorizer over text: `python -m bench.expansion`.

The comparison is a straightforward implementation with scikit-learn: the same search, the windows of the results as
text, a fitted TfidfVectorizer over them, the terms with the largest weights of each, and their weighted mean. querykin
works on token ids throughout.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
from scipy.sparse import csr_array

from bench import workload
from bench.result import Result
from bench.timing import figures, take_turns
from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.measures import measures
from querykin.measures.web_kernel import WebKernel, WebKernelPaper
from querykin.search.expansion import Expander, Expansions
from querykin.search.snippets import snippet

FITTED_ON = 20_000  # documents: their number affects the idf, not the time of a transformation
Kernel = WebKernel | WebKernelPaper


def run() -> Result:
    """Latency of single queries in one thread, and the build time of the whole repository.

    The headline is the kernel as published, with 200 windows per query, where expansion dominates. With the 30
    results of web-kernel most of the time is spent in the search, which both sides share.
    """
    opened = workload.workspace(workload.rows_wanted())
    vectorizer = _fitted(opened)
    rows: list[list[str]] = []
    recorded: dict[str, float] = {}
    ratios: dict[str, float] = {}
    for name in ("web-kernel", "web-kernel-paper"):
        kernel = cast(Kernel, measures[name].build(opened, {}))
        found = take_turns(_contestants(kernel, vectorizer), _answered(kernel), repeats=3)
        own, theirs = found["querykin"].p50, found["scikit-learn"].p50
        rows += [[f"{name}, {kernel.results} results", who, *it.cells] for who, it in found.items()]
        ratios[name] = theirs / own
        recorded |= figures(found, name)
    seconds = workload.build_seconds(opened)
    text = (
        f"From a query's text to its row, milliseconds of processor time, one thread; scikit-learn over querykin: "
        f"{ratios['web-kernel']:.1f} and {ratios['web-kernel-paper']:.1f}. The repository of {len(opened.repository):,} queries "
        f"was expanded and indexed in {seconds:,.0f} s on all cores ({len(opened.repository) / seconds:,.0f} queries a second)."
    )
    return Result(
        "expansion",
        "Expansion",
        text,
        ["measure", "", "p50", "p99"],
        rows,
        recorded | {"build seconds": seconds},
        {"expand_vs_sklearn": ratios["web-kernel-paper"]},
    )


def _answered(kernel: Kernel) -> list[str]:
    """Queries with results: a vectorizer rejects an empty list of texts."""
    results = kernel.expander.search(workload.unseen_queries(), 1)[1]
    sizes = np.diff(results.indptr)
    return [query for query, size in zip(workload.unseen_queries(), sizes, strict=True) if size][:100]


def _fitted(opened: Workspace) -> Callable[[list[str]], csr_array]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    segment = opened.corpus.segments[0]
    some = (segment.document(place) for place in range(min(FITTED_ON, len(segment.title_lengths))))
    vectorizer = TfidfVectorizer(sublinear_tf=True, norm=None)
    vectorizer.fit(f"{document.title} {document.text}" for document in some)
    return lambda texts: csr_array(vectorizer.transform(texts))


def _contestants(
    kernel: Kernel, vectorize: Callable[[list[str]], csr_array]
) -> dict[str, Callable[[str], object]]:
    expander: Expander = kernel.expander

    def ours(query: str) -> object:
        expander.clear_cache()
        return kernel.encode_batch([query])

    def theirs(query: str) -> object:
        expander.clear_cache()
        expansions = expander.expand([query], kernel.results)
        return _mean(vectorize(_texts(expansions)), expansions.results.scores, kernel.terms)

    def search(query: str) -> object:
        expander.clear_cache()
        return expander.search([query], kernel.results)

    return {"querykin": ours, "scikit-learn": theirs, "  search alone (in both)": search}


def _texts(expansions: Expansions) -> list[str]:
    results = expansions.results
    return [
        snippet(
            results.segments[results.segment_ids[r]],
            int(results.ordinals[r]),
            int(expansions.begins[r]),
            int(expansions.ends[r]),
        )
        for r in range(len(results.documents))
    ]


def _mean(rows: csr_array, shares: Float64Array, terms: int) -> Float64Array:
    """The weighted mean of unit rows truncated to the terms with the largest weights."""
    total = np.zeros(rows.shape[1])
    for row in range(rows.shape[0]):
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        weights, features = rows.data[part], rows.indices[part]
        if len(weights) > terms:
            kept = np.argpartition(-weights, terms)[:terms]
            weights, features = weights[kept], features[kept]
        total[features] += shares[row] * weights / max(1e-12, float(np.sqrt((weights**2).sum())))
    norm: Float64Array = total / max(1e-12, float(np.sqrt((total**2).sum())))
    return norm


if __name__ == "__main__":
    print(run().markdown())
