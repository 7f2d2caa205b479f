"""How scores stand among random pairs: percentiles that a sample supports, and samples that fit the build."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combined import keep
from querykin import Workspace, WorkspaceError
from querykin.build_policy import BuildPolicy
from querykin.integrity import corrupted_files
from querykin.learning.combination.features import RANK
from querykin.learning.combination.fitting import TrainingConfig
from querykin.model_files import Model
from querykin.retrieval import score_distribution_store, score_sampling
from querykin.retrieval.score_distribution import MIN_ABOVE, ScoreDistribution, percentile_text
from querykin.retrieval.score_sampling import CANDIDATES, MIN_QUERIES, QUERIES, random_pairs
from querykin.retrieval.suggester import Suggestion
from querykin.settings import Settings
from querykin.types import Document
from recorded_progress import Recorded
from stocked import REPOSITORY
from topics import DOCUMENTS

COMBINATION, LISTWISE = "combined", "ranked"
# One measure for each kind of retriever, and two that share an index.
SEARCHING = ("web-kernel", "jaccard", "dice", "dense-prob", "lexical", "edit", "hybrid-static", COMBINATION)

# Thousandths: differences below 1e-9 are no differences to a percentile.
some_scores = st.lists(
    st.one_of(st.integers(-3000, 3000).map(lambda each: each / 1000), st.just(np.nan)),
    min_size=MIN_ABOVE + 1,
    max_size=60,
).map(np.array)


@given(some_scores)
def test_the_percentile_of_a_sampled_score_counts_the_lower_ones(scores):
    distribution = ScoreDistribution.of(scores)
    for score in scores[~np.isnan(scores)]:
        lower = int((scores < score).sum() + np.isnan(scores).sum())
        expected = min(100 * lower / len(scores), distribution.highest_percentile)
        assert distribution.percentile(score) == pytest.approx(expected)
        assert percentile_text(expected) == percentile_text(distribution.percentile(score))


@given(some_scores, st.floats(0, 100))
def test_the_score_at_a_percentile_is_the_lowest_that_reaches_it(scores, percentile):
    distribution = ScoreDistribution.of(scores)
    reached = min(percentile, distribution.highest_percentile) - 1e-6
    found = distribution.score_at(percentile)
    if np.isnan(scores).all():
        assert found == -np.inf
        return
    assert distribution.percentile(found) >= reached
    lower = [score for score in scores if score < found - 1e-6]
    assert all(distribution.percentile(score) < reached + 2e-6 for score in lower)


def test_no_percentile_is_higher_than_the_sample_can_tell():
    distribution = ScoreDistribution.of(np.zeros(100_000))
    assert distribution.percentile(1.0) == pytest.approx(99.99)
    assert percentile_text(distribution.percentile(1.0)) == "99.99 %"
    assert distribution.percentile(0.0) == 0
    assert distribution.percentile(np.nan) is None
    assert distribution.percentile(distribution.score_at(100)) == pytest.approx(99.99)


def test_percentiles_are_rounded_down():
    assert percentile_text(99.999) == "99.99 %"
    assert percentile_text(99.8999) == "99.8 %"
    assert percentile_text(98.99) == "98 %"


@given(st.integers(2, 3 * CANDIDATES))
@settings(max_examples=10)
def test_random_pairs_are_different_queries_and_none_comes_twice(size):
    live = np.arange(size) * 7
    pairs = list(random_pairs(live))
    assert len({query for query, _ in pairs}) == len(pairs) == min(size, QUERIES)
    for query, others in pairs:
        assert query not in others
        assert len(set(others.tolist())) == len(others) == min(size - 1, CANDIDATES)
        assert set(others.tolist()) <= set(live.tolist())


def test_the_sample_of_a_large_repository_is_bounded_and_repeatable():
    live = np.arange(1_000_000)
    pairs = dict(random_pairs(live))
    assert sum(map(len, pairs.values())) == QUERIES * CANDIDATES
    again = dict(random_pairs(live))
    assert all((pairs[query] == again[query]).all() for query in pairs)


def without_ranks(model: Model) -> Model:
    """A combination of the same scores, without the features that depend on the list of candidates."""
    kept = [row for row, name in enumerate(model.content["features"]) if not name.startswith(RANK)]
    columns = ("features", "weights", "missing_values", "feature_means")
    chosen = {name: [model.content[name][row] for row in kept] for name in columns}
    return replace(model, name=COMBINATION, content={**model.content, **chosen})


@pytest.fixture(scope="module")
def stocked(build, tmp_path_factory) -> Workspace:
    """Samples of measures with every kind of retriever; tests only read it."""
    workspace = build(DOCUMENTS)
    folder = tmp_path_factory.mktemp("judged")
    first_stage = ("web-kernel", "jaccard-stems")
    config = TrainingConfig(("web-kernel", "jaccard-stems", "edit"), unconstrained=True)
    ranked = keep(workspace, folder, LISTWISE, config, first_stage)
    workspace.save_model(without_ranks(ranked))
    workspace.repository.add(REPOSITORY)
    workspace.reopen().build_all([*SEARCHING, LISTWISE])
    return workspace.reopen()


@pytest.fixture
def own(stocked, tmp_path) -> Workspace:
    """A copy for a test that changes it."""
    shutil.copytree(stocked.path, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace", stocked.settings)


@pytest.mark.parametrize("name", SEARCHING)
def test_a_small_repository_is_sampled_whole(stocked, name):
    queries = stocked.repository.queries(stocked.repository.live_ids())
    measure = stocked.measure(name)
    expected = np.concatenate(
        [measure.score(query, [other for other in queries if other != query]) for query in queries]
    )
    distribution = stocked.score_distribution(name)
    assert distribution.pairs == len(expected) == len(queries) * (len(queries) - 1)
    assert distribution.scores == pytest.approx(np.sort(expected[~np.isnan(expected)]), abs=2e-6)


def test_a_listwise_measure_has_no_distribution(stocked):
    assert stocked.measure(LISTWISE).listwise
    assert stocked.score_distribution(LISTWISE) is None
    assert stocked.suggest("space exploration", 1, LISTWISE).suggestions[0].percentile is None


@pytest.mark.parametrize("name", SEARCHING)
def test_suggestions_matches_and_explanations_have_the_percentile_of_their_score(stocked, name):
    distribution = stocked.score_distribution(name)
    found = stocked.suggest("rice terraces of java", 3, name, explain=True, min_probability=0)
    (matched,) = stocked.match(["rice terraces of java"], 3, name)
    assert found.suggestions
    for each in (*found.suggestions, *matched.suggestions):
        assert each.percentile == distribution.percentile(each.score)
    assert [each.explanation.percentile for each in found.suggestions] == [
        each.percentile for each in found.suggestions
    ]
    explained = stocked.explain("NASA", "ESA", name)
    assert explained.percentile == distribution.percentile(stocked.similarity("NASA", "ESA", name))


def test_a_measure_that_was_not_built_has_no_percentiles(stocked):
    assert stocked.score_distribution("tfidf") is None
    assert stocked.percentile(0.5, "tfidf") is None


def first(workspace: Workspace, name: str) -> Suggestion:
    (found,) = workspace.match(["NASA"], 1, name)
    return found.suggestions[0]


def generation(workspace: Workspace, name: str) -> int:
    store = score_distribution_store.Store(
        workspace.path / score_distribution_store.KIND / name, score_distribution_store.KIND
    )
    return store.manifest().generation


def added(workspace: Workspace, number: int) -> Workspace:
    workspace.repository.add([f"query number {each}" for each in range(number)])
    return workspace.reopen()


def test_few_changes_keep_the_sample_and_many_replace_it(own):
    few = added(own, len(own.repository) // 10)
    assert few.score_distribution("jaccard").pairs == own.score_distribution("jaccard").pairs
    few.build("jaccard")
    assert generation(few, "jaccard") == generation(own, "jaccard")
    many = added(few, len(few.repository) // 2)
    assert many.score_distribution("jaccard") is None
    assert first(many, "jaccard").percentile is None
    many.build("jaccard")
    assert many.score_distribution("jaccard").pairs == len(many.repository) * (len(many.repository) - 1)


def test_removed_queries_and_new_documents_outdate_a_sample(own):
    queries = own.repository.queries(own.repository.live_ids()[:10])
    own.repository.remove(queries)
    removed = own.reopen()
    assert removed.score_distribution("jaccard") is None
    removed.build("jaccard")
    assert removed.score_distribution("jaccard")
    removed.corpus.add([Document(str(each), f"title {each}", "a text") for each in range(1000, 1020)])
    assert removed.reopen().score_distribution("jaccard") is None


def test_a_sample_of_other_settings_or_another_model_is_not_used(own, tmp_path):
    other = Settings(text=own.settings.text, measures={"web-kernel": {"own": 0.25}})
    assert Workspace.open(own.path, own.settings).score_distribution("web-kernel")
    assert Workspace.open(own.path, other).score_distribution("web-kernel") is None
    model = own.model(COMBINATION)
    calibration = {**model.content["calibration"], "shift": 0.5}
    own.save_model(replace(model, content={**model.content, "calibration": calibration}))
    assert own.score_distribution(COMBINATION) is None
    own.build(COMBINATION)
    assert own.score_distribution(COMBINATION)


def test_a_sample_of_older_statistics_is_not_used(own):
    own.corpus.add([Document("new", "Tea", "A cup of tea.")])
    own = own.reopen()
    assert own.score_distribution("web-kernel")
    own.indexes.update([own.measure("web-kernel")], rebuild=True)  # as a build that is killed before sampling
    assert own.score_distribution("web-kernel") is None
    assert first(own, "web-kernel").percentile is None
    own.build("web-kernel")
    assert own.score_distribution("web-kernel")


def test_a_rebuild_samples_again_and_a_build_does_not(own):
    before = generation(own, "edit")
    own.build("edit")
    assert generation(own, "edit") == before
    own.build("edit", rebuild=True)
    assert generation(own, "edit") == before + 1


def test_an_index_built_on_first_use_is_sampled_and_says_so(own):
    progress = Recorded()
    workspace = Workspace.open(own.path, own.settings, progress=progress)
    assert first(workspace, "cosine-stems").percentile
    pairs = len(own.repository) * (len(own.repository) - 1)
    assert f"cosine-stems: sampling the scores of {pairs:,} random pairs" in progress.lines


def test_a_service_samples_nothing(own, monkeypatch):
    shutil.rmtree(own.path / score_distribution_store.KIND)
    monkeypatch.setattr(score_sampling, "sample_scores", None)
    refusing = own.reopen(BuildPolicy.REFUSE)
    assert first(refusing, "jaccard").percentile is None
    assert first(refusing, "edit").percentile is None


def test_a_few_queries_are_no_sample(build):
    workspace = build(DOCUMENTS[:5])
    workspace.repository.add([f"query {each}" for each in range(MIN_QUERIES - 1)])
    workspace.reopen().build("jaccard")
    assert workspace.reopen().score_distribution("jaccard") is None
    workspace.repository.add(["one more"])
    workspace.reopen().build("jaccard")
    distribution = workspace.reopen().score_distribution("jaccard")
    assert distribution.pairs == MIN_QUERIES * (MIN_QUERIES - 1)
    assert distribution.highest_percentile > 90


def test_an_interrupted_sampling_leaves_the_old_sample(own, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(score_sampling, "random_pairs", interrupted)
    with pytest.raises(KeyboardInterrupt):
        own.build("edit", rebuild=True)
    assert own.score_distribution("edit")
    assert corrupted_files(own) == []


def test_a_damaged_sample_is_found_and_drawn_again(own):
    before = own.suggest("nasa", 1, "edit").suggestions
    (file,) = (own.path / score_distribution_store.KIND / "edit" / "parts").glob("*/scores.npy")
    file.write_bytes(file.read_bytes()[:-8])
    assert [line for line in corrupted_files(own) if str(file) in line]
    with pytest.raises(WorkspaceError, match="querykin check"):
        own.reopen(BuildPolicy.REFUSE).suggest("nasa", 1, "edit")
    assert before[0].percentile is not None
    assert own.reopen().suggest("nasa", 1, "edit").suggestions == before
    assert corrupted_files(own) == []
