"""The baseline of Alfonseca et al. (2009), a web kernel over short snippets: `python -m reproduce.short_snippets`.

Sahami & Heilman (2006) cut windows of 1,000 characters out of the results; Alfonseca et al. took the snippets that a search
engine shows, about 160 characters.
"""

from dataclasses import replace
from itertools import product

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.evaluation import evaluate
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.search.expansion import WINDOW, Expander
from reproduce import data
from reproduce.cached_scores import scores_of
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import VERDICTS, clear, difference
from reproduce.published import PublishedOrdering

SETS = ("uqv100", "neuqs QR", "bird")
SNIPPET = 160  # characters
LONG, SHORT = f"{WINDOW} characters", f"{SNIPPET} characters"
MEASURES = ("web-kernel-paper", "web-kernel")
DISTRIBUTIONAL = ("distributional", "distributional-ngrams")
PRINTED = {
    "map": {"web-kernel-paper": ".49", "distributional": ".57", "distributional-ngrams": ".71"},
    "p@1": {"web-kernel-paper": ".39", "distributional": ".47", "distributional-ngrams": ".70"},
}
COMPARED = {"auc": "AUC", "map": "mAP", "p@1": "P@1"}


def windows_of(measure: ExpansionMeasure, characters: int) -> ExpansionMeasure:
    """The measure over windows of another length."""
    known = measure.expander
    return replace(measure, expander=Expander(known.corpus, known.engine, characters, known.idf_coverage))


def scores(workspace: Workspace, judged: JudgedSet, name: str) -> dict[str, Float64Array]:
    """Scores of a measure over long and over short windows."""
    measure = workspace.measure(name)
    assert isinstance(measure, ExpansionMeasure)
    return {
        LONG: scores_of(measure, judged),
        SHORT: scores_of(windows_of(measure, SNIPPET), judged),
    }


def report(workspace: Workspace) -> str:
    """Both windows on every set."""
    rows = []
    for judged in read_sets(SETS):
        for name in MEASURES:
            both = scores(workspace, judged, name)
            found = evaluate(judged.judged, both, judged.relevant, LONG, [])
            cells = []
            for metric in COMPARED:
                values = [number(found.result(each).metrics.values[metric]) for each in both]
                ours = difference(metric, SHORT, LONG, found, judged, both)
                cells += [" / ".join(values), f"{interval(ours)}, {VERDICTS[clear(ours)]}"]
            rows.append([judged.name, name, *cells])
            print("  " + " | ".join(rows[-1]), flush=True)
    header = [
        cell for each in COMPARED.values() for cell in (f"{each}: {WINDOW} / {SNIPPET}", "short above long")
    ]
    return table(["set", "measure", *header], rows)


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """N-grams above unigrams above the web kernel over short snippets, by mAP and P@1."""
    orders = [DISTRIBUTIONAL[::-1], (DISTRIBUTIONAL[0], MEASURES[0]), (DISTRIBUTIONAL[1], MEASURES[0])]
    found = []
    for judged in read_sets(SETS):
        every = {MEASURES[0]: scores(workspace, judged, MEASURES[0])[SHORT]}
        every |= {name: scores_of(workspace.measure(name), judged) for name in DISTRIBUTIONAL}
        figures = evaluate(judged.judged, every, judged.relevant, MEASURES[0], [])
        for (metric, printed_figures), (higher, lower) in product(PRINTED.items(), orders):
            ours = difference(metric, higher, lower, figures, judged, every)
            subject = f"`{higher}` above `{lower}` in {COMPARED[metric]}"
            printed = f"{printed_figures[higher]}, {printed_figures[lower]}"
            on = f"{judged.name}, snippets of {SNIPPET} characters"
            found.append(PublishedOrdering("Alfonseca et al. 2009, table 3", subject, printed, on, ours))
    return found


if __name__ == "__main__":
    data.show(report)
