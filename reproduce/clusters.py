"""Groups of keywords against known ones: `python -m reproduce.clusters` writes CLUSTERS.md.

The first run indexes the lists and computes their neighbors, which are kept.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Int64Array
from reproduce import data
from reproduce.cluster_defaults import defaults
from reproduce.cluster_methods import ALTERNATIVES, OURS, PEERS, Method
from reproduce.cluster_quality import Measured, Quality, compare
from reproduce.cluster_sets import SNIPPETS, WEB_QUERIES, ClusterSet, cluster_sets, query_variations
from reproduce.markdown import interval, number, table

OUT = data.ROOT / "reproduce" / "CLUSTERS.md"
FEW_GROUPS = 10
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


def report(encyclopedias: Workspace) -> str:
    """The report as Markdown."""
    sets = {listed.name: listed for listed in cluster_sets(encyclopedias)}
    measured = {name: measure_all(listed, (*OURS, *ALTERNATIVES, *PEERS)) for name, listed in sets.items()}
    sections = []
    for name, listed in sets.items():
        sections += [f"## {name}", methods(listed, measured[name], [peer.name for peer in PEERS])]
    return "\n\n".join(
        [
            *sections,
            "## Thresholds from another list",
            "The threshold with the best mean F over both halves of one list, judged on another.",
            *(_carried(measured, *names) for names in CARRIED),
            "## Default thresholds",
            "`querykin cluster` at thresholds that a measure may have by default: F on both lists of queries; the share of the "
            "web queries among them that are in a group, where hardly any two were drawn from one topic; and the share of judged "
            "pairs of web queries (open_suggestions: near-duplicates were left out before) with this score or more that are good.",
            defaults(encyclopedias, measured),
        ]
    )


def measure_all(listed: ClusterSet, compared: Sequence[Method]) -> dict[str, Measured]:
    """All methods on a list, by name."""
    return {method.name: Measured.of(method, listed) for method in compared}


def methods(listed: ClusterSet, measured: Mapping[str, Measured], peers: Sequence[str]) -> str:
    """A table of methods, each against the best peer."""
    found = {name: each.quality(each.chosen()) for name, each in measured.items()}
    best = max(peers, key=lambda name: found[name].b_cubed.f())
    groups = _resampled(listed)
    rows = []
    for name, quality in found.items():
        apart = "" if name == best else interval(compare(quality.b_cubed, found[best].b_cubed, groups))
        chosen = ", ".join(f"{each:g}" for each in quality.thresholds)
        rows.append([name, chosen, *_cells(quality), apart])
    header = ["method", "thresholds", "P", "R", "F", "ARI", f"F - F of {best}"]
    return table(header, rows)


def _cells(quality: Quality) -> list[str]:
    precision, recall = (float(each.mean()) for each in quality.b_cubed)
    return [*map(number, (precision, recall, quality.b_cubed.f(), quality.rand))]


def _resampled(listed: ClusterSet) -> Int64Array:
    """What the bootstrap draws: groups, or keywords where there are few groups."""
    classes = [half.classes[half.judged] for half in listed.halves]
    if classes[0].max() < FEW_GROUPS:
        return np.arange(sum(map(len, classes)))
    return np.concatenate([classes[0], classes[1] + classes[0].max() + 1])


def _carried(measured: Mapping[str, Mapping[str, Measured]], source: str, target: str) -> str:
    rows = []
    for name, found in measured[source].items():
        threshold = found.best_of_both()
        here = measured[target][name]
        rows.append([name, f"{threshold:g}", *_cells(here.quality([threshold] * 2))])
    return f"### From {source} to {target}\n\n" + table(["method", "threshold", "P", "R", "F", "ARI"], rows)


def main() -> None:
    """Print the report and write it to CLUSTERS.md, or print which data is missing."""
    if absent := data.missing():
        print(absent)
        return
    text = report(data.workspace())
    print(text)
    head = _HEAD.format(
        facts=data.build_facts().partition(", built")[0],
        needs=len({each.label for each in query_variations()}),
        web=WEB_QUERIES,
        snippets=SNIPPETS,
    )
    OUT.write_text(f"{head}\n{text}\n", "utf-8")


if __name__ == "__main__":
    main()
