"""The number of results in a language model: `python -m reproduce.language_models`."""

from dataclasses import replace

from querykin import Workspace
from querykin.measures.language_model import LanguageModel
from reproduce import data
from reproduce.judged_sets import auc, read_sets
from reproduce.markdown import number, table

RESULTS = (200, 100, 50, 30)


def report(workspace: Workspace) -> str:
    """AUC of both language models on the judged sets, by the number of results."""
    sets = read_sets()
    rows = []
    for name in ("dense-prob", "sparse-prob"):
        for results in RESULTS:
            measure = workspace.measure(name)
            assert isinstance(measure, LanguageModel)
            used = replace(measure, results=results, find_collection=None)
            scores = [auc(judged.labels, used.score_pairs(judged.left, judged.right)) for judged in sets]
            rows.append([name, str(results), *map(number, scores)])
            print(" | ".join(rows[-1]), flush=True)
    return table(["measure", "results", *(judged.name for judged in sets)], rows)


if __name__ == "__main__":
    data.show(report)
