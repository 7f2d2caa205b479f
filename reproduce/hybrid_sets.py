"""The judged sets on which the hybrid measures are studied, each with a corpus, a metric and a family of similar sets."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.evaluation import metrics
from querykin.evaluation.ranked_groups import rank
from querykin.io.documents import read_documents
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.tables import as_text, read_table
from querykin.io.text_column import TextColumn
from reproduce import data
from reproduce.chorus import catalogue, judged_products
from reproduce.judged_sets import JudgedSet, auc, read_set

ENCYCLOPEDIAS = {
    "uqv100": ("auc", "variations of a query"),
    "neuqs QR": ("mean_auc", "suggestions"),
    "neuqs QAC": ("mean_auc", "suggestions"),
    "trec_tasks": ("mean_auc", "suggestions"),
    "patent": ("mean_auc", "phrases"),
    "bird": ("spearman", "phrases"),
    "factoid": ("mean_auc", "answers"),
    "dbpedia": ("mean_auc", "entities"),
}
METRICS = {"auc": "AUC", "mean_auc": "mean AUC", "spearman": "Spearman"}
SNIPPETS = 300  # drawn at random, each paired with others
OTHERS, OF_THE_CLASS = 16, 4  # partners of a snippet: any, and of its own class


@dataclass(frozen=True)
class StudiedSet:
    """Judged pairs, the workspace whose corpus they are scored with, and the metric they are judged by."""

    judged: JudgedSet
    workspace: Workspace
    metric: str
    family: str  # sets of a family are left out together

    @property
    def name(self) -> str:
        """The name of the judged set."""
        return self.judged.name

    def value(self, scores: Float64Array) -> float:
        """The metric of scores."""
        if self.metric == "auc":
            return auc(self.judged.labels, scores)
        if self.metric == "spearman":
            return metrics.spearman(scores, self.judged.judged.grades)
        return metrics.mean(self.group_values(scores))

    def group_values(self, scores: Float64Array) -> Float64Array:
        """The AUC of each group."""
        judged = self.judged.judged
        return metrics.group_auc(rank(scores, judged.grades, judged.groups.ids, self.judged.relevant))


def studied_sets(encyclopedias: Workspace) -> Iterator[StudiedSet]:
    """All sets, one after another."""
    for name in ENCYCLOPEDIAS:
        yield encyclopedia_set(name, encyclopedias)
    yield StudiedSet(judged_products(), catalogue(), "mean_auc", "products")
    yield from package_sets()
    yield StudiedSet(judged_sentences(), encyclopedias, "spearman", "sentences")
    yield StudiedSet(paired_snippets(), encyclopedias, "auc", "snippets")


def encyclopedia_set(name: str, encyclopedias: Workspace) -> StudiedSet:
    """One of the sets that are scored with both encyclopedias."""
    return StudiedSet(read_set(name), encyclopedias, *ENCYCLOPEDIAS[name])


def package_sets() -> list[StudiedSet]:
    """Names of programs, judged by links between packages and by their tags."""
    opened = package_descriptions()
    names = "debian links", "debian tags"
    return [StudiedSet(read_set(name), opened, "mean_auc", "names of programs") for name in names]


def package_descriptions() -> Workspace:
    """A workspace whose corpus is the descriptions of Debian packages, built once."""
    opened = Workspace.open(data.cache_folder() / data.PACKAGES)
    if not len(opened.corpus):
        opened.corpus.add(read_documents([data.corpus_file(data.PACKAGES)], print))
    return opened.reopen()


def judged_sentences() -> JudgedSet:
    """The pairs of the STS benchmark outside of its training part; each is a group of its own."""
    rows = list(read_table(str(data.labelled_file("stsb")), ["split", "text1", "text2", "score_0_5"]).rows)
    rows = [row for row in rows if row["split"] != "train"]
    first, second = (TextColumn(as_text(row[name]) for row in rows) for name in ("text1", "text2"))
    grades = np.array([float(as_text(row["score_0_5"])) for row in rows])
    return JudgedSet("stsb", JudgedPairs(first, second, grades, TextColumn(map(str, range(len(rows))))), 3)


def paired_snippets(seed: int = 0) -> JudgedSet:
    """Search snippets with others, relevant where both are of one class; a snippet is a group."""
    rows = list(read_table(str(data.labelled_file("snippets")), ["class_id", "snippet"]).rows)
    texts = [as_text(row["snippet"]) for row in rows]
    classes = np.array([int(as_text(row["class_id"])) for row in rows])
    rng, pairs = np.random.default_rng(seed), []
    for snippet in rng.choice(len(texts), SNIPPETS, replace=False):
        same = np.flatnonzero(classes == classes[snippet])
        drawn = [
            *rng.choice(len(texts), OTHERS, replace=False),
            *rng.choice(same, OF_THE_CLASS, replace=False),
        ]
        pairs += [(snippet, other) for other in drawn if other != snippet]
    left, right = np.array(pairs).T
    queries, candidates = (TextColumn(texts[row] for row in side) for side in (left, right))
    grades = (classes[left] == classes[right]).astype(np.float64)
    return JudgedSet("snippets", JudgedPairs(queries, candidates, grades, queries), 1)
