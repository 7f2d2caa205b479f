"""The hybrid measures against their parts on every judged set: `python -m reproduce.hybrid` writes HYBRID.md.

The constants of the hybrid measures were chosen with these sets in view. So each set is also scored with constants that
were fitted without it and the sets of its family, and it is this score that is compared with the best single part.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.evaluation.metrics import spearman
from querykin.evaluation.significance import Interval, compare, compare_auc
from querykin.measures.hybrid import HybridMeasure
from reproduce import data
from reproduce.hybrid_alternatives import alternatives
from reproduce.hybrid_fit import GRID, Measured
from reproduce.hybrid_parts import Constants, Pairs, pairs_of
from reproduce.hybrid_sets import METRICS, StudiedSet, studied_sets
from reproduce.markdown import interval, number, table
from reproduce.pooled import compare_pooled

OUT = data.ROOT / "reproduce" / "HYBRID.md"
PARTS: dict[str, Callable[[Pairs], Float64Array]] = {
    "web-kernel": lambda pairs: pairs.web_kernel,
    "static": lambda pairs: pairs.static,
    "dense": lambda pairs: pairs.dense,
}
MADE_OF = {"hybrid": ("web-kernel", "static", "dense"), "hybrid-static": ("web-kernel", "static")}
LOSS = -0.005  # a set that loses more against its best part is named
Sets = Mapping[str, tuple[StudiedSet, Pairs]]

_HEAD = """# The hybrid measures and their parts

Written by `python -m reproduce.hybrid`. Corpora: both encyclopedias ({facts}); for chorus its catalogue of products, for
debian the descriptions of packages. Every measure at its defaults unless said otherwise. Brackets hold 95 % bootstrap
intervals, paired, over queries (stsb: over pairs); pairs that are not covered are ranked last.
"""


@dataclass(frozen=True)
class Studied:
    """One hybrid measure: the constants that are shipped, fitted to all sets, and without each family."""

    name: str
    measured: Measured
    shipped: Constants
    fitted: Constants
    held_out: Mapping[str, Constants]  # by the family that was left out

    @classmethod
    def of(cls, name: str, measure: HybridMeasure, sets: Sets) -> "Studied":
        """Fit the constants to all sets, and once without each family."""
        best = {
            each: max(studied.value(PARTS[part](pairs)) for part in MADE_OF[name])
            for each, (studied, pairs) in sets.items()
        }
        scores = Pairs.hybrid if name == "hybrid" else Pairs.hybrid_static
        measured, varied = Measured(scores, best, sets), _varied(name)
        fitted, held_out = measured.fit([*sets], varied), {}
        for family in dict.fromkeys(studied.family for studied, _ in sets.values()):
            held_out[family] = measured.fit(_without(family, sets), varied)
            print(f"  {name} without {family}: {held_out[family]}", flush=True)
        return cls(name, measured, Constants.shipped(measure), fitted, held_out)

    def constants(self, studied: StudiedSet) -> dict[str, Constants]:
        """The shipped constants, and those fitted without the family of a set."""
        return {"shipped": self.shipped, "held out": self.held_out[studied.family]}


def report(workspace: Workspace) -> str:
    """The report as Markdown."""
    sets = {studied.name: (studied, pairs_of(studied)) for studied in studied_sets(workspace)}
    hybrids = []
    for name in ("hybrid-static", "hybrid"):
        measure = workspace.measure(name)
        assert isinstance(measure, HybridMeasure)
        hybrids.append(Studied.of(name, measure, sets))
    return "\n\n".join(
        [
            "## Every set",
            _values(sets, hybrids),
            "Held out: with constants fitted without the set and its family.",
            "## Against the best part",
            "The best part is chosen on the same set, which favours it.",
            *(_differences(sets, hybrid) for hybrid in hybrids),
            "## The constants",
            f"Shipped, and fitted without each family by coordinate search from a plain sum (first line) over "
            f"{sum(map(len, GRID.values()))} values; the objective is the mean over families of the gain over the best "
            "part, where gains above .015 count as .015 and losses beyond .003 five times. It is given for the sets of "
            "the fit.",
            *(_constants(hybrid) for hybrid in hybrids),
            "## What did not work",
            "Other weights of a pair and less evidence, with the shipped constants; metrics as above.",
            alternatives(sets, hybrids[-1].shipped),
        ]
    )


def _values(sets: Sets, hybrids: list[Studied]) -> str:
    header = ["set", "metric", "pairs", *PARTS, "web-kernel-static"]
    header += [name if kind == "shipped" else f"{name}, {kind}" for name, kind in _columns(hybrids)]
    rows = []
    for studied, pairs in sets.values():
        scores = [part(pairs) for part in PARTS.values()]
        scores.append(pairs.web_kernel_static(hybrids[0].shipped))
        values = [studied.value(each) for each in scores]
        for hybrid in hybrids:
            values += [
                hybrid.measured.value(studied.name, each) for each in hybrid.constants(studied).values()
            ]
        cells = [number(value) for value in values]
        rows.append([studied.name, METRICS[studied.metric], f"{len(pairs.dense):,}", *cells])
    return table(header, rows)


def _columns(hybrids: list[Studied]) -> list[tuple[str, str]]:
    return [(hybrid.name, kind) for hybrid in hybrids for kind in ("shipped", "held out")]


def _differences(sets: Sets, hybrid: Studied) -> str:
    against_dense = "dense" in MADE_OF[hybrid.name]
    header = ["set", "best part", "held out - best part", f"{hybrid.name} - best part"]
    header += ["held out - dense", f"{hybrid.name} - dense"] if against_dense else []
    rows, lost = [], []
    for studied, pairs in sets.values():
        best = max(MADE_OF[hybrid.name], key=lambda name: studied.value(PARTS[name](pairs)))
        constants = hybrid.constants(studied)
        ours = [hybrid.measured.scores(pairs, constants[kind]) for kind in ("held out", "shipped")]
        cells = [difference(studied, scores, PARTS[best](pairs)) for scores in ours]
        if cells[0].difference < LOSS:
            lost.append(f"{studied.name} ({interval(cells[0])})")
        if against_dense:
            cells += [difference(studied, scores, pairs.dense) for scores in ours]
        rows.append([studied.name, best, *map(interval, cells)])
    verdict = f"More than .005 below the best part with held-out constants: {', '.join(lost) or 'no set'}."
    return f"### {hybrid.name}\n\n{table(header, rows)}\n\n{verdict}"


def difference(studied: StudiedSet, scores: Float64Array, baseline: Float64Array) -> Interval:
    """The difference of two measures by the metric of a set, with a bootstrap interval over groups."""
    judged = studied.judged.judged
    if studied.metric == "auc":
        return compare_auc(scores, baseline, judged.grades, judged.groups.ids, studied.judged.relevant)
    if studied.metric == "mean_auc":
        return compare(studied.group_values(scores), studied.group_values(baseline)).interval
    return compare_pooled(spearman, scores, baseline, judged.grades, judged.groups.ids)


def _varied(hybrid: str) -> list[str]:
    """The constants that a hybrid measure has."""
    return [name for name in GRID if name != "dense" or name in MADE_OF[hybrid]]


def _without(family: str, sets: Sets) -> list[str]:
    return [name for name, (studied, _) in sets.items() if studied.family != family]


def _constants(hybrid: Studied) -> str:
    everything = [*hybrid.measured.sets]
    shown = [("start", Constants(), everything), ("shipped", hybrid.shipped, everything)]
    shown.append(("fitted to all sets", hybrid.fitted, everything))
    for family, constants in hybrid.held_out.items():
        shown.append((f"without {family}", constants, _without(family, hybrid.measured.sets)))
    columns = _varied(hybrid.name)
    rows = [
        [
            title,
            *(f"{getattr(constants, name):g}" for name in columns),
            f"{1000 * hybrid.measured.objective(constants, names):+.1f}",
        ]
        for title, constants, names in shown
    ]
    header = ["", *(name.replace("_", " ") for name in columns), "objective, thousandths"]
    return f"### Constants of {hybrid.name}\n\n{table(header, rows)}"


def main() -> None:
    """Print the report and write it to HYBRID.md, or print which data is missing."""
    if absent := data.missing():
        print(absent)
        return
    text = report(data.workspace())
    print(text)
    OUT.write_text(f"{_HEAD.format(facts=data.build_facts().partition(', built')[0])}\n{text}\n", "utf-8")


if __name__ == "__main__":
    main()
