"""Scores of the hybrid measures as probabilities of a good suggestion, cross-validated by query and carried to other sets."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import cast

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.learning.calibration import Calibration, calibration_error
from querykin.learning.cross_validation import cross_val_predict, group_folds
from querykin.learning.linear import Prior, fit_weights
from querykin.measures.hybrid import HybridMeasure
from querykin.measures.part_weights import TERMS
from reproduce.hybrid_parts import Constants, geometric_mean, pairs_of
from reproduce.hybrid_sets import StudiedSet, encyclopedia_set, package_sets
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import number, table

HYBRIDS = ("hybrid", "hybrid-static")
OTHERS = ("neuqs QR", "trec_tasks")
FOLDS = 9
BINS = 10
_WIDE = 1e6  # variance of a prior that hardly constrains


@dataclass(frozen=True)
class Scored:
    """Judged pairs with, by measure, their scores and the weights of web-kernel in them."""

    name: str
    relevant: BoolArray
    groups: Int64Array
    scores: Mapping[str, Float64Array]
    terms: Mapping[str, Float64Array]

    @classmethod
    def of(cls, studied: StudiedSet) -> "Scored":
        """Pairs under the shipped constants."""
        pairs, judged = pairs_of(studied), studied.judged
        constants = {
            name: Constants.shipped(cast(HybridMeasure, studied.workspace.measure(name))) for name in HYBRIDS
        }
        scores = {
            "hybrid": pairs.hybrid(constants["hybrid"]),
            "hybrid-static": pairs.hybrid_static(constants["hybrid-static"]),
        }
        weights = {
            "hybrid": pairs.hybrid_weights(constants["hybrid"], geometric_mean)[:, TERMS],
            "hybrid-static": pairs.hybrid_static_weights(constants["hybrid-static"], geometric_mean)[
                :, TERMS
            ],
        }
        return cls(judged.name, judged.labels, judged.judged.groups.ids, scores, weights)


@dataclass(frozen=True)
class TermsCalibration:
    """Log odds slope score + shift + terms_slope w, w the geometric mean of the weights of web-kernel in both texts."""

    slope: float
    shift: float
    terms_slope: float

    @classmethod
    def fit(
        cls, scores: Float64Array, terms: Float64Array, relevant: BoolArray, weights: Float64Array
    ) -> "TermsCalibration":
        """Maximum likelihood of weighted pairs."""
        features, prior = np.column_stack([scores, terms]), Prior(np.full(2, _WIDE), np.zeros(2, np.bool_))
        slope, terms_slope, shift = fit_weights(features, weights, relevant.astype(np.float64), prior, True)
        return cls(float(slope), float(shift), float(terms_slope))

    def probabilities(self, scores: Float64Array, terms: Float64Array) -> Float64Array:
        """Probabilities of a good suggestion."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * scores + self.shift + self.terms_slope * terms))))


def suggestion_pairs(opened: Workspace, judged: JudgedSet) -> Scored:
    """The judged suggestions."""
    return Scored.of(StudiedSet(judged, opened, "mean_auc", "suggestions"))


def report(opened: Workspace, judged: JudgedSet) -> str:
    """The report as Markdown."""
    suggestions = suggestion_pairs(opened, judged)
    packages = [Scored.of(studied) for studied in package_sets()]
    others = [Scored.of(encyclopedia_set(name, opened)) for name in OTHERS]
    return "\n\n".join(
        [
            f"Platt scaling of the scores of {len(judged.judged):,} judged suggestions, {number(float(judged.labels.mean()))} of them "
            f"good; cross-validated in {FOLDS} folds over queries. ECE: expected calibration error over {BINS} bins.",
            _platt_scaling(suggestions),
            *(_reliability(name, _out_of_fold(suggestions, name), suggestions.relevant) for name in HYBRIDS),
            "### With the weight of web-kernel",
            "Log odds slope score + shift + terms slope w, where w is the geometric mean of the weights of web-kernel in both texts, fitted "
            "to the suggestions (weight 1/2) and to both sets of names of programs (1/4 each, pairs weighted so that the "
            "share of relevant ones is that of good suggestions). The ECE is cross-validated for what is fitted to the set: "
            "the three numbers, and Platt scaling of the suggestions alone.",
            _with_terms(
                suggestions,
                packages,
                {name: cast(HybridMeasure, opened.measure(name)) for name in HYBRIDS},
            ),
            "### Carried to other sets",
            "Platt scaling fitted to one set (row) and applied to another (column): ECE, and the mean probability "
            "beside the share of relevant pairs. On the diagonal cross-validated.",
            *(_transfer(name, [suggestions, *others]) for name in HYBRIDS),
        ]
    )


def log_loss(probabilities: Float64Array, relevant: BoolArray) -> float:
    """The mean negative log likelihood of what was judged."""
    clipped = np.clip(probabilities, 1e-12, 1 - 1e-12)
    return float(-np.log(np.where(relevant, clipped, 1 - clipped)).mean())


def _out_of_fold(scored: Scored, name: str) -> Float64Array:
    """Probabilities by Platt scaling that was fitted without the query."""
    scores, relevant = scored.scores[name], scored.relevant
    return cross_val_predict(
        scored.groups,
        FOLDS,
        lambda rows: {"fitted": Calibration.fit(scores[rows], relevant[rows])},
        lambda content, rows: cast(Calibration, content["fitted"]).probabilities(scores[rows]),
    )


def _platt_scaling(scored: Scored) -> str:
    rows = []
    for name in HYBRIDS:
        fitted, held_out = Calibration.fit(scored.scores[name], scored.relevant), _out_of_fold(scored, name)
        figures = calibration_error(held_out, scored.relevant), log_loss(held_out, scored.relevant)
        rows.append([name, f"{fitted.slope:.2f}", f"{fitted.shift:.2f}", *map(number, figures)])
    return table(["measure", "slope", "shift", "ECE, cross-validated", "log loss, cross-validated"], rows)


def _reliability(name: str, probabilities: Float64Array, relevant: BoolArray) -> str:
    bins, rows = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1), []
    for each in np.unique(bins):
        inside = bins == each
        label = f"{number(each / BINS, 1)} to {number((each + 1) / BINS, 1)}"
        means = probabilities[inside].mean(), relevant[inside].mean()
        rows.append([label, str(int(inside.sum())), *(number(float(mean), 2) for mean in means)])
    header = [f"probability by {name}", "suggestions", "mean probability", "share that is good"]
    return table(header, rows)


def _with_terms(suggestions: Scored, packages: Sequence[Scored], hybrids: Mapping[str, HybridMeasure]) -> str:
    share, sets = float(suggestions.relevant.mean()), [suggestions, *packages]
    pairs = sum(
        len(scored.relevant) for scored in sets
    )  # in all, so that the prior counts as little as usual
    totals = [pairs / 2, *(pairs / 2 / len(packages) for _ in packages)]
    weights = [total * balanced(scored.relevant, share) for total, scored in zip(totals, sets, strict=True)]
    rows = []
    for name in HYBRIDS:
        measure, fitted = hybrids[name], TermsCalibration.fit(*_joined(sets, name), np.concatenate(weights))
        shipped = TermsCalibration(measure.slope, measure.shift, measure.terms_slope)
        platt = Calibration.fit(suggestions.scores[name], suggestions.relevant)
        alone = [platt.probabilities(scored.scores[name]) for scored in packages]
        kinds = {
            "fitted": (fitted, _out_of_fold_with_terms(sets, name, weights)),
            "shipped": (
                shipped,
                [shipped.probabilities(each.scores[name], each.terms[name]) for each in sets],
            ),
            "Platt scaling": (
                TermsCalibration(platt.slope, platt.shift, 0.0),
                [_out_of_fold(suggestions, name), *alone],
            ),
        }
        for kind, (calibration, probabilities) in kinds.items():
            errors = [
                weighted_calibration_error(found, scored.relevant, weight)
                for found, scored, weight in zip(probabilities, sets, weights, strict=True)
            ]
            numbers = (f"{value:.2f}" for value in astuple(calibration))
            rows.append([f"{name}, {kind}", *numbers, *map(number, errors)])
    header = ["measure", "slope", "shift", "terms slope"]
    return table([*header, *(f"ECE on {scored.name}" for scored in sets)], rows)


def _joined(sets: Sequence[Scored], name: str) -> tuple[Float64Array, Float64Array, BoolArray]:
    return (
        np.concatenate([scored.scores[name] for scored in sets]),
        np.concatenate([scored.terms[name] for scored in sets]),
        np.concatenate([scored.relevant for scored in sets]),
    )


def _out_of_fold_with_terms(
    sets: Sequence[Scored], name: str, weights: Sequence[Float64Array]
) -> list[Float64Array]:
    """Probabilities of the pairs of each set by a calibration of all sets that was fitted without the query."""
    scores, terms, relevant = _joined(sets, name)
    folds = np.concatenate([group_folds(scored.groups, FOLDS) for scored in sets])
    predicted, weight = np.zeros(len(scores)), np.concatenate(weights)
    for fold in range(FOLDS):
        training, test = folds != fold, folds == fold
        fitted = TermsCalibration.fit(scores[training], terms[training], relevant[training], weight[training])
        predicted[test] = fitted.probabilities(scores[test], terms[test])
    return np.split(predicted, np.cumsum([len(scored.relevant) for scored in sets])[:-1])


def balanced(relevant: BoolArray, share: float) -> Float64Array:
    """Weights of sum 1 under which this share of the pairs is relevant.

    >>> balanced(np.array([True, False, False]), 0.5).tolist()
    [0.5, 0.25, 0.25]
    """
    relevant_pairs, others = np.count_nonzero(relevant), np.count_nonzero(~relevant)
    return np.where(relevant, share / relevant_pairs, (1 - share) / others)


def weighted_calibration_error(
    probabilities: Float64Array, relevant: BoolArray, weights: Float64Array
) -> float:
    """`calibration_error` of weighted pairs."""
    bins = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
    gaps = np.abs(np.bincount(bins, weights * (probabilities - relevant), BINS))
    return float(gaps.sum() / weights.sum())


def _transfer(name: str, sets: Sequence[Scored]) -> str:
    rows = []
    for source in sets:
        fitted, cells = Calibration.fit(source.scores[name], source.relevant), []
        for target in sets:
            found = (
                _out_of_fold(source, name) if target is source else fitted.probabilities(target.scores[name])
            )
            error = number(calibration_error(found, target.relevant))
            means = number(float(found.mean()), 2), number(float(target.relevant.mean()), 2)
            cells.append(f"{error} ({means[0]}, {means[1]})")
        rows.append([source.name, f"{fitted.slope:.2f}", f"{fitted.shift:.2f}", *cells])
    return table([f"{name}, fitted to", "slope", "shift", *(f"on {each.name}" for each in sets)], rows)
