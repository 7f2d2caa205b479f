"""The keyword extractor after Yih, Goodman & Carvalho (2006) compared with YAKE, on sets not used in training.

`python -m reproduce.keywords`
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np

from querykin import Document, Workspace
from querykin.evaluation.significance import compare
from querykin.io.documents import open_text
from querykin.learning.keywords.extraction import extract, page_of
from querykin.learning.keywords.extractor import CASES, FEATURES, MEANINGS, SOURCES, Extractor
from querykin.learning.keywords.gold_documents import GoldDocument
from querykin.learning.keywords.quality import hits, quality
from querykin.learning.keywords.training import KeywordTrainingData, gold_stems, ranked, train_extractor
from querykin.learning.landing_pages.pages import all_terms
from querykin.model_files import Model
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.text.tokenizer import tokenize, words
from querykin.weighting.term_features import FIELDS, TermFeatureReader
from reproduce import data
from reproduce.markdown import interval, number, table

TRAINED_ON = ("500n_kpcrowd", "inspec")
JUDGED_ON = ("semeval2017", "www", "kdd")
DEPTHS = (5, 10)
GROUPS = {
    "document frequency": SOURCES["documents"],
    "query frequency": SOURCES["queries"],
    "term frequency": ("log tf", "tf"),
    "place in the text": ("log position", "position"),
    "place in the sentence, its length": (
        "log sentence position",
        "sentence position",
        "log sentence length",
    ),
    "capital": ("capitalized",),
    "number": ("number",),
    "title": FIELDS,
    "length of the text": ("log length",),
}
_TITLE = re.compile(r"(.*?(?:\n\t.*?)*)\n(?!\t)", re.DOTALL)  # continuation lines of Inspec start with a tab
Stems = tuple[int, ...]
GoldSet = tuple[list[Document], list[list[str]]]


def read(name: str) -> GoldSet:
    """The documents of a set that have more than a title, and their gold keywords."""
    rows = [json.loads(line) for line in open_text(str(data.labelled_file(name)))]
    rows = [row for row in rows if not row["title_only"] and any(map(words, row["keywords"]))]
    return [_document(row["id"], row["text"], name in TRAINED_ON) for row in rows], [
        row["keywords"] for row in rows
    ]


def _document(name: str, text: str, titled: bool) -> Document:
    """In the training sets the title is a separate line."""
    title = _TITLE.match(text) if titled else None
    return (
        Document(name, " ".join(title[1].split()), text[title.end() :]) if title else Document(name, "", text)
    )


def training_data(workspace: Workspace) -> KeywordTrainingData:
    """The training data of the shipped extractor."""
    sets = [read(name) for name in TRAINED_ON]
    gold = [
        GoldDocument(page_of(document), tuple(keywords))
        for documents, all_gold in sets
        for document, keywords in zip(documents, all_gold, strict=True)
    ]
    return KeywordTrainingData.of(workspace, gold)


def shipped(workspace: Workspace) -> Model:
    """The extractor trained on all training sets."""
    return train_extractor(training_data(workspace), "keywords", ", ".join(TRAINED_ON))


def report(workspace: Workspace) -> str:
    """The shipped extractor, and its quality compared with others."""
    model = workspace.model("keywords")
    facts = model.training
    held_out = "; ".join(
        f"first {found['k']}: precision {number(found['precision'])}, recall {number(found['recall'])}, "
        f"F1 {number(found['f1'])}"
        for found in facts["report"]
    )
    return "\n\n".join(
        [
            f"Trained on {' and '.join(TRAINED_ON)}: {facts['documents']:,} documents, {facts['words']:,} candidate words, "
            f"{facts['keywords']:,} of them keywords; {facts['folds']}-fold cross-validation over documents: {held_out}.",
            _weights(model),
            *(_beside(workspace, name) for name in JUDGED_ON),
            _ablation(workspace),
            _unknown(workspace),
        ]
    )


def _weights(model: Model) -> str:
    cases = model.content["weights"]
    names = {
        "documents queries": "all known",
        "documents": "no queries",
        "queries": "no documents",
        "": "neither",
    }
    header = ["feature of a word", *(names[case] for case in cases), "meaning"]
    rows = [
        [
            feature,
            *(f"{weights[feature]:+.3f}" if feature in weights else "" for weights in cases.values()),
            MEANINGS[feature],
        ]
        for feature in next(iter(cases.values()))
    ]
    return table(header, rows)


def _beside(workspace: Workspace, name: str) -> str:
    """One set: single words, then phrases."""
    documents, gold = read(name)
    print(f"  {name}", flush=True)
    read_stems = partial(_stems, _reader(workspace))
    with TemporaryDirectory() as folder:
        empty = Workspace.open(folder)
        single = {
            "querykin keywords": _ours(workspace, documents),
            "querykin keywords, empty workspace": _ours(empty, documents),
            **_yake(documents, 1, "YAKE, single words"),
            **_yake(documents, 3, "YAKE, the words of its phrases"),
        }
        phrases = {
            "querykin keywords --phrases": _ours(workspace, documents, phrases=True),
            "querykin keywords --phrases, empty workspace": _ours(empty, documents, phrases=True),
            **_yake(documents, 2, "YAKE, phrases of up to 2 words"),
            **_yake(documents, 3, "YAKE, phrases of up to 3 words"),
        }
    found = {method: [_words(read_stems, some) for some in ranking] for method, ranking in single.items()}
    whole = {method: [_phrases(read_stems, some) for some in ranking] for method, ranking in phrases.items()}
    found["tf idf"] = [[(stem,) for stem in some] for some in _tf_idf(workspace, documents)]
    return "\n\n".join(
        [
            f"### {name}: {len(documents):,} documents",
            "Words, against the stems of all words of the gold phrases:",
            _table(found, [set(_words(read_stems, some)) for some in gold]),
            "Phrases, against the whole gold phrases, by stems:",
            _table(whole, [set(_phrases(read_stems, some)) for some in gold]),
        ]
    )


def _stems(reader: TermFeatureReader, phrase: str) -> Stems:
    return tuple(reader.stem_ids(tokenize([phrase])).tolist())


def _phrases(read_stems: Callable[[str], Stems], ranking: Sequence[str]) -> list[Stems]:
    """Distinct phrases as tuples of stems."""
    return [found for found in dict.fromkeys(map(read_stems, ranking)) if found]


def _words(read_stems: Callable[[str], Stems], ranking: Sequence[str]) -> list[Stems]:
    """Distinct words of phrases as stems, without stop words, in the order of the phrases."""
    return _phrases(
        read_stems, [word for phrase in ranking for word in words(phrase) if word not in ENGLISH_STOP_WORDS]
    )


def _table(found: dict[str, list[list[Stems]]], gold: list[set[Stems]]) -> str:
    first, most = next(iter(found)), DEPTHS[-1]
    usable = [place for place, right in enumerate(gold) if right]
    right = [gold[place] for place in usable]
    rankings = {method: [ranking[place] for place in usable] for method, ranking in found.items()}
    precision = {method: hits(ranking, right, most) / most for method, ranking in rankings.items()}
    rows = []
    for method, ranking in rankings.items():
        reached = [quality(ranking, right, k) for k in DEPTHS]
        figures = [number(value) for each in reached for value in (each.precision, each.recall, each.f1)]
        apart = None if method == first else compare(precision[method], precision[first]).interval
        rows.append([method, *figures, interval(apart)])
    header = [f"{metric}@{k}" for k in DEPTHS for metric in ("P", "R", "F1")]
    return table(["method", *header, f"P@{most} against the first line"], rows)


def _ours(workspace: Workspace, documents: Sequence[Document], phrases: bool = False) -> list[list[str]]:
    found = extract(workspace, documents, DEPTHS[-1], phrases=phrases)
    return [[keyword.word for keyword in each.keywords] for each in found]


def _yake(documents: Sequence[Document], longest: int, label: str) -> dict[str, list[list[str]]]:
    """Phrases of up to `words` words by YAKE at its defaults; nothing if it is not installed."""
    try:
        from yake import KeywordExtractor
    except ImportError:
        print("YAKE is left out; install it: make .venv/reproduce", flush=True)
        return {}
    extractor = KeywordExtractor(lan="en", n=longest, top=5 * DEPTHS[-1])
    texts = [page_of(document).everything for document in documents]
    return {label: [[phrase for phrase, _ in extractor.extract_keywords(text)] for text in texts]}


def _tf_idf(workspace: Workspace, documents: Sequence[Document]) -> list[list[int]]:
    reader = _reader(workspace)
    terms = all_terms(reader, [page_of(document) for document in documents])
    content = ~np.isin(terms.terms, reader.function_words())
    return ranked(terms, terms.counts * terms.idf * content)


def _ablation(workspace: Workspace) -> str:
    """F1 of the first ten words on the evaluation sets without some of the features."""
    made = training_data(workspace)
    without: dict[str, tuple[str, ...]] = {"nothing": (), **GROUPS}
    rows = []
    for left_out, names in without.items():
        features = tuple(name for name in FEATURES if name not in names)
        content = replace(made, features=features).learn(np.ones(len(made.labels), np.bool_))
        figures = [_f1(_reader(workspace), Extractor.of(content), name) for name in JUDGED_ON]
        rows.append([left_out, *map(number, figures), number(float(np.mean(figures)))])
    title = "### Without some of the features: F1 of the first ten words"
    return f"{title}\n\n{table(['left out', *JUDGED_ON, 'mean'], rows)}"


def _unknown(workspace: Workspace) -> str:
    """The same with missing inputs: with weights trained for that case, and with weights that expect all inputs."""
    weights = Extractor.of(workspace.model("keywords").content).weights
    everything = Extractor({"": weights[CASES[0]]})
    rows = []
    with TemporaryDirectory() as folder:
        empty = Workspace.open(folder)
        for case in CASES:
            documents = workspace if "documents" in case else empty
            queries = workspace if "queries" in case else empty
            reader = TermFeatureReader(documents.corpus, queries.query_frequencies)
            for label, extractor in (("weights for it", Extractor(weights)), ("weights for all", everything)):
                figures = [_f1(reader, extractor, name) for name in JUDGED_ON]
                rows.append(
                    [case or "nothing", label, *map(number, figures), number(float(np.mean(figures)))]
                )
    title = "### Where something is not known: F1 of the first ten words"
    return f"{title}\n\n{table(['known besides the document', 'weights', *JUDGED_ON, 'mean'], rows)}"


def _f1(reader: TermFeatureReader, extractor: Extractor, name: str) -> float:
    documents, gold = read(name)
    terms = all_terms(reader, [page_of(document) for document in documents])
    right = [gold_stems(reader, keywords) for keywords in gold]
    return quality(ranked(terms, extractor.probabilities(reader, terms)), right, DEPTHS[-1]).f1


def _reader(workspace: Workspace) -> TermFeatureReader:
    return TermFeatureReader(workspace.corpus, workspace.query_frequencies)


if __name__ == "__main__":
    data.show(report)
