"""A keyword extractor from documents with gold keywords, reported on by documents that it has not seen."""

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
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.text.tokenizer import tokenize
from querykin.weighting.term_features import FIELDS, TermFeatureReader, TermTable

FOLDS = 10
DEPTHS = (5, 10)  # keywords of a document that are looked at
_ROUNDS = 1000  # of the optimiser, at most
_DIGITS = 6  # of a weight that are kept


@dataclass(frozen=True)
class KeywordTrainingData:
    """Candidate words of documents, all but function words, and which of them are keywords."""

    reader: TermFeatureReader
    terms: TermTable
    gold: tuple[frozenset[int], ...]  # the stems of each document's keywords, in the document or not
    features: tuple[str, ...] = FEATURES  # the bias first

    @classmethod
    def of(cls, workspace: TrainingResources, documents: Sequence[GoldDocument]) -> "KeywordTrainingData":
        """The words of documents; one that holds none of its keywords, or nothing else, teaches nothing."""
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
        return np.concatenate([np.zeros(0, np.bool_), *map(_among, words, self.gold)])

    @cached_property
    def _table(self) -> Float64Array:
        return word_features(self.reader, self.terms, self.features)

    def by_document(self, values: Any) -> list[Any]:
        """Values of all words, cut into those of each document."""
        return np.split(values, self.terms.indptr[1:-1]) if self.gold else []

    def learn(self, rows: BoolArray) -> dict[str, Any]:
        """The content of a model learnt from these words: weights for everything that may be known."""
        known = set(known_case(self.reader).split())
        cases = [case for case in CASES if set(case.split()) <= known]
        return {"weights": {case: self._weights(rows, case) for case in cases}}

    def _weights(self, rows: BoolArray, case: str) -> dict[str, float]:
        """The weights of the features that a case has."""
        table, labels = self._table[rows], self.labels[rows]
        hidden = {name for source, names in SOURCES.items() if source not in case.split() for name in names}
        names = [name for name in self.features if name not in hidden]
        shown = table[:, [self.features.index(name) for name in names]]
        fields = [place for place, name in enumerate(names) if name in FIELDS]
        if shown[:, fields].any():  # once more without them: a page that lacks a title is judged well too
            bare = shown.copy()
            bare[:, fields] = 0
            shown, labels = np.concatenate([shown, bare]), np.concatenate([labels, labels])
        found = zip(names, fit(shown, labels).tolist(), strict=True)
        return {name: float(f"{weight:.{_DIGITS}g}") for name, weight in found if weight}

    def cross_validate(self) -> list[Quality]:
        """The quality of keywords by extractors that have not seen the document."""
        folds = group_folds(self.terms.owners, min(FOLDS, len(self.gold)))
        odds = np.zeros(len(folds))
        for fold in range(int(folds.max()) + 1):
            held_out, weights = folds == fold, self._weights(folds != fold, known_case(self.reader))
            columns = [self.features.index(name) for name in weights]
            odds[held_out] = self._table[held_out][:, columns] @ np.array(list(weights.values()))
        return [quality(ranked(self.terms, odds), self.gold, k) for k in DEPTHS]


def ranked(terms: TermTable, scores: Float64Array) -> list[list[int]]:
    """The stems of each text, the one with the highest score first."""
    order = np.lexsort((-scores, terms.owners))
    return [some.tolist() for some in np.split(terms.terms[order], terms.indptr[1:-1])]


def gold_stems(reader: TermFeatureReader, keywords: Sequence[str]) -> frozenset[int]:
    """The stems of all words of keywords but function words: a word of a key phrase is a keyword."""
    tokens = tokenize(["\n".join(keywords)])
    numbers = enumerate(reader.stem_ids(tokens).tolist())
    return frozenset(number for token, number in numbers if tokens.word(token) not in ENGLISH_STOP_WORDS)


def _among(words: Any, gold: frozenset[int]) -> BoolArray:
    return np.isin(words, np.array(sorted(gold), np.int64))


def fit(table: Float64Array, labels: BoolArray) -> Float64Array:
    """Weights of features by logistic regression, the bias first; a column that never differs gets 0."""
    used = np.flatnonzero(np.ptp(table, axis=0) > 0)
    centre, scale = table[:, used].mean(axis=0), table[:, used].std(axis=0)
    learnt = LogisticRegression(max_iter=_ROUNDS).fit((table[:, used] - centre) / scale, labels)
    weights = np.zeros(table.shape[1])
    weights[used] = learnt.coef_[0] / scale
    weights[0] = float(learnt.intercept_[0]) - float(weights[used] @ centre)
    return weights


def train_keywords(workspace: TrainingResources, file: str, name: str, report: Report) -> Model:
    """Learn an extractor from a file and keep it under a name; an error leaves everything as it was."""
    if name in measures:
        raise InputError(
            f"{name!r} is a measure; give the extractor a --name of its own, as in --name {MODEL}"
        )
    workspace.models.check_new(name, "keywords")
    training_data = KeywordTrainingData.of(workspace, read_gold(file, report))
    model = learnt(training_data, name, Path(file).name)
    workspace.save_model(model)
    return model


def learnt(training_data: KeywordTrainingData, name: str, file: str) -> Model:
    """An extractor learnt from all documents of a lesson, with what it is worth on documents held out."""
    if len(training_data.gold) < 2:
        raise InputError(
            f"learning needs at least two documents that hold some of their keywords and other words too, "
            f"got {len(training_data.gold)}"
        )
    labels = training_data.labels
    facts = {
        "file": file,
        "documents": len(training_data.gold),
        "words": len(labels),
        "keywords": int(labels.sum()),
        "known": known_case(training_data.reader),
        "folds": min(FOLDS, len(training_data.gold)),
        "report": [asdict(found) for found in training_data.cross_validate()],
    }
    return Model("keywords", name, training_data.learn(np.ones(len(labels), np.bool_)), facts)
