"""The kernel in other learners, future work of Sahami & Heilman (2006): `python -m reproduce.classification`.

Search snippets in eight topics. A support vector machine and spectral clustering receive the scores of a measure as the
kernel matrix; nothing else differs between the measures. A pair without a score has similarity 0.
"""

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.svm import SVC

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation.significance import Interval, compare
from querykin.io.tables import as_text, read_table
from querykin.measures import Measure, VectorMeasure
from querykin.measures.hybrid import HybridMeasure
from reproduce import data
from reproduce.markdown import interval, number, table

MEASURES = (DEFAULT_MEASURE, "web-kernel", "web-kernel-paper", "idf-cosine", "static", "dense")
BASELINE = "idf-cosine"
DRAWS = 3  # samples, each with its own test snippets
TRAIN_PER_CLASS = (5, 20, 80)
TEST_PER_CLASS = 80
SEED = 2008
C = 1.0  # scikit-learn's default; not tuned for any measure


def snippets() -> tuple[list[str], Int64Array]:
    """The snippets and the numbers of their topics."""
    rows = list(read_table(str(data.labelled_file("snippets")), ["class_id", "snippet"]).rows)
    classes = np.array([int(as_text(row["class_id"])) for row in rows], np.int64)
    return [as_text(row["snippet"]) for row in rows], classes


def drawn(classes: Int64Array, draw: int) -> Int64Array:
    """Snippets of one sample: as many of each topic, those for training first within a topic."""
    rng = np.random.default_rng(SEED + draw)
    size = max(TRAIN_PER_CLASS) + TEST_PER_CLASS
    return np.stack([rng.permutation(np.flatnonzero(classes == each))[:size] for each in np.unique(classes)])


def gram(measure: Measure, texts: list[str]) -> Float64Array:
    """The kernel matrix of texts: cosines of rows, 0 where a text is not covered; for a hybrid the sum of its parts."""
    if isinstance(measure, HybridMeasure):
        weights = measure.weights.weights(texts)
        parts = {column: gram(part, texts) for column, part in measure.parts.items()}
        return measure.combine(weights[:, None], weights[None], parts)
    assert isinstance(measure, VectorMeasure)
    rows = measure.encode_candidates(texts)
    norms = rows.norms()
    scale = np.divide(1.0, norms, out=np.zeros(len(norms)), where=norms > 0)
    found: Float64Array = rows.gram(rows) * scale[:, None] * scale
    return found


def report(workspace: Workspace) -> str:
    """Accuracy by number of training snippets, and clusters of the test snippets."""
    texts, classes = snippets()
    correct: dict[str, dict[int, list[BoolArray]]] = {name: {} for name in MEASURES}
    clusters: dict[str, list[tuple[float, float]]] = {name: [] for name in MEASURES}
    for draw in range(DRAWS):
        chosen = drawn(classes, draw)
        for name in MEASURES:
            kernel = gram(workspace.measure(name), [texts[place] for place in chosen.ravel()])
            for size in TRAIN_PER_CLASS:
                found = classify(kernel, classes[chosen], size)
                correct[name].setdefault(size, []).append(found)
            clusters[name].append(cluster(kernel, classes[chosen]))
            print(f"  draw {draw + 1} of {DRAWS}: {name}", flush=True)
    return "\n\n".join([_accuracies(correct), _clusters(clusters)])


def classify(kernel: Float64Array, classes: Int64Array, size: int) -> BoolArray:
    """Which test snippets a support vector machine with so many training snippets of each topic gets right."""
    places = np.arange(classes.size).reshape(classes.shape)
    train, test = places[:, :size].ravel(), places[:, -TEST_PER_CLASS:].ravel()
    flat = classes.ravel()
    machine = SVC(C=C, kernel="precomputed").fit(kernel[np.ix_(train, train)], flat[train])
    right: BoolArray = machine.predict(kernel[np.ix_(test, train)]) == flat[test]
    return right


def cluster(kernel: Float64Array, classes: Int64Array) -> tuple[float, float]:
    """Adjusted Rand index and normalized mutual information of as many clusters as there are topics."""
    test = np.arange(classes.size).reshape(classes.shape)[:, -TEST_PER_CLASS:].ravel()
    affinity = np.maximum(kernel[np.ix_(test, test)], 0.0)
    found = SpectralClustering(len(classes), affinity="precomputed", random_state=SEED).fit_predict(affinity)
    wanted = classes.ravel()[test]
    return float(adjusted_rand_score(wanted, found)), float(normalized_mutual_info_score(wanted, found))


def _accuracies(correct: dict[str, dict[int, list[BoolArray]]]) -> str:
    rows = []
    for name, by_size in correct.items():
        cells = []
        for size, draws in by_size.items():
            right = np.concatenate(draws).astype(np.float64)
            others = np.concatenate(correct[BASELINE][size]).astype(np.float64)
            apart: Interval | None = compare(right, others).interval if name != BASELINE else None
            cells += [number(float(right.mean())), interval(apart)]
        rows.append([name, *cells])
    sizes = [cell for size in TRAIN_PER_CLASS for cell in (f"{size} a topic", f"against {BASELINE}")]
    title = f"Accuracy on {TEST_PER_CLASS} snippets of each topic in {DRAWS} draws, by the number of training snippets:"
    return f"{title}\n\n{table(['kernel', *sizes], rows)}"


def _clusters(clusters: dict[str, list[tuple[float, float]]]) -> str:
    rows = [[name, *map(number, np.mean(draws, axis=0).tolist())] for name, draws in clusters.items()]
    header = ["kernel", "adjusted Rand index", "normalized mutual information"]
    return (
        f"Spectral clustering of the same snippets into as many clusters as topics:\n\n{table(header, rows)}"
    )


if __name__ == "__main__":
    data.show(report)
