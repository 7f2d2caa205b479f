"""Every measure on every judged set: `python -m reproduce.judged`."""

from querykin import Workspace
from querykin.evaluation import Evaluation, evaluate
from querykin.measures import measures
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table

SETS = ("uqv100", "neuqs QR", "neuqs QAC", "trec_tasks", "patent", "bird", "factoid", "dbpedia")
BASELINE = "jaccard-stems"
TRAINED_HERE = ("tweak",)  # its weights were trained on some of these pairs: see `reproduce.tweak`
EMBEDS_DOCUMENTS = ("web-kernel-dense",)  # embeds the documents that texts find by a network: slow
COLUMNS = {
    "auc": "AUC",
    "mean_auc": "mean AUC",
    "map": "MAP",
    "p@1": "P@1",
    "p@3": "P@3",
    "spearman": "Spearman",
}


def evaluation(
    workspace: Workspace, judged: JudgedSet, names: list[str], baseline: str = BASELINE
) -> Evaluation:
    """Metrics of measures on a set, each compared with the baseline."""
    always = [name for name in names if measures[name].kind.always_scores]
    scores = scores_by(workspace, names, judged)
    return evaluate(judged.judged, scores, judged.relevant, baseline, always)


def report(workspace: Workspace) -> str:
    """One table per set."""
    names = static_measures(workspace)
    return "\n\n".join(_table(workspace, judged, names) for judged in read_sets(SETS))


def static_measures(workspace: Workspace) -> list[str]:
    """The available measures, the default first."""
    return [name for name in workspace.measures() if name not in (*TRAINED_HERE, *EMBEDS_DOCUMENTS)]


def _table(workspace: Workspace, judged: JudgedSet, names: list[str]) -> str:
    found = evaluation(workspace, judged, names)
    header = [
        "measure",
        *COLUMNS.values(),
        "covered",
        "AUC against jaccard-stems",
        "mean AUC against jaccard-stems",
    ]
    best_first = sorted(found.results, key=lambda result: -result.metrics.values["mean_auc"])
    rows = [
        [
            result.measure,
            *(number(result.metrics.values[name]) for name in COLUMNS),
            f"{result.metrics.values['coverage']:.1%}",
            *(
                interval(result.differences[name].interval if name in result.differences else None)
                for name in ("auc", "mean_auc")
            ),
        ]
        for result in best_first
    ]
    title = f"### {judged.name}: {found.pairs:,} pairs, {found.groups:,} groups, {found.usable_groups:,} of them with both classes"
    return f"{title}\n\n{table(header, rows)}"


if __name__ == "__main__":
    data.show(report)
