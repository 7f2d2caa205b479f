"""Scores of measures on judged sets, cached between runs.

Code and corpora change, so a cached file is used only if a sample of its pairs still gets the same scores.
"""

import os
from pathlib import Path
from zlib import crc32

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.learning.term_weight_measure import TermWeightMeasure
from querykin.measures import Measure
from querykin.measures.batch_scorer import score_judged_pairs
from querykin.measures.distributional import CooccurrenceMeasure
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.idf_cosine import IdfCosine
from querykin.measures.latent import LatentMeasure
from reproduce import data
from reproduce.judged_sets import JudgedSet

CHECKED = 40  # pairs in the sample
_CLOSE = 1e-6


def scores_of(measure: Measure, judged: JudgedSet, setting: str = "") -> Float64Array:
    """The scores of all pairs of a set; `setting` describes what the parameters of the measure do not show."""
    texts = crc32("\n".join([*judged.left, *judged.right]).encode("utf-8", "surrogatepass"))
    settings = f"{measure!r} {setting} {_sources(measure)}"
    name = f"{judged.name}-{measure.name}-{crc32(settings.encode()):08x}-{texts:08x}".replace(" ", "-")
    path = data.cache_folder() / "scores" / f"{name}.npy"
    if path.exists():
        kept: Float64Array = np.load(path)
        if _still_right(measure, judged, kept):
            return kept
    print(f"  scoring {judged.name} by {measure.name}", flush=True)
    found = score_judged_pairs(judged.judged, {measure.name: measure})[measure.name]
    keep(path, found)
    return found


def keep(path: Path, scores: Float64Array) -> None:
    """Write scores whole or not at all: another process may read them."""
    path.parent.mkdir(exist_ok=True)
    started = path.with_suffix(f".{os.getpid()}.npy")
    np.save(started, scores)
    started.replace(path)


def scores_by(workspace: Workspace, names: list[str], judged: JudgedSet) -> dict[str, Float64Array]:
    """The scores by several measures of a workspace."""
    return {name: scores_of(workspace.measure(name), judged) for name in names}


def _sources(measure: Measure) -> str:
    """The corpus behind the scores, and how texts are expanded over it."""
    if isinstance(measure, TermWeightMeasure):
        return f"{measure.space} {measure.expander.window} {measure.expander.idf_coverage}"
    if isinstance(measure, ExpansionMeasure):
        expander = measure.expander
        return f"{expander.window} {expander.idf_coverage} {expander.corpus.statistics.version}"
    if isinstance(measure, IdfCosine):
        return measure.statistics.version
    if isinstance(measure, CooccurrenceMeasure):
        return measure.counts.store_id
    if isinstance(measure, LatentMeasure):
        return measure.vectors.store_id
    return " ".join(map(_sources, measure.components()))


def _still_right(measure: Measure, judged: JudgedSet, kept: Float64Array) -> bool:
    places = np.linspace(0, len(kept) - 1, min(CHECKED, len(kept))).astype(np.int64)
    queries, candidates = ([side[place] for place in places] for side in (judged.left, judged.right))
    again = measure.score_pairs(queries, candidates)
    return bool(np.allclose(again, kept[places], atol=_CLOSE, equal_nan=True))
