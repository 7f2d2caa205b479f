"""Orderings between measures over search results at equal numbers of results: `python -m reproduce.equal_settings`.

KL divergence, the web kernel, web-relevance and tfidf have different defaults here (30, 200, 20 and 200 results); the
papers give all methods the same results.
"""

from collections.abc import Iterator
from dataclasses import replace

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.evaluation import evaluate
from querykin.measures import Measure
from querykin.measures.expansion_measure import ExpansionMeasure
from reproduce import data
from reproduce.cached_scores import scores_of
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import VERDICTS, clear, difference
from reproduce.published import PublishedOrdering

SETS = ("uqv100", "neuqs QR", "trec_tasks", "patent")
PAIRS = {
    ("dense-prob", "web-kernel-paper"): (30, 200),
    ("web-relevance", "web-kernel-paper"): (20, 200),
    ("web-relevance", "dense-prob"): (20, 200),
}
# Yih & Meek's table 2, AUC.
PRINTED = {"dense-prob": ".691", "web-kernel-paper": ".664", "web-relevance": ".703"}
METRICS = {"auc": "AUC", "mean_auc": "mean AUC", "p@1": "P@1"}


def at(workspace: Workspace, name: str, results: int) -> Measure:
    """A measure with a number of results; language models smooth with the corpus, not with an index."""
    measure = workspace.measure(name)
    assert isinstance(measure, ExpansionMeasure)
    return replace(measure, results=results)


def scores_at(workspace: Workspace, judged: JudgedSet, name: str, results: int) -> Float64Array:
    """The scores of a set by a measure with a number of results."""
    return scores_of(at(workspace, name, results), judged)


def report(workspace: Workspace) -> str:
    """Every pair at every number of results on every set."""
    rows = []
    for judged in read_sets(SETS):
        for higher, lower, results in _compared():
            pair = {each: scores_at(workspace, judged, each, results) for each in (higher, lower)}
            found = evaluate(judged.judged, pair, judged.relevant, lower, [])
            cells = []
            for metric in METRICS:
                ours = difference(metric, higher, lower, found, judged, pair)
                values = (number(found.result(each).metrics.values[metric]) for each in (higher, lower))
                cells += [" / ".join(values), interval(ours), VERDICTS[clear(ours)]]
            rows.append([judged.name, f"{higher} - {lower}", str(results), *cells])
            print("  " + " | ".join(rows[-1]), flush=True)
    header = [cell for title in METRICS.values() for cell in (title, "difference", "verdict")]
    return table(["set", "measures", "results", *header], rows)


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """Yih & Meek's orderings by AUC, for the page on what reproduces."""
    found = []
    for judged in read_sets(SETS):
        for higher, lower, results in _compared():
            pair = {each: scores_at(workspace, judged, each, results) for each in (higher, lower)}
            ours = difference(
                "auc", higher, lower, evaluate(judged.judged, pair, judged.relevant, lower, []), judged, pair
            )
            subject = f"`{higher}` above `{lower}` in AUC"
            printed = f"{PRINTED[higher]}, {PRINTED[lower]}"
            on = f"{judged.name}, {results} results each"
            found.append(PublishedOrdering("Yih & Meek 2007, table 2", subject, printed, on, ours))
    return found


def _compared() -> Iterator[tuple[str, str, int]]:
    for (higher, lower), depths in PAIRS.items():
        for results in depths:
            yield higher, lower, results


if __name__ == "__main__":
    data.show(report)
