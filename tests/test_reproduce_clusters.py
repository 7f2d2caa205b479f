"""The study of clusters on two small lists: thresholds from the other half, methods, intervals."""

import numpy as np
import pytest

from querykin import Workspace
from querykin.clustering.thresholds import DEFAULT_THRESHOLDS

FIRST = [
    ("garden hose", "a"),
    ("hose for a garden", "a"),
    ("the garden hose", "a"),
    ("apple pie", "b"),
    ("pie of apples", "b"),
    ("java", ""),
]
SECOND = [
    ("red wine", "c"),
    ("red wines", "c"),
    ("wine that is red", "c"),
    ("blue cheese", "d"),
    ("cheese, blue", "d"),
    ("red cheese", ""),
]


@pytest.fixture
def listed(module, tmp_path):
    sets, workspace = module("cluster_sets"), Workspace.open(tmp_path / "workspace")
    halves = [
        sets.Half.of(workspace, [sets.Keyword(*each) for each in half], tmp_path / str(side))
        for side, half in enumerate((FIRST, SECOND))
    ]
    return sets.ClusterSet("small", halves)


def test_keywords_without_a_class_are_not_judged_but_count_as_wrong(module, listed):
    half = listed.halves[1]
    assert half.classes.tolist() == [0, 0, 0, 1, 1, module("cluster_sets").OTHER]
    found = module("cluster_quality").judged(half, np.array([0, 0, 0, 1, 1, 1]))
    assert found.precision.tolist() == pytest.approx([1, 1, 1, 2 / 3, 2 / 3])
    assert found.recall.tolist() == [1] * 5


def test_the_threshold_of_a_half_is_the_best_of_the_other(module, listed):
    methods, quality = module("cluster_methods"), module("cluster_quality")
    measured = quality.Measured.of(methods.stars("jaccard-stems"), listed)
    for threshold, other in zip(measured.chosen(), reversed(measured.curves), strict=True):
        assert other[threshold] == max(other.values())
    curve = measured.curves[0]
    assert curve[0.5] == 1
    assert curve[0.95] < 1


def test_methods_that_link_all_pairs_agree_with_connected_components(module, listed):
    methods = module("cluster_methods")
    half = listed.halves[0]
    single = methods.word_overlap("single").prepare(half)
    components = methods.single_link("jaccard-stems").prepare(half)
    for threshold in (0.6, 0.3):
        pairs = {
            (a, b) for a, b in zip(single(threshold).tolist(), components(threshold).tolist(), strict=True)
        }
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def test_noise_of_hdbscan_is_alone(module):
    points = np.array([0.0, 0.01, 0.02, 5.0, 5.01, 5.02, 99.0])
    found = module("cluster_methods")._hdbscan(np.abs(points[:, None] - points), 3)
    assert (found == found[-1]).sum() == 1
    assert len(set(found[:3])) == len(set(found[3:6])) == 1


def test_the_table_compares_every_method_with_the_best_peer(module, listed):
    clusters, methods = module("clusters"), module("cluster_methods")
    compared = [
        methods.stars("jaccard-stems"),
        methods.word_overlap("average"),
        methods.word_overlap("single"),
    ]
    measured = clusters.measure_all(listed, compared)
    _, _, *rows = clusters.methods(listed, measured, [each.name for each in compared[1:]]).splitlines()
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [each.name for each in compared]
    assert sum("[" in row for row in rows) == 2


def test_a_default_threshold_is_reached_by_a_text_and_itself(tmp_path):
    workspace = Workspace.open(tmp_path)
    for name in ("jaccard", "dice-stems", "cosine", "overlap", "edit", "static"):
        assert (
            DEFAULT_THRESHOLDS[name]
            < workspace.similarity("apple pie", "apple pie", name)
            == pytest.approx(1)
        )
