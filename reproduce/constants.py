"""The constants of web-kernel, one change at a time: `python -m reproduce.constants`.

A random half of every set's groups is used to choose, the other half to validate the choice. Rows have as many terms as
those of `web-kernel`; `python -m reproduce.constants row_terms` changes that number.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array
from querykin.evaluation.metrics import all_metrics
from querykin.evaluation.significance import Interval, compare, compare_auc
from querykin.measures.web_kernel import WebKernel
from querykin.search.expansion import Expander
from reproduce import data
from reproduce.cached_scores import scores_of
from reproduce.engine_bonuses import BonusEngine
from reproduce.judged_sets import JudgedSet, read_set
from reproduce.kernel_variants import Variant
from reproduce.markdown import interval, number, table
from reproduce.orderings import clear

# A part of the groups of the large sets is enough.
SETS = {
    "uqv100": None,
    "neuqs QR": None,
    "trec_tasks": None,
    "bird": None,
    "factoid": None,
    "patent": 150,
    "dbpedia": 60,
}
DEFAULT = "as it is"
METRICS = ("auc", "mean_auc")
VALUES: Mapping[str, tuple[float, ...]] = {
    "results": (10, 20, 50, 100, 200),
    "power": (0, 1, 3, 4),
    "terms": (10, 20, 50, 100),
    "own": (0, 0.25, 1),
    "missing": (0, 0.5, 2),
    "damping": (0.5, 0.6, 0.7, 0.9, 1),
    "keep": (0.9, 0.99, 1),
    "log_tf": (False,),
    "stems": (False,),
    "window": (250, 500, 2000, 4000),
    "title": (0, 1, 10),
    "near": (0.5, 1, 3),
}
ROW_TERMS = {"row_terms": (0, 64, 256)}  # a separate study; 0: all terms
Setting = tuple[tuple[str, Any], ...]  # differences from the defaults
Change = dict[str, dict[str, Interval]]  # by metric, then by set


@dataclass(frozen=True)
class Half:
    """One half of a set."""

    judged: JudgedSet
    rows: BoolArray

    def change(self, ours: Float64Array, theirs: Float64Array) -> dict[str, Interval]:
        """The difference of two lists of scores, by both metrics."""
        grades, groups = self.judged.judged.grades[self.rows], self.judged.judged.groups.ids[self.rows]
        relevant = self.judged.relevant
        each = [
            all_metrics(scores[self.rows], grades, groups, relevant).by_group["mean_auc"]
            for scores in (ours, theirs)
        ]
        pooled = compare_auc(ours[self.rows], theirs[self.rows], grades, groups, relevant)
        return {"auc": pooled, "mean_auc": compare(each[0], each[1]).interval}


def report(workspace: Workspace, values: Mapping[str, Sequence[float]] = VALUES) -> str:
    """Every change on both halves, and the chosen changes together."""
    trial = Trial(workspace)
    singles: list[Setting] = [((name, value),) for name, tried in values.items() for value in tried]
    chosen = trial.choose(singles)
    parts = [
        "### One change at a time",
        trial.table(singles),
        "### Set by set, held-out half",
        trial.by_set(singles),
    ]
    if chosen:
        parts += [
            "### Chosen on the first half, added one after another",
            trial.table([chosen[: i + 1] for i in range(len(chosen))]),
            trial.by_set([chosen]),
        ]
    else:
        parts.append("No change is better on the first half with an interval that excludes 0.")
    return "\n\n".join(parts)


class Trial:
    """Scores of changed kernels on all sets."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.sets = [_sample_groups(read_set(name), groups) for name, groups in SETS.items()]
        self._scores: dict[tuple[str, Setting], Float64Array] = {}
        self._expanders: dict[Setting, Expander] = {}
        self._changes: dict[tuple[Setting, bool], Change] = {}

    def changes(self, setting: Setting, held_out: bool) -> Change:
        """The effect of a setting on one half of every set."""
        if (setting, held_out) not in self._changes:
            found: Change = {metric: {} for metric in METRICS}
            for judged in self.sets:
                half = Half(judged, judged.half() != held_out)
                for metric, each in half.change(
                    self._score(judged, setting), self._score(judged, ())
                ).items():
                    found[metric][judged.name] = each
            self._changes[setting, held_out] = found
        return self._changes[setting, held_out]

    def mean(self, setting: Setting, held_out: bool, metric: str) -> Interval:
        """The mean change over sets."""
        return mean_interval(list(self.changes(setting, held_out)[metric].values()))

    def gain(self, setting: Setting) -> float:
        """The criterion on the first half: the mean change of both metrics."""
        return sum(self.mean(setting, False, metric).difference for metric in METRICS) / len(METRICS)

    def choose(self, singles: list[Setting]) -> Setting:
        """Greedily add the best change of each constant while the first half improves.

        A change is considered if neither metric is clearly worse and one is clearly better.
        """
        for judged in self.sets:  # set by set, so that searches are cached
            for setting in ((), *singles):
                self._score(judged, setting)
        useful = [
            each
            for each in singles
            if sorted(clear(self.mean(each, False, metric)) for metric in METRICS) in ([0, 1], [1, 1])
        ]
        best = {}
        for each in sorted(useful, key=self.gain):
            best[each[0][0]] = each
        chosen: Setting = ()
        for each in sorted(best.values(), key=self.gain, reverse=True):
            if self.gain(chosen + each) > (self.gain(chosen) if chosen else 0):
                chosen += each
        return chosen

    def table(self, settings: list[Setting]) -> str:
        """The mean changes over sets."""
        rows = [
            [
                spelled(setting),
                *(
                    interval(self.mean(setting, held_out, metric))
                    for held_out in (False, True)
                    for metric in METRICS
                ),
            ]
            for setting in settings
        ]
        return table(["change", "first half: AUC", "mean AUC", "held out: AUC", "mean AUC"], rows)

    def by_set(self, settings: list[Setting]) -> str:
        """AUC and mean AUC of the default on the held-out half of each set, and the effects of settings."""
        rows = [[DEFAULT, *(self._figures(judged) for judged in self.sets)]]
        for setting in settings:
            found = self.changes(setting, True)
            rows.append(
                [
                    spelled(setting),
                    *(
                        " / ".join(_marked(found[metric][judged.name]) for metric in METRICS)
                        for judged in self.sets
                    ),
                ]
            )
        return table(["change", *(f"{judged.name}: AUC / mean AUC" for judged in self.sets)], rows)

    def _figures(self, judged: JudgedSet) -> str:
        rows = ~judged.half()
        values = all_metrics(
            self._score(judged, ())[rows],
            judged.judged.grades[rows],
            judged.judged.groups.ids[rows],
            judged.relevant,
        ).values
        return " / ".join(number(values[metric]) for metric in METRICS)

    def _score(self, judged: JudgedSet, setting: Setting) -> Float64Array:
        if (judged.name, setting) not in self._scores:
            self._scores[judged.name, setting] = scores_of(self._kernel(setting), judged, spelled(setting))
        return self._scores[judged.name, setting]

    def _kernel(self, setting: Setting) -> WebKernel:
        own = {field.name for field in fields(Variant)}
        search = tuple(each for each in setting if each[0] not in own)
        parameters = {name: value for name, value in setting if name in own}
        return replace(Variant(self._expander(search)), **parameters)

    def _expander(self, search: Setting) -> Expander:
        usual = self.workspace.expander
        if search not in self._expanders:
            given = dict(search)
            window = int(given.pop("window", usual.window))
            engine = BonusEngine(usual.corpus, **given) if given else usual.engine
            self._expanders[search] = (
                Expander(usual.corpus, engine, window, usual.idf_coverage) if search else usual
            )
        return self._expanders[search]


def mean_interval(found: list[Interval]) -> Interval:
    """The mean of independent differences, with an interval of 1.96 standard errors derived from theirs."""
    middle = float(np.mean([each.difference for each in found]))
    errors = [(each.high - each.low) / (2 * 1.96) for each in found]
    reach = 1.96 * float(np.sqrt(np.square(errors).sum())) / len(found)
    return Interval(middle, middle - reach, middle + reach)


def spelled(setting: Setting) -> str:
    """A setting as text."""
    return (
        ", ".join(
            f"{name} {value:g}" if not isinstance(value, bool) else f"no {name}" for name, value in setting
        )
        or DEFAULT
    )


def _marked(found: Interval) -> str:
    """A difference; bold where its interval excludes 0."""
    text = f"{found.difference:+.3f}".replace("0.", ".")
    return f"**{text}**" if clear(found) else text


def _sample_groups(judged: JudgedSet, groups: int | None) -> JudgedSet:
    """A set, or a random part of its groups."""
    if groups is None:
        return judged
    numbers = judged.judged.groups.ids
    kept = np.random.default_rng(1).permutation(int(numbers.max()) + 1) < groups
    return judged.part(kept[numbers], f"{judged.name}, {groups} groups")


if __name__ == "__main__":
    data.show(lambda workspace: report(workspace, ROW_TERMS if sys.argv[1:] == ["row_terms"] else VALUES))
