"""The co-occurrence distance is a setting that counts follow, and everything computed from them."""

import numpy as np
import pytest

from counted import LISTED, check, make_documents, metadata, parts, words_of
from querykin import Document, Settings, Workspace, WorkspaceError
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.settings_sections import CooccurrenceSettings
from querykin.storage.store import Store
from recorded_progress import Recorded
from topics import DOCUMENTS

SPOKEN = make_documents("a b c d e f a b", "b a new york c a b d", "f e d c b a", "a a a b c")


def at(workspace: Workspace, distance: int) -> Workspace:
    """The same workspace with this distance, and its progress recorded."""
    settings = Settings(cooccurrence=CooccurrenceSettings(distance=distance))
    return Workspace(workspace.path, settings, progress=Recorded())


def remove_distance(path, kind: str) -> None:
    """Make a store look as if it had been written before the distance was recorded."""
    store = Store(path / kind, kind)
    with store.writing():
        kept = {key: value for key, value in store.manifest().metadata.items() if key != "distance"}
        store.commit(kept, [kept["part"]] if "part" in kept else [kept["phrases"], *kept["parts"]])


@pytest.mark.parametrize("distance", [1, 3, 5, 20])
def test_counts_at_any_distance_equal_the_reference(build, distance):
    workspace = build(SPOKEN, DOCUMENTS[:10])
    corpus, counted = workspace.corpus, CooccurrenceCounts(workspace.path / "cooccurrence", distance)
    counted.update(corpus, lambda: Phrases.of(LISTED))
    assert counted.distance == metadata(counted)["distance"] == distance
    check(corpus, counted, distance=distance)
    corpus.add([Document("later", "", "a b x y z c a b")])
    counted.update(corpus, lambda: Phrases.of(LISTED))
    assert parts(counted) == 2
    check(corpus, counted, distance=distance)


def test_only_adjacent_words_co_occur_at_distance_1(build):
    workspace = at(build(make_documents("a b c")), 1)
    assert words_of(workspace.corpus, workspace.cooccurrence) == {
        "a": {"b": 1},
        "b": {"a": 1, "c": 1},
        "c": {"b": 1},
    }


@pytest.mark.parametrize("distance", [1, 3, 5])
def test_a_phrase_is_frequent_after_five_occurrences_at_any_distance(build, distance):
    text = " ".join(["x"] * distance + ["new york"] + ["y"] * distance)
    for times in (4, 5):
        workspace = build(make_documents(*[text] * times))
        counted = CooccurrenceCounts(workspace.path / "cooccurrence", distance)
        counted.update(workspace.corpus, lambda: Phrases.of(["new york"]))
        assert counted.frequent_phrases.tolist() == [times == 5]


def test_another_distance_counts_everything_again_and_says_so(build):
    workspace = build(SPOKEN)
    at(workspace, 3).update_derived("distributional")
    workspace.corpus.add([Document("later", "", "a b d")])
    changed = at(workspace, 5)
    check(changed.corpus, changed.cooccurrence, [], 5)
    assert changed.progress.lines == [
        "counting co-occurrences in 5 documents again: they were counted at distance 3"
    ]
    assert parts(changed.cooccurrence) == 1


def test_the_same_distance_counts_nothing_again(build):
    workspace = build(SPOKEN)
    before = at(workspace, 5).cooccurrence.version
    again = at(workspace, 5)
    again.update_derived("distributional")
    assert (again.cooccurrence.version, again.progress.lines) == (before, [])


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
    remove_distance(workspace.path, "cooccurrence")
    remove_distance(workspace.path, "latent")
    usual = at(workspace, 3)
    assert usual.cooccurrence.distance == usual.latent.distance == 3
    assert usual.progress.lines == []
    assert at(workspace, 2).cooccurrence.distance == 2


def test_counts_of_another_process_at_another_distance_are_not_used(build):
    """Both open the counts before either updates them."""
    workspace = build(SPOKEN)
    near, far = (CooccurrenceCounts(workspace.path / "cooccurrence", distance) for distance in (1, 5))
    corpus = workspace.corpus
    near.update(corpus, lambda: Phrases.of(LISTED))
    far.update(corpus, lambda: Phrases.of(LISTED))
    check(corpus, far, distance=5)
    check(corpus, near, distance=1)  # a snapshot


def test_latent_vectors_follow_the_distance(build):
    workspace = build(DOCUMENTS)
    near = at(workspace, 1)
    vectors = np.array(near.latent.vectors)
    far = at(workspace, 6)
    assert far.latent.distance == 6
    assert [message.split()[0] for message in far.progress.lines] == ["counting", "computing"]
    assert far.latent.counts_version == far.cooccurrence.version
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


def test_measures_whose_counts_are_at_another_distance_are_not_available(build, monkeypatch):
    workspace = build(SPOKEN)
    monkeypatch.setattr("querykin.derived_data.QUICK_TOKENS", 0)
    assert "pmi" not in at(workspace, 3).measures()
    at(workspace, 3).update_derived("distributional")
    assert "pmi" in at(workspace, 3).measures()
    assert "pmi" not in at(workspace, 4).measures()
