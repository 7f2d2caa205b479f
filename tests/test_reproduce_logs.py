"""The study of search logs on small examples: what is simulated, and with which noise."""

from collections import Counter

import numpy as np
import pytest

from querykin.logs.log import Log


@pytest.fixture
def needs(module):
    logged = {"pie": ["apple pie", "pie with apples"], "space": ["nasa", "space agency"]}
    weights = {"pie": np.array([0.9, 0.1]), "space": np.array([0.5, 0.5])}
    return module("simulated_log").Needs(logged, weights, frozenset({"other"}))


PAGES = {
    "apple pie": (["p1", "p2"], np.array([0.8, 0.2])),
    "pie with apples": (["p1"], np.array([1.0])),
    "nasa": (["s1"], np.array([1.0])),
    "space agency": ([], np.array([])),
}


def test_a_share_of_the_log_has_that_share_of_the_sessions(module, needs, tmp_path):
    simulate = module("simulated_log").simulate
    for share in (0.01, 0.1):
        totals = Log(tmp_path / str(share)).add(simulate(needs, PAGES, share)).totals
        assert totals.sessions == 2 * module("simulated_log").SESSIONS * share


def test_sessions_are_mostly_about_one_need_and_clicks_on_its_pages(module, needs):
    study = module("simulated_log")
    records = list(study.simulate(needs, PAGES, 0.5))
    about = [record.query in needs.logged[record.session.split()[0]] for record in records]
    # Of the queries about a need drawn at random, half are about the session's own.
    assert np.mean(about) == pytest.approx(1 - study.OTHER_NEED / 2, abs=0.03)
    clicks = Counter(record.url for record in records if record.query == "nasa")
    assert clicks[""] / sum(clicks.values()) == pytest.approx(1 - study.CLICKED, abs=0.1)
    assert clicks["s1"] > 5 * clicks["p1"]
    assert clicks["p1"] > 0


def test_the_same_seed_gives_the_same_log(module, needs):
    simulate = module("simulated_log").simulate
    assert list(simulate(needs, PAGES, 0.01)) == list(simulate(needs, PAGES, 0.01))
    assert list(simulate(needs, PAGES, 0.01)) != list(simulate(needs, PAGES, 0.01, seed=1))


def test_half_of_the_needs_and_half_of_their_variations_are_logged(module):
    data = module("data")
    if data.missing():
        pytest.skip(data.missing())
    needs = module("simulated_log").split_needs()
    assert abs(len(needs.logged) - len(needs.others)) <= 1
    assert not needs.logged.keys() & needs.others
    assert all(weights.sum() == pytest.approx(1) for weights in needs.weights.values())
