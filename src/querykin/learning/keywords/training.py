"""Training of keyword extractors on documents with gold keywords, with a cross-validated report."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.errors import InputError
from querykin.learning.cross_validation import group_folds
from querykin.learning.keywords.extraction import MODEL
from querykin.learning.keywords.extractor import CASES, FEATURES, SOURCES, known_case, word_features
from querykin.learning.keywords.gold_documents import GoldDocument, Report, read_gold
from querykin.learning.keywords.quality import Quality, quality
from querykin.learning.landing_pages.pages import all_terms
from querykin.learning.training_resources import TrainingResources
from querykin.measures import measures
from querykin.model_files import Model
from querykin.weighting.term_features import FIELDS, TermFeatureReader, TermTable

FOLDS = 10
DEPTHS = (5, 10)  # values of k of the reported precision, recall and F1
_MAX_ITERATIONS = 1000
_DIGITS = 6  # significant digits of a stored weight


@dataclass(frozen=True)
class KeywordTrainingData:
    """Candidate words of documents (all except stop words), each labeled as a keyword or not."""

    reader: TermFeatureReader
    terms: TermTable
    gold: tuple[frozenset[int], ...]  # stems of each document's keywords, also those not in its text
    features: tuple[str, ...] = FEATURES  # the bias comes first

    @classmethod
    def of(cls, workspace: TrainingResources, documents: Sequence[GoldDocument]) -> "KeywordTrainingData":
        """The words of documents; documents whose words are all keywords, or none of them, are left out."""
        reader = TermFeatureReader(workspace.corpus, workspace.query_frequencies)
        gold = tuple(gold_stems(reader, document.keywords) for document in documents)
        terms = all_terms(reader, [document.page for document in documents])
        training_data = cls(reader, terms.only(~np.isin(terms.terms, reader.function_words())), gold)
        pairs = zip(documents, training_data.by_document(training_data.labels), strict=True)
        useful = [document for document, labels in pairs if 0 < labels.sum() < len(labels)]
        return training_data if len(useful) == len(documents) else cls.of(workspace, useful)

    @cached_property
    def labels(self) -> BoolArray:
        """Which words are keywords of their documents."""
        words = self.by_document(self.terms.terms)
        return np.concatenate([np.zeros(0, np.bool_), *map(_is_gold, words, self.gold)])

    @cached_property
    def _table(self) -> Float64Array:
        return word_features(self.reader, self.terms, self.features)

    def by_document(self, values: Any) -> list[Any]:
        """Split values of all words by document."""
        return np.split(values, self.terms.indptr[1:-1]) if self.gold else []

    def learn(self, rows: BoolArray) -> dict[str, Any]:
        """Fit a model to these words only; its content has weights for each set of available sources."""
        known = set(known_case(self.reader).split())
        cases = [case for case in CASES if set(case.split()) <= known]
        return {"weights": {case: self._weights(rows, case) for case in cases}}

    def _weights(self, rows: BoolArray, case: str) -> dict[str, float]:
        """Nonzero weights of the features available in a case."""
        table, labels = self._table[rows], self.labels[rows]
        unavailable = {
            name for source, names in SOURCES.items() if source not in case.split() for name in names
        }
        names = [name for name in self.features if name not in unavailable]
        available = table[:, [self.features.index(name) for name in names]]
        fields = [column for column, name in enumerate(names) if name in FIELDS]
        if available[:, fields].any():  # each row again without field features, for pages that lack fields
            without_fields = available.copy()
            without_fields[:, fields] = 0
            available, labels = np.concatenate([available, without_fields]), np.concatenate([labels, labels])
        weights = zip(names, fit(available, labels).tolist(), strict=True)
        return {name: float(f"{weight:.{_DIGITS}g}") for name, weight in weights if weight}

    def cross_validate(self) -> list[Quality]:
        """Quality of the keywords of each document by an extractor fitted without its fold."""
        folds = group_folds(self.terms.owners, min(FOLDS, len(self.gold)))
        logits = np.zeros(len(folds))
        for fold in range(int(folds.max()) + 1):
            held_out, weights = folds == fold, self._weights(folds != fold, known_case(self.reader))
            columns = [self.features.index(name) for name in weights]
            logits[held_out] = self._table[held_out][:, columns] @ np.array(list(weights.values()))
        return [quality(ranked(self.terms, logits), self.gold, k) for k in DEPTHS]


def ranked(terms: TermTable, scores: Float64Array) -> list[list[int]]:
    """The stems of each text, highest score first."""
    order = np.lexsort((-scores, terms.owners))
    return [stems.tolist() for stems in np.split(terms.terms[order], terms.indptr[1:-1])]


def gold_stems(reader: TermFeatureReader, keywords: Sequence[str]) -> frozenset[int]:
    """Stems of the words of all keywords except stop words; each word of a key phrase is a keyword."""
    analyzer = reader.corpus.analyzer
    tokens = analyzer.tokenize(["\n".join(keywords)])
    stems = enumerate(reader.stem_ids(tokens).tolist())
    return frozenset(stem for token, stem in stems if tokens.word(token) not in analyzer.function_words)


def _is_gold(words: Any, gold: frozenset[int]) -> BoolArray:
    return np.isin(words, np.array(sorted(gold), np.int64))


def fit(table: Float64Array, labels: BoolArray) -> Float64Array:
    """Feature weights by logistic regression, the bias first; the weight of a constant feature is 0."""
    used = np.flatnonzero(np.ptp(table, axis=0) > 0)
    center, scale = table[:, used].mean(axis=0), table[:, used].std(axis=0)
    model = LogisticRegression(max_iter=_MAX_ITERATIONS).fit((table[:, used] - center) / scale, labels)
    weights = np.zeros(table.shape[1])
    weights[used] = model.coef_[0] / scale
    weights[0] = float(model.intercept_[0]) - float(weights[used] @ center)
    return weights


def train_keywords(workspace: TrainingResources, file: str, name: str, report: Report) -> Model:
    """Train an extractor on a file and store the model under a name; on an error nothing is stored."""
    if name in measures:
        raise InputError(
            f"{name!r} is a measure; choose another --name for the extractor, as in --name {MODEL}"
        )
    workspace.models.check_new(name, "keywords")
    training_data = KeywordTrainingData.of(workspace, read_gold(file, report))
    model = train_extractor(training_data, name, Path(file).name)
    workspace.save_model(model)
    return model


def train_extractor(training_data: KeywordTrainingData, name: str, file: str) -> Model:
    """An extractor trained on all documents, with its cross-validated quality in the training report."""
    if len(training_data.gold) < 2:
        raise InputError(
            "training needs at least two documents that contain some of their keywords and also other words, "
            f"got {len(training_data.gold)}"
        )
    labels = training_data.labels
    metadata = {
        "file": file,
        "documents": len(training_data.gold),
        "words": len(labels),
        "keywords": int(labels.sum()),
        "known": known_case(training_data.reader),
        "folds": min(FOLDS, len(training_data.gold)),
        "report": [asdict(result) for result in training_data.cross_validate()],
    }
    return Model("keywords", name, training_data.learn(np.ones(len(labels), np.bool_)), metadata)
