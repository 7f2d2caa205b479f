"""Table 2 of Yih & Meek (2007), the static measures (`reproduce.learned` has the learned ones): `python -m reproduce.yih_meek_table2`."""

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import evaluate
from querykin.measures import measures
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.equal_settings import scores_at
from reproduce.judged import BASELINE
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import number, table
from reproduce.orderings import Ordering, by_metric, counted, listed, orderings
from reproduce.published import PublishedOrdering, of_table

SETS = ("trec_tasks", "neuqs QR")
EXPANDED = ("dense-prob", "web-kernel-paper", "web-relevance")
RESULTS = 30  # of each of these, so that they are compared at equal settings
METRICS = {"auc": "AUC", "p@1": "P@1", "p@3": "P@3", "p@5": "P@5"}
# By the names of our measures: KL in the paper is between expanded queries and candidates.
PRINTED = {
    "matching": (0.617, 0.633, 0.444, 0.368, 64.7),
    "dice": (0.627, 0.708, 0.456, 0.383, 64.7),
    "jaccard": (0.627, 0.708, 0.456, 0.383, 64.7),
    "overlap": (0.606, 0.442, 0.389, 0.352, 64.7),
    "cosine": (0.626, 0.708, 0.456, 0.373, 64.7),
    "dense-prob": (0.691, 0.617, 0.483, 0.413, 80.5),
    "web-kernel-paper": (0.664, 0.667, 0.436, 0.383, 82.4),
    "web-relevance": (0.703, 0.683, 0.508, 0.427, 83.3),
}
OTHERS = (
    DEFAULT_MEASURE,
    "sparse-prob",
    "web-kernel",
    "tfidf",
    "result-cosine",
    "idf-cosine",
    "jaccard-stems",
    "backoff",
    "static",
    "dense",
)


def report(workspace: Workspace) -> str:
    """One table per set, and which orderings of the paper hold on it."""
    return "\n\n".join(_on(workspace, judged) for judged in read_sets(SETS))


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """Measures over results against Jaccard and each other, and Jaccard against other measures of shared words.

    Dice ranks as Jaccard does, and cosine nearly; the AUC of measures over results is in `reproduce.equal_settings`.
    """
    names = [*EXPANDED, "jaccard", "matching", "overlap"]
    printed = by_metric(METRICS, {name: PRINTED[name] for name in names})
    found = []
    for judged in read_sets(SETS):
        scores = _scores(workspace, judged, names)
        figures = evaluate(judged.judged, scores, judged.relevant, "jaccard", [])
        some = filter(_is_listed, orderings(printed, figures, judged, scores))
        on = f"{judged.name}, {RESULTS} results each"
        found += of_table("Yih & Meek 2007, table 2", some, printed, METRICS, on)
    return found


def _is_listed(ordering: Ordering) -> bool:
    both = {ordering.higher, ordering.lower}
    return "jaccard" in both or (both < set(EXPANDED) and ordering.metric != "auc")


def _scores(workspace: Workspace, judged: JudgedSet, names: list[str]) -> dict[str, Float64Array]:
    scores = scores_by(workspace, [name for name in names if name not in EXPANDED], judged)
    return scores | {name: scores_at(workspace, judged, name, RESULTS) for name in EXPANDED}


def _on(workspace: Workspace, judged: JudgedSet) -> str:
    names = [*PRINTED, *(name for name in OTHERS if name in workspace.measures())]
    scores = _scores(workspace, judged, names)
    always = [name for name in names if measures[name].kind.always_scores]
    found = evaluate(judged.judged, scores, judged.relevant, BASELINE, always)
    rows = []
    for name in names:
        values = found.result(name).metrics.values
        printed = [*map(number, PRINTED[name][:4]), f"{PRINTED[name][4]}%"] if name in PRINTED else [""] * 5
        ours = [*(number(values[metric]) for metric in METRICS), f"{values['coverage']:.1%}"]
        rows.append([name, *(cell for pair in zip(printed, ours, strict=True) for cell in pair)])
    header = [f"{name} {whose}" for name in (*METRICS.values(), "covered") for whose in ("paper", "ours")]
    verdicts = orderings(by_metric(METRICS, PRINTED), found, judged, scores)
    return "\n\n".join(
        [
            f"### {judged.name}; {', '.join(EXPANDED)} over {RESULTS} results",
            table(["measure", *header], rows),
            counted(verdicts),
            "Hold:",
            listed(verdicts, "holds"),
            "Reversed:",
            listed(verdicts, "reversed"),
        ]
    )


if __name__ == "__main__":
    data.show(report)
