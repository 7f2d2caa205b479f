"""Theorems 1 to 3 of Sahami & Heilman (2006), by simulation."""

import numpy as np
import pytest


@pytest.mark.parametrize("relevant", [200, 400, 2000])
def test_theorem_1_expected_overlap_is_n_over_the_relevant_set(module, relevant):
    overlap, kernel = module("theorems").overlap_and_kernel(np.random.default_rng(1), relevant)
    assert overlap == pytest.approx(200 / relevant, abs=0.01)
    assert kernel > 0.99


@pytest.mark.parametrize("dimensions", [2, 10, 100])
@pytest.mark.parametrize("dispersion", [0.25, 0.5, 1.0])
def test_theorem_2_holds_for_the_root_mean_square_angle_of_moderate_dispersion(
    module, dimensions, dispersion
):
    check = module("theorems").check_bound(
        np.random.default_rng(2), dimensions, (dispersion, dispersion), n=50
    )
    assert check.within[1] > 0.98


def test_theorem_2_fails_for_the_standard_deviation_and_for_documents_nearly_orthogonal_to_their_mean(module):
    check_bound = module("theorems").check_bound
    assert check_bound(np.random.default_rng(3), 100, (0.5, 0.5)).within[0] < 0.5
    assert check_bound(np.random.default_rng(3), 100, (16.0, 16.0)).within[1] < 0.5


def test_theorem_3_holds_for_the_root_mean_square_angle_of_moderate_dispersion(module):
    check = module("theorems").check_bound(np.random.default_rng(4), 100, (0.5, 1.0), between=0.5)
    assert check.within[1] > 0.98
    assert check.angle > 0.5
