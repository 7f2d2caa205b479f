"""The baseline of Alfonseca et al. (2009), a web kernel over short snippets: `python -m reproduce.short_snippets`.

Sahami & Heilman (2006) cut windows of 1,000 characters out of the results; Alfonseca et al. took the snippets that a search
engine shows, about 160 characters.
"""

from dataclasses import replace

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.evaluation import evaluate
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.search.expansion import WINDOW, Expander
from reproduce import data
from reproduce.cached_scores import scores_of
from reproduce.cooccurrence import COLUMNS, PUBLISHED
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import VERDICTS, by_metric, clear, difference, orderings
from reproduce.published import PublishedOrdering, of_table

SETS = ("uqv100", "neuqs QR", "bird")
SNIPPET = 160  # characters
LONG, SHORT = f"{WINDOW} characters", f"{SNIPPET} characters"
MEASURES = ("web-kernel-paper", "web-kernel")
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
    """N-grams above unigrams above the web kernel over short snippets."""
    kernel, *distributional = PUBLISHED
    printed = by_metric(COLUMNS, PUBLISHED)
    found = []
    for judged in read_sets(SETS):
        every = {kernel: scores(workspace, judged, kernel)[SHORT]}
        every |= {name: scores_of(workspace.measure(name), judged) for name in distributional}
        figures = evaluate(judged.judged, every, judged.relevant, kernel, [])
        ours = orderings(printed, figures, judged, every)
        on = f"{judged.name}, snippets of {SNIPPET} characters"
        found += of_table("Alfonseca et al. 2009, table 3", ours, printed, COLUMNS, on, digits=2)
    return found


if __name__ == "__main__":
    data.show(report)
