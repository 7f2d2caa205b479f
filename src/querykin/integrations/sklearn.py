"""scikit-learn integration: a vectorizer of texts, and a kernel for support vector machines.

Both take a workspace, or the path of one, and the name of a measure. With a path, the workspace is opened
at every use, which takes milliseconds; a `Workspace` stays open and caches recent searches. Copies (clone,
pickle, joblib) reopen the folder, so it must exist, unchanged, where they are used.
"""

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError, WorkspaceError
from querykin.measures import VectorMeasure, measures
from querykin.workspace import Workspace

AnyWorkspace = Workspace | str | PathLike[str]


class QueryVectorizer(TransformerMixin, BaseEstimator):
    """Transforms short texts into the sparse rows of a measure, as input for any scikit-learn model.

    `fit` learns the columns: the features (words, stems or documents) of the training texts. `transform`
    ignores features that no training text has; a text that is not covered has an empty row.

    >>> from querykin import Document, Workspace
    >>> workspace = Workspace.open(getfixture("tmp_path"))
    >>> change = workspace.corpus.add([
    ...     Document("1", "NASA", "NASA leads space exploration."),
    ...     Document("2", "Pie", "An apple pie is baked in the oven."),
    ... ])
    >>> vectorizer = QueryVectorizer(workspace.path).fit(["space", "apple pie"])
    >>> rows = vectorizer.transform(["nasa", "pie", "unheard of"])
    >>> rows.shape == (3, len(vectorizer.features_)), (rows.getnnz(axis=1) > 0).tolist()
    (True, [True, True, False])
    >>> sorted(vectorizer.get_feature_names_out()[rows[0].indices])
    ['exploration', 'leads', 'nasa', 'space']

    Attributes after `fit`: `features_` (feature ids of the columns), `examples_` (for each column, a training
    text that has the feature) and `space_` (the measure and the statistics behind the weights).
    """

    def __init__(self, workspace: AnyWorkspace, measure: str = "web-kernel") -> None:
        self.workspace = workspace
        self.measure = measure

    def fit(self, X: Iterable[str], y: Any = None) -> "QueryVectorizer":
        """Learn the columns from texts; `y` is ignored."""
        texts = _texts(X)
        rows = _measure(self.workspace, self.measure).encode_candidates(texts)
        self.features_, seen = np.unique(rows.features, return_index=True)
        owners = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))[seen]
        self.examples_ = np.array([texts[owner] for owner in owners], object)
        self.space_ = rows.space
        return self

    def transform(self, X: Iterable[str]) -> csr_matrix:
        """The rows of the texts over the learned columns."""
        check_is_fitted(self)
        rows = _measure(self.workspace, self.measure).encode_candidates(_texts(X))
        if rows.space != self.space_:
            raise WorkspaceError(
                f"the corpus or the measure has changed since fit: {rows.space!r} instead of "
                f"{self.space_!r}; fit again"
            )
        known = rows.select(np.isin(rows.features, self.features_))
        columns = np.searchsorted(self.features_, known.features).astype(np.int32)
        matrix = (known.weights, columns, known.indptr.astype(np.int32))
        return csr_matrix(matrix, shape=(len(known), len(self.features_)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns: words, or titles of documents."""
        check_is_fitted(self)
        measure = _measure(self.workspace, self.measure)
        names = np.empty(len(self.features_), object)
        for text in dict.fromkeys(self.examples_):
            columns = np.flatnonzero(self.examples_ == text)
            names[columns] = measure.label(self.features_[columns], [text])
        return names


class QueryKernel(BaseEstimator):
    """A measure as a kernel: K(X, Y) holds the score of every text of X with every text of Y.

    A callable for `SVC(kernel=...)` and similar estimators, which then take lists of texts. For others, pass
    `kernel(X, X)` as a precomputed matrix: `KernelRidge(kernel="precomputed")`,
    `SpectralClustering(affinity="precomputed")`.

    A text that is not covered scores 0 with all others and 1 with itself, which keeps the matrix positive
    semi-definite.

    >>> from querykin import Document, Workspace
    >>> workspace = Workspace.open(getfixture("tmp_path"))
    >>> change = workspace.corpus.add([
    ...     Document("1", "NASA", "NASA leads space exploration."),
    ...     Document("2", "Pie", "An apple pie is baked in the oven."),
    ... ])
    >>> kernel = QueryKernel(workspace.path)
    >>> kernel(["space", "unheard of"], ["nasa", "apple", "unheard of"]).round(1)
    array([[0.9, 0. , 0. ],
           [0. , 0. , 1. ]])
    """

    def __init__(self, workspace: AnyWorkspace, measure: str = "web-kernel") -> None:
        self.workspace = workspace
        self.measure = measure

    def __call__(self, X: Iterable[str], Y: Iterable[str] | None = None) -> Float64Array:
        """The scores of all texts of X with all of Y, or with each other if Y is not given."""
        measure = _measure(self.workspace, self.measure)
        if not measure.kernel:
            kernels = ", ".join(sorted(name for name in measures if measures[name].kind.kernel))
            raise InputError(f"measure {self.measure!r} is not a kernel; choose one of {kernels}")
        texts = _texts(X)
        others = texts if Y is None else _texts(Y)
        rows = measure.encode_candidates(texts).unit()
        other_rows = rows if Y is None else measure.encode_candidates(others).unit()
        gram = np.minimum(rows.gram(other_rows), 1.0)
        uncovered = np.ix_(~rows.covered, ~other_rows.covered)
        same = np.array(texts, object)[:, None] == np.array(others, object)
        gram[uncovered] = same[uncovered]
        return gram


def _measure(workspace: AnyWorkspace, name: str) -> VectorMeasure:
    opened = workspace if isinstance(workspace, Workspace) else Workspace.open(workspace)
    measure = opened.measure(name)
    if not isinstance(measure, VectorMeasure):
        raise InputError(f"measure {name!r} has no rows: it compares pairs only")
    return measure


def _texts(given: Iterable[str]) -> list[str]:
    if isinstance(given, str):
        raise InputError(f"a list of texts is needed, got one text: {given[:40]!r}")
    texts = list(given)
    invalid = next((text for text in texts if not isinstance(text, str)), None)
    if invalid is not None:
        raise InputError(f"texts must be strings, got {type(invalid).__name__}: {str(invalid)[:40]}")
    return texts
