"""Likely causes of the figures of `reproduce.cooccurrence`: phrases, contexts by text length, dominant contexts."""

from dataclasses import replace
from typing import get_args

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.cooccurrence.association import Weighting
from querykin.measures.distributional import Distributional
from querykin.querylog.phrase_lists import phrase_lists
from querykin.text.tokenizer import tokenize
from querykin.vectors import Vectors
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import number, table

LENGTHS = {"1": (1, 1), "2": (2, 2), "3": (3, 3), "4": (4, 4), "5 and 6": (5, 6), "7 and more": (7, 10**9)}
COMMON = 1000  # the words with the most co-occurrences
HEAVY = 10  # contexts whose joint weight is reported
STEP = 512  # texts encoded at once: complete rows are long


def listed(workspace: Workspace) -> str:
    """The phrases by source."""
    counts = workspace.cooccurrence
    sources = phrase_lists(workspace.corpus, workspace.repository)
    rows = [[name, *_usable(workspace, phrases.hashes)] for name, phrases in sources.items()]
    rows.append(["together", *_usable(workspace, counts.phrases.hashes)])
    return table(["phrases", "listed", "with enough co-occurrences"], rows)


def _usable(workspace: Workspace, hashes: Int64Array) -> list[str]:
    counts = workspace.cooccurrence
    places = np.searchsorted(counts.phrases.hashes, hashes)
    return [f"{len(hashes):,}", f"{int(counts.frequent_phrases[places].sum()):,}"]


def causes(workspace: Workspace, judged: JudgedSet) -> list[str]:
    """How texts are split into phrases, how many contexts they have, and how concentrated the weights are."""
    texts = sorted({*judged.left, *judged.right})
    words, phrases = (workspace.measure(name) for name in ("distributional", "distributional-ngrams"))
    assert isinstance(words, Distributional)
    assert isinstance(phrases, Distributional)
    chunked = _chunked(phrases, texts)
    return [
        f"Of {len(texts):,} texts {chunked.mean():.1%} have a phrase of two words or more.",
        _by_length(words, phrases, texts, chunked),
        f"Share of a row's squared length that its {HEAVY} strongest contexts hold, median: {_heavy(words, texts)}.",
    ]


def _chunked(measure: Distributional, texts: list[str]) -> BoolArray:
    """Which texts are split into fewer phrases than words."""
    tokens = tokenize(texts)
    pieces = measure.counts.phrases.chunk(tokens, measure.counts.frequent_phrases)[0]
    return np.diff(pieces) < np.diff(tokens.indptr)


def _by_length(words: Distributional, phrases: Distributional, texts: list[str], chunked: BoolArray) -> str:
    lengths = np.diff(tokenize(texts).indptr)
    common = words.counts.marginals >= np.sort(words.counts.marginals)[-COMMON:][0]
    alone, together = (_contexts(measure, texts, common) for measure in (words, phrases))
    rows = []
    for name, (low, high) in LENGTHS.items():
        some = (lengths >= low) & (lengths <= high)
        if some.any():
            shares = [f"{100 * np.nanmedian(each[1][some]):.0f}%" for each in (alone, together)]
            sizes = [f"{np.median(each[0][some]):,.0f}" for each in (alone, together)]
            phrased = f"{chunked[some].mean():.0%}"
            rows.append([name, f"{some.sum():,}", phrased, sizes[0], shares[0], sizes[1], shares[1]])
    header = [
        "words of a text",
        "texts",
        "with a phrase",
        "contexts, unigrams",
        f"of the {COMMON:,} commonest",
        "contexts, n-grams",
        f"of the {COMMON:,} commonest",
    ]
    return table(header, rows)


def _contexts(
    measure: Distributional, texts: list[str], common: BoolArray
) -> tuple[Int64Array, Float64Array]:
    """The number of contexts of each text without truncation, and the share of them that are common words."""
    whole = replace(measure, terms=2**31 - 1)
    sizes, shares = [], []
    for begin in range(0, len(texts), STEP):
        rows = whole.encode_candidates(texts[begin : begin + STEP])
        many = np.diff(rows.indptr)
        sizes.append(many)
        shares.append(
            np.divide(
                rows.sums(common[rows.features].astype(np.float64)),
                many,
                out=np.full(len(many), np.nan),
                where=many > 0,
            )
        )
    return np.concatenate(sizes), np.concatenate(shares)


def _heavy(measure: Distributional, texts: list[str]) -> str:
    found = []
    for weighting in get_args(Weighting):
        rows = replace(measure, weighting=weighting).encode_candidates(texts)
        found.append(f"{weighting} {number(float(np.median(_held(rows))), 2)}")
    return ", ".join(found)


def _held(rows: Vectors) -> Float64Array:
    top = rows.top(HEAVY)
    shares: Float64Array = top.sums(top.weights**2)[rows.covered]
    return shares
