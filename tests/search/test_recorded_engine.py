"""Recorded hits are processed like results of the corpus."""

import json

import numpy as np
import pytest

from querykin import Hit, InputError
from querykin.measures import measures
from querykin.search.expansion import Expander
from querykin.search.recorded_engine import RecordedEngine
from querykin.text.tokenizer import tokenize
from reference import tokenizer as reference
from reference.vectors import unit

ANSWERS = {
    "kofi annan": [
        Hit("1", "Space agency", "Rockets and probes orbit the Moon", "https://a.example", 2.0),
        Hit("2", "Blorft", "zzyzx astronauts qwrtp rockets", "https://b.example", 1.0),
    ],
    "un chief": [Hit("1", "Space agency", "Rockets and probes orbit the Moon", "https://a.example", 1.0)],
    "pie": [Hit("9", "Apple pie", "cinnamon sugar oven pie", "", 1.0)],
    "nothing known": [Hit("3", "Blorft", "zzyzx qwrtp", "", 1.0)],
}


@pytest.fixture
def expander(workspace) -> Expander:
    """Any text with results is covered."""
    return Expander(workspace.corpus, RecordedEngine(ANSWERS), idf_coverage=0.0)


def words_of(expander: Expander, text: str) -> list[list[str]]:
    expansions, word = expander.expand([text], 200), expander.corpus.vocabulary.word
    borders = zip(expansions.windows[:-1], expansions.windows[1:], strict=True)
    return [[word(int(token) >> 2) for token in expansions.tokens[a:b]] for a, b in borders]


def test_recorded_text_becomes_words_of_the_vocabulary(expander):
    assert words_of(expander, "Kofi Annan") == [
        ["space", "agency", "rockets", "and", "probes", "orbit", "the", "moon"],
        ["astronauts", "rockets"],
    ]
    assert words_of(expander, "nothing known") == [[]]
    assert words_of(expander, "never recorded") == []


def test_hits_keep_their_order_and_scores(expander):
    _, results, _ = expander.search(["un chief", "Kofi Annan", "esa"])
    assert results.indptr.tolist() == [0, 1, 3, 3]
    assert results.scores.tolist() == [1.0, 2.0, 1.0]
    assert results.documents[0] == results.documents[1] != results.documents[2]


def test_the_paper_kernel_of_a_recorded_hit_is_its_tf_idf_vector(expander):
    words = reference.words("Apple pie cinnamon sugar oven pie")
    idf, vocabulary = expander.corpus.statistics.idf, expander.corpus.vocabulary
    numbers = vocabulary.lookup(tokenize([" ".join(words)])).tolist()
    expected = unit({number: numbers.count(number) * float(idf[number]) for number in numbers})
    features, weights = measures["web-kernel-paper"].kind(expander).encode_candidates(["pie"]).row(0)
    assert dict(zip(features.tolist(), weights.tolist(), strict=True)) == pytest.approx(expected)


def covered_expander(workspace) -> Expander:
    hits = {
        "space agency": [Hit("1", "Space agency", "Rockets and probes orbit the Moon", "", 2.0)],
        "moon probes": [Hit("1", "Space agency", "Rockets and probes orbit the Moon", "", 1.0)],
        "apple oven": [Hit("9", "Apple pie", "cinnamon sugar oven pie", "", 1.0)],
        "zzyzx qwrtp": [Hit("3", "Blorft", "zzyzx qwrtp", "", 1.0)],
    }
    return Expander(workspace.corpus, RecordedEngine(hits))


@pytest.mark.parametrize("name", ["web-kernel", "web-kernel-paper", "tfidf", "set-overlap", "result-cosine"])
def test_measures_work_over_recorded_hits(workspace, name):
    measure = measures[name].kind(covered_expander(workspace))
    alike, unlike, itself = measure.score("space agency", ["moon probes", "apple oven", "space agency"])
    assert alike > 0.5 > unlike >= 0
    assert itself == pytest.approx(1.0)
    assert np.isnan(measure.score("space agency", ["never recorded", "zzyzx qwrtp"])).all()


def test_an_explanation_quotes_the_recorded_hits(workspace):
    explanation = (
        measures["web-kernel"].kind(covered_expander(workspace)).explain("space agency", "moon probes")
    )
    assert {passage.document for passage in explanation.passages} == {"1"}
    assert all("Rockets and probes orbit the Moon" in passage.text for passage in explanation.passages)


def test_a_decomposed_title_is_measured_after_normalization(workspace):
    hit = Hit("1", "Cre\u0300me bru\u0302le\u0301e", "a crust of sugar", "", 1.0)
    _, results, _ = Expander(workspace.corpus, RecordedEngine({"x": [hit]})).search(["x"])
    assert results.segments[0].title_lengths.tolist() == [2]


def test_results_with_score_0_add_nothing(workspace):
    counting = [Hit("1", "Moon", "probes orbit the Moon", "", 1.0)]
    idle = [Hit(str(i), "", "cinnamon sugar", "", 0.0) for i in range(2, 5)]
    engine = RecordedEngine({"moon": counting, "moons": counting + idle})
    vectors = (
        measures["web-kernel"].kind(Expander(workspace.corpus, engine)).encode_candidates(["moon", "moons"])
    )
    without, beside = ([values.tolist() for values in vectors.row(row)] for row in (0, 1))
    assert without == beside


def test_hits_are_read_from_a_file(tmp_path):
    path = tmp_path / "answers.json"
    fields = ("document_id", "title", "snippet", "url", "score")
    recorded = {
        query: [{f: getattr(hit, f) for f in fields} for hit in hits] for query, hits in ANSWERS.items()
    }
    path.write_text(json.dumps(recorded))
    assert RecordedEngine.open(path).search("KOFI Annan", 1) == ANSWERS["kofi annan"][:1]


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', '{"a": [{"title": "x"}]}'])
def test_a_file_without_recorded_hits_is_refused(tmp_path, content):
    path = tmp_path / "answers.json"
    path.write_text(content)
    with pytest.raises(InputError, match="does not hold recorded answers"):
        RecordedEngine.open(path)
