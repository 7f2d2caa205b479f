"""Groups of keywords against known ones: `python -m reproduce.clusters` writes CLUSTERS.md.

The first run indexes the lists, which takes about ten minutes on two cores.
"""

from collections.abc import Sequence

import numpy as np

from querykin.compute.arrays import Int64Array
from reproduce import data
from reproduce.cluster_methods import Method
from reproduce.cluster_quality import Measured, Quality, compare
from reproduce.cluster_sets import ClusterSet
from reproduce.markdown import interval, number, table

OUT = data.ROOT / "reproduce" / "CLUSTERS.md"
CARRIED = (("uqv100", "uqv100 among web queries"), ("uqv100 among web queries", "snippets"))

_HEAD = """# Groups of keywords

Written by `python -m reproduce.clusters`. Corpus: both encyclopedias ({facts}). Lists with known groups:

- uqv100: the queries that people typed for {needs} information needs; a need is a group.
- uqv100 among web queries: the same, and {web:,} web queries that belong to no group. They are not judged, but in the group of a
  judged query they count as wrong.
- snippets: {snippets:,} search snippets; a group is one of 8 broad topics.

Each list is in two halves with different needs (snippets: different snippets). A method chooses its threshold (HDBSCAN: the
smallest cluster) for the best F on one half and is judged on the other. P, R and F: B-cubed precision, recall and their harmonic mean
over the keywords of both halves; ARI: the mean of the adjusted Rand indexes of the halves. Brackets hold 95 % bootstrap
intervals, paired, over needs (snippets: over snippets). MiniLM: the sentence embeddings of the measure `dense`.
"""


def report(
    sets: Sequence[ClusterSet], ours: Sequence[Method], peers: Sequence[Method], chains: Sequence[Method]
) -> str:
    """The report as Markdown."""
    measured = {
        listed.name: {method.name: Measured.of(method, listed) for method in (*ours, *chains, *peers)}
        for listed in sets
    }
    peer_names = [method.name for method in peers]
    sections = []
    for listed in sets:
        sections += [f"## {listed.name}", _table(listed, measured[listed.name], peer_names)]
    sections += [
        "## Thresholds from another list",
        "The threshold with the best F on all of one list, judged on another.",
        *(_carried(measured[source], measured[target], source, target) for source, target in CARRIED),
    ]
    return "\n\n".join(sections)


def _table(listed: ClusterSet, measured: dict[str, Measured], peers: Sequence[str]) -> str:
    found = {name: each.quality(each.chosen()) for name, each in measured.items()}
    best = max(peers, key=lambda name: found[name].b_cubed.f())
    groups = _resampled(listed)
    rows = []
    for name, quality in found.items():
        apart = "" if name == best else interval(compare(quality.b_cubed, found[best].b_cubed, groups))
        rows.append([name, *_cells(quality), apart])
    header = ["method", "thresholds", "P", "R", "F", "ARI", f"F - F of {best}"]
    return table(header, rows)


def _cells(quality: Quality) -> list[str]:
    precision, recall = (float(each.mean()) for each in quality.b_cubed)
    thresholds = ", ".join(f"{each:g}" for each in quality.thresholds)
    return [thresholds, *map(number, (precision, recall, quality.b_cubed.f(), quality.rand))]


def _resampled(listed: ClusterSet) -> Int64Array:
    """What the bootstrap draws: needs, or snippets where there are few groups."""
    classes = [half.classes[half.judged] for half in listed.halves]
    if listed.name == "snippets":
        return np.arange(sum(map(len, classes)))
    return np.concatenate([classes[0], classes[1] + classes[0].max() + 1])


def _carried(
    source: dict[str, Measured], target: dict[str, Measured], source_name: str, target_name: str
) -> str:
    rows = []
    for name, each in source.items():
        threshold = each.best_of_both()
        rows.append([name, *_cells(target[name].quality([threshold]))])
    return f"### From {source_name} to {target_name}\n\n" + table(
        ["method", "threshold", "P", "R", "F", "ARI"], rows
    )
