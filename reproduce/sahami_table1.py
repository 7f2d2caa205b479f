"""Table 1 of Sahami & Heilman (2006) and its contrasts: `python -m reproduce.sahami_table1`."""

import numpy as np
from scipy.stats import spearmanr

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.measures import Measure
from reproduce import data
from reproduce.evidence import Evidence, contrast_has_evidence, evidence
from reproduce.markdown import number, table
from reproduce.sahami_pairs import PAIRS, QUESTION, Contrast, contrasts

MEASURES = ("web-kernel", "web-kernel-paper", "cosine", "set-overlap", DEFAULT_MEASURE)


def report(workspace: Workspace) -> str:
    """The whole section."""
    scores = workspace.score([(pair.a, pair.b) for pair in PAIRS], MEASURES)
    found = [evidence(workspace.expander, pair) for pair in PAIRS]
    parts = [
        _pairs(scores, found),
        "### Rank correlation with the paper's K",
        _correlations(scores, found),
        "### Contrasts",
        _contrasts(workspace),
        "### The question and its answer",
        _question(workspace),
    ]
    return "\n\n".join(parts)


def _pairs(scores: dict[str, Float64Array], found: list[Evidence]) -> str:
    header = [
        "text 1",
        "text 2",
        "K paper",
        *MEASURES[:2],
        "cosine paper",
        "cosine",
        "overlap paper",
        "set-overlap",
        DEFAULT_MEASURE,
        "mentions",
    ]
    rows = [
        [
            pair.a,
            pair.b,
            number(pair.kernel),
            number(scores["web-kernel"][i]),
            number(scores["web-kernel-paper"][i]),
            number(pair.cosine),
            number(scores["cosine"][i]),
            number(pair.overlap),
            number(scores["set-overlap"][i]),
            number(scores[DEFAULT_MEASURE][i]),
            str(found[i].mentions) if found[i].covered else "not covered",
        ]
        for i, pair in enumerate(PAIRS)
    ]
    lacking = [f"- {pair}: {each.reason}" for pair, each in zip(PAIRS, found, strict=True) if not each]
    return "\n\n".join([table(header, rows), "Pairs without evidence:", "\n".join(lacking)])


def _correlations(scores: dict[str, Float64Array], found: list[Evidence]) -> str:
    covered = np.array([each.covered for each in found])
    known = covered & np.array([not each.unknown for each in found])
    subsets = {
        "covered": covered,
        "both texts known": known,
        "evidence": np.array(list(map(bool, found))),
        "covered, no word in common; chosen afterwards": covered
        & np.array([pair.cosine == 0 for pair in PAIRS]),
    }
    columns = {name: scores[name] for name in MEASURES} | {
        "the paper's own cosine": np.array([pair.cosine for pair in PAIRS]),
        "the paper's own overlap": np.array([pair.overlap for pair in PAIRS]),
    }
    header = ["measure", *(f"{name} ({mask.sum()} pairs)" for name, mask in subsets.items())]
    rows = [
        [name, *(number(_spearman(values, mask)) for mask in subsets.values())]
        for name, values in columns.items()
    ]
    return table(header, rows)


def _spearman(values: Float64Array, mask: BoolArray) -> float:
    kernel = np.array([pair.kernel for pair in PAIRS])
    if np.ptp(values[mask]) == 0:
        return np.nan  # all equal: there is no order to compare
    return float(spearmanr(kernel[mask], values[mask]).statistic)


def _contrasts(workspace: Workspace) -> str:
    found = contrasts()
    known = [contrast_has_evidence(workspace.expander, each) for each in found]
    verdicts = [{name: in_order(workspace.measure(name), each) for name in MEASURES} for each in found]
    rows = [
        [
            str(each.higher),
            str(each.lower),
            number(each.higher.kernel - each.lower.kernel),
            "yes" if known[i] else "no evidence",
            *verdicts[i].values(),
        ]
        for i, each in enumerate(found)
    ]
    counts = [
        [
            name,
            *(
                _count([v[name] for v, k in zip(verdicts, known, strict=True) if k or not only])
                for only in (False, True)
            ),
        ]
        for name in MEASURES
    ]
    return "\n\n".join(
        [
            table(["higher in the paper", "lower in the paper", "difference", "evidence", *MEASURES], rows),
            table(["measure", "in the paper's order, all", "in the paper's order, with evidence"], counts),
        ]
    )


def in_order(measure: Measure, contrast: Contrast) -> str:
    """Whether a contrast has the order of the paper."""
    pairs = contrast.higher, contrast.lower
    high, low = measure.score_pairs([pair.a for pair in pairs], [pair.b for pair in pairs])
    if np.isnan(high) or np.isnan(low):
        return "not covered"
    return "equal" if high == low else "ok" if high > low else "reversed"


def _count(verdicts: list[str]) -> str:
    return f"{verdicts.count('ok')} of {len(verdicts)}"


def _question(workspace: Workspace) -> str:
    pairs = QUESTION.higher, QUESTION.lower
    rows = [
        [
            str(pair),
            number(pair.kernel),
            *(number(workspace.similarity(pair.a, pair.b, name)) for name in MEASURES),
        ]
        for pair in pairs
    ]
    order = ["order", "", *(in_order(workspace.measure(name), QUESTION) for name in MEASURES)]
    return table(["pair", "K paper", *MEASURES], [*rows, order])


if __name__ == "__main__":
    data.show(report)
