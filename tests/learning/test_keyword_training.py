"""Training of the keyword extractor: planted weights are recovered, evaluation is on held-out documents."""

import json
from dataclasses import replace

import numpy as np
import pytest

from querykin.errors import InputError
from querykin.learning.keywords.extractor import CASES, FEATURES, Extractor
from querykin.learning.keywords.gold_documents import GoldDocument, read_gold
from querykin.learning.keywords.quality import quality
from querykin.learning.keywords.training import (
    KeywordTrainingData,
    fit,
    gold_stems,
    ranked,
    train_extractor,
    train_keywords,
)
from querykin.learning.landing_pages.pages import Page
from querykin.weighting.term_features import TermFeatureReader
from topics import DOCUMENTS, WORDS


def planted(seed, weights, count=40_000):
    """A table of features, and labels drawn from the logistic model with these weights."""
    rng = np.random.default_rng(seed)
    table = np.column_stack(
        [np.ones(count), rng.normal(3, 2, count), rng.normal(0, 0.05, count), rng.random(count) < 0.1]
    )
    return table, rng.random(count) < 1 / (1 + np.exp(-table @ weights))


def test_planted_weights_are_recovered():
    weights = np.array([-1.5, 0.4, -12.0, 2.0])
    found = fit(*planted(0, weights))
    assert found == pytest.approx(weights, rel=0.15)


def test_a_constant_feature_has_weight_0():
    table, labels = planted(0, np.array([0.0, 0.4, 0, 0]))
    table[:, 2] = 0.1 + 0.2
    assert fit(table, labels)[2] == 0


def documents(seed=0, count=40, titled=True):
    """Documents whose keywords are their frequent words and the word of the title."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        keywords = [str(word) for word in rng.choice(WORDS, 3, replace=False)]
        others = [str(word) for word in rng.choice(WORDS, 25, replace=False)]
        text = rng.permutation([*keywords * 3, *others])
        made.append(GoldDocument(Page(" ".join(text), keywords[0] if titled else ""), tuple(keywords)))
    return made


@pytest.fixture(scope="module")
def training_data(workspace):
    return KeywordTrainingData.of(workspace, documents())


def test_a_trained_extractor_finds_the_keywords_of_new_documents(workspace, training_data):
    model = train_extractor(training_data, "keywords", "made.jsonl")
    weights = Extractor.of(model.content).weights_for("documents")
    assert weights["log tf"] > 0
    assert weights["title"] > 0
    at_five = model.training["report"][0]
    assert at_five["k"] == 5
    assert at_five["recall"] > 0.9
    new = KeywordTrainingData.of(workspace, documents(seed=1))
    scores = Extractor.of(model.content).probabilities(new.reader, new.terms)
    assert quality(ranked(new.terms, scores), new.gold, 3).recall > 0.95


def test_training_is_deterministic(workspace, training_data):
    again = train_extractor(KeywordTrainingData.of(workspace, documents()), "keywords", "made.jsonl")
    assert again == train_extractor(training_data, "keywords", "made.jsonl")
    assert again.training["known"] == "documents"


def test_there_are_weights_for_every_subset_of_the_available_sources(training_data):
    content = training_data.learn(np.ones(len(training_data.labels), np.bool_))
    assert list(content["weights"]) == [case for case in CASES if "queries" not in case]
    assert "log df" in content["weights"]["documents"]
    assert "log df" not in content["weights"][""]


def test_a_missing_title_does_not_lower_the_scores_of_words(workspace, training_data):
    """Training uses each document with and without its fields, so that other features keep their weights."""
    with_fields = training_data.learn(np.ones(len(training_data.labels), np.bool_))["weights"]["documents"]
    without = KeywordTrainingData.of(workspace, documents(titled=False))
    bare = without.learn(np.ones(len(without.labels), np.bool_))["weights"]["documents"]
    assert "title" not in bare
    assert with_fields["log tf"] == pytest.approx(bare["log tf"], rel=0.35)


def test_training_data_may_lack_features(training_data):
    few = replace(training_data, features=("bias", "tf"))
    assert list(few.learn(np.ones(len(few.labels), np.bool_))["weights"]["documents"]) == ["bias", "tf"]
    assert len(few.cross_validate()) == 2


def test_a_document_is_evaluated_by_an_extractor_trained_on_others(workspace):
    """The labels are random: an extractor trained on them would be better than chance."""
    rng = np.random.default_rng(3)
    made = []
    for _ in range(30):
        words = [str(word) for word in rng.choice(WORDS, 40, replace=False)]
        made.append(GoldDocument(Page(" ".join(words)), tuple(rng.choice(words, 10, replace=False))))
    training_data = KeywordTrainingData.of(workspace, made)
    chance = training_data.labels.mean()
    assert training_data.cross_validate()[1].precision == pytest.approx(chance, abs=0.12)


def test_words_of_key_phrases_are_keywords_but_stop_words_are_not(workspace):
    reader = TermFeatureReader(workspace.corpus, workspace.query_frequencies)
    phrases = gold_stems(reader, ["Exploration of the space", "rockets"])
    assert phrases == gold_stems(reader, ["explorations", "space rocket"])
    assert len(phrases) == 3


def test_documents_without_information_are_left_out(workspace):
    useless = [
        GoldDocument(Page("Nothing of it is here"), ("zzyzx",)),
        GoldDocument(Page("rocket probe"), ("rocket", "probe")),
        GoldDocument(Page(""), ("rocket",)),
        GoldDocument(Page("of the"), ("of",)),
    ]
    assert len(KeywordTrainingData.of(workspace, [*useless, *documents(count=3)]).gold) == 3
    with pytest.raises(InputError, match=r"at least two documents that contain some of.*got 0"):
        train_extractor(KeywordTrainingData.of(workspace, useless), "keywords", "f")
    with pytest.raises(InputError, match="got 1"):
        train_extractor(KeywordTrainingData.of(workspace, [*useless, *documents(count=1)]), "keywords", "f")


def test_two_documents_are_enough(workspace):
    model = train_extractor(KeywordTrainingData.of(workspace, documents(count=2)), "keywords", "f")
    assert model.training["folds"] == 2


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


HTML = (
    "<html><head><title>Apple pie</title><meta name='keywords' content='dessert'></head>"
    "<body>A pie is baked. <a href='/oven'>Ovens</a></body></html>"
)


def test_gold_is_read_from_text_title_html_and_either_form_of_keywords(tmp_path):
    path = write(
        tmp_path / "gold.jsonl",
        [
            {"title": "NASA", "text": "NASA leads.", "url": "https://example.org", "keywords": ["nasa", " "]},
            {"html": HTML, "keywords": "apple pie; oven, dessert"},
            {"title": "Moon", "keywords": ["moon"]},
        ],
    )
    nasa, pie, moon = read_gold(path, pytest.fail)
    assert nasa == GoldDocument(Page("NASA leads.", "NASA", "https://example.org"), ("nasa",))
    assert pie.keywords == ("apple pie", "oven", "dessert")
    assert (pie.page.title, pie.page.links, pie.page.keywords) == ("Apple pie", "Ovens", "dessert")
    assert moon.page == Page("", "Moon")


BAD = [
    ({"text": "a"}, "no keywords: found 'text'"),
    ({"text": "a", "keywords": []}, "no keyword in 'keywords'"),
    ({"text": "a", "keywords": 7}, "must be a list of strings"),
    ({"text": "a", "keywords": [7]}, "must be a list of strings"),
    ({"text": "", "keywords": ["a"]}, "nothing in 'text'"),
    ({"keywords": ["a"]}, "no title or text"),
    ({"html": 3, "keywords": ["a"]}, "'html' must be a string"),
    ([1], "not a JSON object"),
]


@pytest.mark.parametrize(("row", "reason"), BAD)
def test_invalid_lines_are_reported_and_a_file_of_them_is_an_error(row, reason, tmp_path):
    problems = []
    good = {"text": "b", "keywords": ["b"]}
    assert len(read_gold(write(tmp_path / "some.jsonl", [row, good]), problems.append)) == 1
    assert [(problem.line, reason in problem.message) for problem in problems] == [(1, True)]
    with pytest.raises(InputError, match=f"no document with keywords.*{reason}"):
        read_gold(write(tmp_path / "none.jsonl", [row]), problems.append)


def test_a_failure_changes_nothing(build, tmp_path):
    workspace = build(DOCUMENTS)
    rows = [{"text": " ".join(WORDS[n : n + 30]), "keywords": WORDS[n : n + 3]} for n in range(0, 90, 30)]
    train_keywords(workspace, write(tmp_path / "good.jsonl", rows), "keywords", pytest.fail)
    before = workspace.model("keywords")
    assert before.training["documents"] == 3
    for name, given, message in [
        ("keywords", [{"text": "a b", "keywords": ["c"]}], "at least two documents"),
        ("tfidf", rows, "'tfidf' is a measure"),
        ("My Model", rows, "a model's name is lower case"),
    ]:
        with pytest.raises(InputError, match=message):
            train_keywords(workspace, write(tmp_path / "bad.jsonl", given), name, pytest.fail)
    assert workspace.models.names() == ["keywords"]
    assert workspace.model("keywords") == before


def test_every_feature_of_an_extractor_can_be_trained(training_data):
    assert training_data.features == FEATURES
    assert FEATURES[0] == "bias"
