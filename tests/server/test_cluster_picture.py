"""The picture of a cluster: distances by score, sizes by count, labels that do not overlap."""

import math
from itertools import pairwise

import pytest

from querykin.clustering.clusters import Cluster, Member
from querykin.server.cluster_picture import FARTHEST, MIDDLE, NEAREST, ROW, SHOWN, WIDTH, draw_cluster

LETTER = 7  # pixels of a letter at most, on average


def cluster_of(size, text="garden hose number"):
    members = tuple(Member(f"{text} {n}", 1 - n / 100, 1 + n) for n in range(size))
    return Cluster("garden hose", 5 + sum(each.count for each in members), members)


@pytest.mark.parametrize("size", [1, 2, 3, 7, SHOWN, SHOWN + 30])
def test_labels_are_in_the_picture_and_rows_of_their_own(size):
    picture = draw_cluster(cluster_of(size, "a rather long keyword of many words"), 0.5, 1.0)
    assert len(picture.dots) == min(size, SHOWN)
    assert picture.hidden == size - len(picture.dots)
    for side in (True, False):
        heights = sorted(dot.y for dot in picture.dots if dot.on_the_left is side)
        assert all(below - above >= ROW for above, below in pairwise(heights))
    for dot in picture.dots:
        end = dot.label_x + LETTER * len(dot.label) * (-1 if dot.on_the_left else 1)
        assert 0 <= end <= WIDTH
        assert dot.radius < dot.y < picture.height - dot.radius


def test_the_nearer_the_more_alike_and_the_larger_the_more_frequent():
    picture = draw_cluster(cluster_of(SHOWN), 0.5, 1.0)
    distances = [math.hypot(dot.x - MIDDLE, dot.y - picture.middle) for dot in picture.dots]
    assert distances == sorted(distances)
    assert distances[0] == pytest.approx(NEAREST, abs=0.1)
    assert max(dot.radius for dot in picture.dots) == picture.dots[-1].radius


def test_a_keyword_placed_by_hand_without_a_score_is_farthest():
    picture = draw_cluster(Cluster("a", 2, (Member("b", math.nan, 1),)), 0.5, 1.0)
    assert picture.dots[0].x == MIDDLE + FARTHEST
