"""Scores of measures on judged sets, cached between runs.

Code and corpora change, so a cached file is used only if a sample of its pairs still gets the same scores.
"""

from zlib import crc32

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.experiments.evaluation import score
from querykin.measures import Measure
from reproduce import data
from reproduce.judged_sets import JudgedSet

CHECKED = 40  # pairs in the sample
_CLOSE = 1e-6


def scores_of(measure: Measure, judged: JudgedSet, setting: str = "") -> Float64Array:
    """The scores of all pairs of a set; `setting` describes what the parameters of the measure do not show."""
    texts = crc32("\n".join([*judged.left, *judged.right]).encode("utf-8", "surrogatepass"))
    expander = measure.expander
    settings = (
        f"{measure!r} {setting} {expander.window} {expander.idf_coverage} {expander.corpus.statistics.epoch}"
    )
    name = f"{judged.name}-{measure.name}-{crc32(settings.encode()):08x}-{texts:08x}".replace(" ", "-")
    path = data.kept_folder() / "scores" / f"{name}.npy"
    if path.exists():
        kept: Float64Array = np.load(path)
        if _still_right(measure, judged, kept):
            return kept
    print(f"  scoring {judged.name} by {measure.name}", flush=True)
    found = score(judged.judged, {measure.name: measure})[measure.name]
    path.parent.mkdir(exist_ok=True)
    np.save(path, found)
    return found


def scores_by(workspace: Workspace, names: list[str], judged: JudgedSet) -> dict[str, Float64Array]:
    """The scores by several measures of a workspace."""
    return {name: scores_of(workspace.measure(name), judged) for name in names}


def _still_right(measure: Measure, judged: JudgedSet, kept: Float64Array) -> bool:
    places = np.linspace(0, len(kept) - 1, min(CHECKED, len(kept))).astype(np.int64)
    queries, candidates = ([side[place] for place in places] for side in (judged.left, judged.right))
    again = measure.score_pairs(queries, candidates)
    return bool(np.allclose(again, kept[places], atol=_CLOSE, equal_nan=True))
