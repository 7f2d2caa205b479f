"""The default measure with the packaged models, and what takes its place where they are of no use."""

import numpy as np
import pytest

from querykin import Settings, Workspace
from querykin.embeddings import static
from querykin.embeddings.encoder_support import encoder_problem
from querykin.embeddings.sentence_models import sentence_model
from querykin.measures.hybrid import Hybrid, HybridStatic
from querykin.measures.part_weights import DENSE, TERMS
from querykin.text.languages import ENGLISH
from recorded_progress import Recorded
from shop import SHOPS


def substituted(workspace: Workspace) -> tuple[str, list[str]]:
    """The measure that stands for hybrid, and the messages."""
    progress = Recorded()
    opened = Workspace.open(workspace.path, workspace.settings, progress=progress)
    names = [opened.measure("hybrid").name for _ in range(3)]
    opened.similarity("a", "b")
    assert len(set(names)) == 1
    return names[0], progress.lines


@pytest.fixture(scope="module")
def german(tmp_path_factory) -> Workspace:
    workspace = Workspace.open(tmp_path_factory.mktemp("german"))
    workspace.corpus.add(SHOPS["de"])
    return workspace.reopen()


def test_a_corpus_in_another_language_gets_word_vectors(german):
    assert substituted(german) == (
        "hybrid-static",
        [
            "hybrid: the sentence encoder knows English only; this corpus is in German; "
            "hybrid-static takes its place"
        ],
    )
    assert isinstance(german.measure("hybrid"), HybridStatic)
    assert german.explain("Gießkanne", "Garten").measure == "hybrid-static"


def test_without_the_encoder_word_vectors_take_its_place(workspace, monkeypatch):
    monkeypatch.setattr("querykin.embeddings.encoder_support.ENCODER_PACKAGES", ("no_such_package",))
    name, lines = substituted(workspace)
    assert name == "hybrid-static"
    (line,) = lines
    assert line.startswith("hybrid: the sentence encoder is not installed; next: ")
    assert line.endswith("; hybrid-static takes its place")


def test_a_model_of_ones_own_is_used_in_any_language(german):
    own = Settings(measures={"dense": {"model": "/models/multilingual"}})
    measure = Workspace.open(german.path, own).measure("hybrid")
    assert isinstance(measure, Hybrid)
    assert measure.encoder.model == "/models/multilingual"


# The packaged models.


@pytest.fixture(scope="module")
def real(workspace) -> Workspace:
    if problem := encoder_problem([ENGLISH]):
        pytest.skip(problem)
    return workspace


def test_words_in_other_alphabets_are_not_whole(real):
    for model in (static.load(), sentence_model()):
        assert model.whole_words(["ᚠᚢᚦ ᚨᚱᚲ", "", "😀"]).tolist() == [0, 0, 0]
        name, words = model.whole_words(["xq-9000 zklmr", "the car"])
        assert (name, words) == (0, 1)


def test_general_language_and_names_are_both_known(real):
    score = real.measure("hybrid").score
    assert score("Merapi", ["volcano of Java"]) > score("Merapi", ["apple pie"]) + 0.2
    assert score("automobile", ["car"]) > score("automobile", ["apple pie"]) + 0.2


def test_a_name_that_the_encoder_spells_out_is_left_to_the_corpus(real):
    measure = real.measure("hybrid")
    name, sentence = measure.weights.weights(["Borobudur", "how is bread baked"])
    assert name[TERMS] > sentence[TERMS] + 0.3
    assert name[DENSE] < sentence[DENSE] - 0.3


def test_real_explanations_sum_to_the_score(real):
    for b in ("NASA", "how is bread baked", "zzyzx", ""):
        explanation = real.explain("space exploration", b)
        total = sum(each.share for each in explanation.contributions)
        assert total == pytest.approx(np.nan_to_num(explanation.score), abs=1e-9)
