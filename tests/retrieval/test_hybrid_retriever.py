"""Search under the hybrid measures: identical to scoring every query of the repository."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifests import edit_manifest
from querykin import BuildPolicy, Document, Settings, Workspace
from querykin.errors import WorkspaceError
from querykin.integrity import corrupted_files
from querykin.measures.hybrid import HybridMeasure
from querykin.measures.part_weights import TERMS, PartWeights
from querykin.retrieval import threshold_algorithm
from querykin.retrieval.hybrid_retriever import HybridRetriever
from querykin.testing import STORED, check_search
from recorded_progress import Recorded
from small_models import use_small_models
from stocked import REPOSITORY
from topics import DOCUMENTS, WORDS

NAMES = ["hybrid", "hybrid-static"]
REMOVED = ["Hubble", "space, exploration", "Batik"]
ASKED = ["space exploration", "NASA", "Rice terraces of Java", "java", "qwrtp", "qwrtp vvwx"]
UNKNOWN = ["zzyzx zz", ""]
ORBITS = [Document(f"new-{n}", f"Orbit {n}", "Space probes in orbit of Mars.") for n in range(30)]
texts = st.lists(st.sampled_from([*WORDS, "zzyzx", "qwrtp"]), max_size=4).map(" ".join)
names = st.sampled_from(NAMES)


@pytest.fixture(scope="module", autouse=True)
def models():
    """Small models, and a first sorted access that leaves something to look up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threshold_algorithm, "_DEPTH", 4)
        patch.setattr(threshold_algorithm, "_LOOKUPS", 2)
        yield use_small_models(patch)


@pytest.fixture(scope="module")
def stocked(build) -> Workspace:
    """Two segments of documents and of rows, and removed queries; tests only read it."""
    workspace = build(DOCUMENTS[::2], DOCUMENTS[1::2])
    for part in (REPOSITORY[::2], REPOSITORY[1::2]):
        workspace.repository.add(part)
        workspace = workspace.reopen()
        workspace.build_all(NAMES)
    workspace.repository.remove(REMOVED)
    return workspace.reopen()


@pytest.fixture
def own(stocked, tmp_path) -> Workspace:
    """A copy for a test that changes it."""
    shutil.copytree(stocked.path, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace", stocked.settings)


def brute_force(retriever, query: str, min_score: float = -np.inf, min_count: int = 1) -> dict[int, float]:
    """The score of every query that may be returned."""
    repository = retriever.repository
    live_ids = repository.live_ids()
    scores = retriever.measure.score(query, repository.queries(live_ids)).tolist()
    counts = repository.counts[live_ids]
    return {
        int(query_id): score
        for query_id, score, count in zip(live_ids, scores, counts, strict=True)
        if not np.isnan(score) and score >= min_score and count >= min_count
    }


def check_ranking(retriever, query: str, k: int, **limits) -> None:
    (ranking,) = retriever.search([query], k, **limits)
    expected = brute_force(retriever, query, **limits)
    best = sorted(expected.values(), reverse=True)[:k]
    assert ranking.scores == pytest.approx(best, abs=STORED)
    assert ranking.scores == pytest.approx([expected[i] for i in ranking.query_ids.tolist()], abs=STORED)


def test_the_index_has_several_segments(stocked):
    retriever = stocked.retriever()
    assert isinstance(retriever, HybridRetriever)
    assert isinstance(retriever.measure, HybridMeasure)
    assert len(retriever.weights.index.segments) > 1


@given(texts | st.sampled_from([*ASKED, *UNKNOWN]), names, st.integers(1, 100))
@settings(max_examples=60)
def test_a_search_finds_what_scoring_every_query_finds(stocked, query, name, k):
    check_ranking(stocked.retriever(name), query, k)


@given(st.sampled_from(ASKED), names, st.floats(-1, 1), st.integers(1, 6), st.integers(1, 30))
@settings(max_examples=40)
def test_minimum_scores_and_counts_are_kept(stocked, query, name, min_score, min_count, k):
    retriever = stocked.retriever(name)
    edge = min((abs(s - min_score) for s in brute_force(retriever, query).values()), default=1)
    if edge > STORED:
        check_ranking(retriever, query, k, min_score=min_score, min_count=min_count)


@pytest.mark.parametrize("name", NAMES)
def test_searches_conform(own, name):
    check_search(own, name, [*ASKED, *UNKNOWN])


@pytest.mark.parametrize("name", NAMES)
def test_known_queries_are_scored_from_rows_as_they_are_from_texts(stocked, name):
    retriever, live_ids = stocked.retriever(name), stocked.repository.live_ids()
    for query in (*ASKED, *UNKNOWN):
        expected = retriever.measure.score(query, stocked.repository.queries(live_ids))
        for chosen in (live_ids, live_ids[[5, 3, 3, 0]], live_ids[:0]):
            found = retriever.scores(query, chosen)
            assert found == pytest.approx(
                expected[np.searchsorted(live_ids, chosen)], abs=STORED, nan_ok=True
            )


def test_a_query_that_the_corpus_does_not_cover_is_answered_by_general_language(stocked):
    found = stocked.suggest("qwrtp vvwx", min_probability=0)
    assert not found.covered
    assert found.suggestions
    covered = stocked.suggest("space exploration", min_probability=0)
    assert covered.covered


@pytest.mark.parametrize("query", UNKNOWN)
def test_a_query_without_any_score_gets_nothing(stocked, query):
    found = stocked.suggest(query, min_probability=0, exact=True)
    assert (found.covered, found.suggestions) == (False, ())


def test_probabilities_are_those_of_the_measure(stocked):
    for name in NAMES:
        retriever = stocked.retriever(name)
        (ranking,) = retriever.search(["space exploration"], 20)
        measure = retriever.measure
        mine, *others = measure.weights.weights(
            ["space exploration", *stocked.repository.queries(ranking.query_ids)]
        )
        weights = np.sqrt(mine * np.array(others))
        assert ranking.probabilities == pytest.approx(
            measure.probabilities(ranking.scores, weights), abs=1e-5
        )


def test_queries_of_nearly_the_same_vector_are_paraphrases(stocked):
    retriever = stocked.retriever()
    space, same, other = stocked.repository.ids_of(["space exploration", "exploration space", "apple pie"])
    assert retriever.are_paraphrases(same, [other, space])
    assert not retriever.are_paraphrases(other, [space, same])
    assert not retriever.are_paraphrases(space, [])


# A repository or a corpus that changes.


def test_what_was_removed_meanwhile_is_not_found_and_what_was_added_has_no_row(own):
    retriever = own.retriever()
    before = {own.repository.query(i) for i in retriever.search(["space exploration"], 200)[0].query_ids}
    own.repository.remove(["Space travel"])
    own.repository.add([("space travel agency", 4)])
    after = {own.repository.query(i) for i in retriever.search(["space exploration"], 200)[0].query_ids}
    assert before - after == {"Space travel"}
    assert after <= before
    own = own.reopen()
    own.build()
    found = own.match(["space exploration"], 200)[0].suggestions
    assert "space travel agency" in [each.query for each in found]
    check_ranking(own.reopen().retriever(), "space exploration", 9)


def test_a_query_that_only_some_indexes_have_is_not_found_yet(own):
    own.repository.add([("space travel agency", 4)])
    own = own.reopen()
    own.build("web-kernel")
    found = [own.repository.query(i) for i in own.retriever().search(["space travel"], 200)[0].query_ids]
    assert "Space travel" in found
    assert "space travel agency" not in found


def test_rows_keep_the_statistics_of_the_index(own):
    before = own.corpus.statistics.version
    own.corpus.add(ORBITS)
    own = own.reopen()
    progress = Recorded()
    own.progress = progress
    retriever = own.retriever()
    assert [line for line in progress.lines if "is behind the corpus" in line]
    pinned = retriever.measure
    expanders = [part.expander for part in (pinned.static, pinned.web_kernel, pinned.weights)]
    assert {each.corpus.statistics.version for each in expanders} == {before}
    assert own.measure("hybrid").web_kernel.expander.corpus.statistics.version != before
    assert retriever.search(["space exploration"], 5)[0].scores.all()
    own.build()
    check_ranking(own.reopen().retriever(), "space probes", 20)
    own.build(rebuild=True)
    own = own.reopen()
    assert own.retriever().measure.static.expander.corpus.statistics.version == own.corpus.statistics.version
    check_ranking(own.retriever(), "space probes", 20)


def test_a_part_that_was_built_under_older_statistics_keeps_them(tmp_path):
    """web-kernel-static was built first; then documents came, and hybrid was built."""
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add(DOCUMENTS)
    workspace.repository.add(REPOSITORY)
    workspace.reopen().build("web-kernel-static")
    workspace.corpus.add(ORBITS)
    workspace = workspace.reopen()
    workspace.build()
    for query in ("space probes", "orbit", "Mars"):
        check_ranking(workspace.reopen().retriever(), query, 20)


def test_other_weights_make_the_index_unusable_until_it_is_built_again(own):
    changed = Workspace.open(own.path, replace(own.settings, measures={"hybrid": {"terms": 1.0}}))
    with pytest.raises(WorkspaceError, match="next: querykin build --measures hybrid"):
        changed.suggest("space exploration")
    changed.build()
    check_ranking(changed.reopen().retriever(), "space exploration", 20)


def test_candidates_that_only_the_web_kernel_knows_are_found(tmp_path):
    """No model knows a word that begins with z: neither the text nor the documents it finds have a vector."""
    workspace = Workspace.open(tmp_path, Settings())
    workspace.corpus.add(
        [Document("1", "zzyzx", "zzyzx zeta"), Document("2", "zeta", "zulu zzyzx zero zeta")]
    )
    workspace.repository.add([("zeta", 2), ("zzyzx zeta", 1), ("zz", 1), ("apple pie", 1)])
    workspace = workspace.reopen()
    workspace.build_all(NAMES)
    for name in NAMES:
        retriever = workspace.reopen().retriever(name)
        assert len(brute_force(retriever, "zzyzx")) == 2
        check_ranking(retriever, "zzyzx", 5)
        check_ranking(retriever, "apple", 5)


# Builds.


def test_a_build_makes_the_document_vectors_and_every_index(tmp_path, models):
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add(DOCUMENTS)
    workspace.repository.add(REPOSITORY)
    progress = Recorded()
    Workspace.open(tmp_path, progress=progress).build()
    assert progress.lines[0].startswith("document vectors (static): 61 documents to embed")
    assert [line.partition(":")[0] for line in progress.lines if "to index" in line] == [
        "web-kernel-static",
        "web-kernel",
        "hybrid",
        "dense",
    ]
    workspace = workspace.reopen()
    assert set(workspace.indexes.built()) == {"dense", "hybrid", "web-kernel", "web-kernel-static"}
    assert not workspace.missing_derived("hybrid")
    progress.lines.clear()
    Workspace.open(tmp_path, progress=progress).build()
    assert all(line.endswith("nothing to do") for line in progress.lines)
    assert {path.name for path in tmp_path.glob("document-vectors/*")} == {"static"}


def test_a_missing_index_is_built_or_refused_by_policy(own):
    shutil.rmtree(own.path / "index" / "hybrid")
    with pytest.raises(WorkspaceError, match="'hybrid' has no index yet"):
        Workspace.open(own.path, policy=BuildPolicy.REFUSE).suggest("space exploration")
    progress = Recorded()
    assert Workspace.open(own.path, progress=progress).suggest("space exploration").suggestions
    assert "no index of hybrid yet; building it now" in progress.lines


def test_an_interrupted_build_continues(tmp_path, monkeypatch):
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add(DOCUMENTS)
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    for part in workspace.measure("hybrid").components():
        monkeypatch.setattr(type(part), "batch", 16)
    encode, calls = PartWeights.encode_with_results, []

    def failing(self, texts):
        calls.append(texts)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return encode(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(PartWeights, "encode_with_results", failing)
        with pytest.raises(KeyboardInterrupt):
            workspace.build()
    workspace = workspace.reopen()
    weights = workspace.measure("hybrid").weights
    assert workspace.indexes.plan(weights).done >= 16
    workspace.build()
    assert not workspace.reopen().indexes.plan(weights).needed
    check_ranking(workspace.reopen().retriever(), "space exploration", 20)


def test_damage_is_seen(own):
    assert corrupted_files(own) == []
    for folder in ("index/hybrid", "index/dense", "document-vectors/static"):
        damaged = max((own.path / folder).glob("parts/*/*.npy"), key=lambda path: path.stat().st_size)
        content = damaged.read_bytes()
        damaged.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        (line,) = corrupted_files(own)
        assert folder in line
        damaged.write_bytes(content)


def test_an_index_without_weights_has_no_suggestions(own):
    def without_segments(manifest):
        manifest["metadata"]["committed"]["segments"] = []
        return manifest

    edit_manifest(own.path / "index" / "hybrid", without_segments)
    assert own.reopen().retriever("hybrid").search(["space exploration"], 5)[0].query_ids.tolist() == []


def test_the_web_kernel_is_searched_through_the_index_that_others_share(stocked):
    retriever = stocked.retriever()
    assert retriever.parts[TERMS].index.store.path == stocked.path / "index" / "web-kernel"
