"""B-cubed against the reference, and the constraints of Amigó et al. (2009) that set it apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.evaluation.b_cubed import b_cubed
from reference.b_cubed import b_cubed as reference

numbers = st.integers(-1, 4)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12))
def test_every_item_has_the_values_of_the_reference(items):
    clusters, classes = zip(*items, strict=True)
    found = b_cubed(np.array(clusters), np.array(classes))
    precision, recall = zip(*reference(clusters, classes), strict=True)
    assert found.precision.tolist() == [float(each) for each in precision]
    assert found.recall.tolist() == [float(each) for each in recall]


@pytest.mark.parametrize(
    ("clusters", "precision", "recall"),
    [([0, 0, 1, 1], 1, 1), ([0, 0, 0, 0], 0.5, 1), ([0, 1, 2, 3], 1, 0.5)],
)
def test_one_cluster_is_imprecise_and_singletons_recall_little(clusters, precision, recall):
    found = b_cubed(np.array(clusters), np.array([5, 5, 6, 6]))
    assert (found.precision.mean(), found.recall.mean()) == (precision, recall)
    assert found.f() == pytest.approx(2 * precision * recall / (precision + recall))


def test_a_stray_item_costs_less_in_a_mixed_cluster_than_in_a_pure_one():
    """The rag bag of Amigó et al. (2009): items without a group are best kept together."""
    pure, mixed = [0] * 5, [1] * 5
    classes = np.array([0] * 5 + [1, 2, 3, 4, 5] + [6])
    into_pure = b_cubed(np.array([*pure, *mixed, 0]), classes).f()
    into_mixed = b_cubed(np.array([*pure, *mixed, 1]), classes).f()
    assert into_mixed > into_pure
