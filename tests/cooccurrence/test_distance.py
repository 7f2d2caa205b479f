"""How far apart neighbours may be is a setting: counts follow it, and everything that is made from them."""

import numpy as np
import pytest

from counted import LISTED, check, facts, parts, some, words_of
from querykin import Document, Settings, Workspace, WorkspaceError
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.settings import CooccurrenceSettings
from querykin.storage.store import Store
from recorded_progress import Recorded
from topics import DOCUMENTS

SPOKEN = some("a b c d e f a b", "b a new york c a b d", "f e d c b a", "a a a b c")


def at(workspace: Workspace, distance: int) -> Workspace:
    """The same folder, asked for neighbours up to this distance, with what it tells."""
    settings = Settings(cooccurrence=CooccurrenceSettings(distance=distance))
    return Workspace(workspace.path, settings, progress=Recorded())


def forget_distance(path, kind: str) -> None:
    """What a store looks like that was written before the distance was noted."""
    store = Store(path / kind, kind)
    with store.writing():
        noted = {key: value for key, value in store.manifest().metadata.items() if key != "distance"}
        store.commit(noted, [noted["part"]] if "part" in noted else [noted["phrases"], *noted["parts"]])


@pytest.mark.parametrize("distance", [1, 3, 5, 20])
def test_counts_at_any_distance_equal_the_twins(build, distance):
    workspace = build(SPOKEN, DOCUMENTS[:10])
    corpus, counted = workspace.corpus, CooccurrenceCounts(workspace.path / "cooccurrence", distance)
    counted.update(corpus, lambda: Phrases.of(LISTED))
    assert counted.distance == facts(counted)["distance"] == distance
    check(corpus, counted, distance=distance)
    corpus.add([Document("later", "", "a b x y z c a b")])
    counted.update(corpus, lambda: Phrases.of(LISTED))
    assert parts(counted) == 2
    check(corpus, counted, distance=distance)


def test_words_farther_apart_are_strangers_at_distance_1(build):
    workspace = at(build(some("a b c")), 1)
    assert words_of(workspace.corpus, workspace.cooccurrence) == {
        "a": {"b": 1},
        "b": {"a": 1, "c": 1},
        "c": {"b": 1},
    }


@pytest.mark.parametrize("distance", [1, 3, 5])
def test_a_phrase_stands_for_itself_after_five_occurrences_at_any_distance(build, distance):
    spoken = " ".join(["x"] * distance + ["new york"] + ["y"] * distance)
    for times in (4, 5):
        workspace = build(some(*[spoken] * times))
        counted = CooccurrenceCounts(workspace.path / "cooccurrence", distance)
        counted.update(workspace.corpus, lambda: Phrases.of(["new york"]))
        assert counted.usable.tolist() == [times == 5]


def test_another_distance_counts_everything_anew_and_says_so(build):
    workspace = build(SPOKEN)
    at(workspace, 3).update_derived("distributional")
    workspace.corpus.add([Document("later", "", "a b d")])
    changed = at(workspace, 5)
    check(changed.corpus, changed.cooccurrence, [], 5)
    assert changed.progress.lines == [
        "counting the neighbours of words in 5 documents anew: they were counted at distance 3"
    ]
    assert parts(changed.cooccurrence) == 1


def test_the_same_distance_counts_nothing_again(build):
    workspace = build(SPOKEN)
    before = at(workspace, 5).cooccurrence.state
    again = at(workspace, 5)
    again.update_derived("distributional")
    assert (again.cooccurrence.state, again.progress.lines) == (before, [])


def test_a_build_counts_once_when_the_distance_has_changed(build):
    workspace = build(SPOKEN)
    at(workspace, 3).update_derived("distributional")
    for rebuild in (False, True):
        changed = at(workspace, 4 + rebuild)
        changed.update_derived("distributional", rebuild)
        assert len(changed.progress.lines) == 1
        check(changed.corpus, changed.cooccurrence, [], 4 + rebuild)


def test_counts_from_before_the_setting_were_made_at_distance_3(build):
    workspace = build(DOCUMENTS)
    assert at(workspace, 3).latent.distance == 3
    forget_distance(workspace.path, "cooccurrence")
    forget_distance(workspace.path, "latent")
    usual = at(workspace, 3)
    assert usual.cooccurrence.distance == usual.latent.distance == 3
    assert usual.progress.lines == []
    assert at(workspace, 2).cooccurrence.distance == 2


def test_somebody_elses_count_at_another_distance_is_not_taken_for_ours(build):
    """Both open the counts before either brings them up to date."""
    workspace = build(SPOKEN)
    near, far = (CooccurrenceCounts(workspace.path / "cooccurrence", distance) for distance in (1, 5))
    corpus = workspace.corpus
    near.update(corpus, lambda: Phrases.of(LISTED))
    far.update(corpus, lambda: Phrases.of(LISTED))
    check(corpus, far, distance=5)
    check(corpus, near, distance=1)  # a snapshot


def test_vectors_of_words_follow_the_distance(build):
    workspace = build(DOCUMENTS)
    near = at(workspace, 1)
    vectors = np.array(near.latent.vectors)
    far = at(workspace, 6)
    assert far.latent.distance == 6
    assert [message.split()[0] for message in far.progress.lines] == ["counting", "placing"]
    assert far.latent.counted == far.cooccurrence.state
    assert not np.allclose(vectors, far.latent.vectors)


@pytest.mark.parametrize("measure", ["distributional", "distributional-ngrams", "pmi", "latent"])
def test_scores_and_indexes_follow_the_distance(build, measure):
    workspace = build(DOCUMENTS)
    workspace.repository.add([(title, 1) for title in ("Space travel", "Apple pie", "Home run")])
    near, far = at(workspace, 1), at(workspace, 6)
    near.build(measure)
    queries = ["space probe", "orbit", "ball", "oven"]
    scores = near.measure(measure).score_pairs(queries, ["rocket", "earth", "base", "sugar"])
    assert not np.allclose(
        scores,
        far.measure(measure).score_pairs(queries, ["rocket", "earth", "base", "sugar"]),
        equal_nan=True,
    )
    with pytest.raises(WorkspaceError, match="built with other settings, counts"):
        far.match(["orbit"], measure=measure)
    far.build(measure)
    assert far.match(["space probe"], measure=measure)[0].suggestions


def test_measures_that_would_have_to_count_anew_cannot_be_used_at_once(build, monkeypatch):
    workspace = build(SPOKEN)
    monkeypatch.setattr("querykin.workspace.QUICK_TOKENS", 0)
    assert "pmi" not in at(workspace, 3).measures()
    at(workspace, 3).update_derived("distributional")
    assert "pmi" in at(workspace, 3).measures()
    assert "pmi" not in at(workspace, 4).measures()
