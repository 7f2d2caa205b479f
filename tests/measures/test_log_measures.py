"""Measures over a search log: worked values, unknown texts, privacy, search and explanations."""

import numpy as np
import pytest

from querykin import Workspace, WorkspaceError
from querykin.build_policy import BuildPolicy
from querykin.io.log_files import LogRecord
from querykin.learning.combination.training import CombinationTask, train_combination
from querykin.measures.co_session import log_likelihood_ratio
from querykin.settings import Settings
from querykin.settings_sections import LogSettings
from querykin.testing import check_measure, check_search

NAMES = ("co-click", "co-session", "reformulation")
EXACT = {"smoothing": 0.0}
UNSMOOTHED = Settings(measures=dict.fromkeys(NAMES, EXACT))


def opened(tmp_path, records, settings=UNSMOOTHED):
    workspace = Workspace.open(tmp_path, settings)
    workspace.add_log(records)
    return workspace.reopen()


def sessions(first, count, *queries, urls=()):
    return [
        LogRecord(query, f"{first} {n}", float(at), dict(enumerate(urls)).get(at, ""))
        for n in range(count)
        for at, query in enumerate(queries)
    ]


@pytest.fixture
def kitchen(tmp_path):
    """Ten sessions about baking, ten about space."""
    return opened(
        tmp_path,
        [
            *sessions("bake", 10, "apple pie", "pastry crust", urls=("/pie", "/crust")),
            *sessions("fruit", 3, "tarte tatin", urls=("/pie",)),
            *sessions("space", 10, "nasa", "rocket launch", urls=("/nasa", "/nasa")),
        ],
    )


def test_queries_with_the_same_pages_have_cosine_1(kitchen):
    scores = kitchen.measure("co-click").score(
        "apple pie", ["tarte tatin", "pastry crust", "nasa", "volcano"]
    )
    assert scores[:3] == pytest.approx([1, 0, 0])
    assert np.isnan(scores[3])


def test_pages_of_many_queries_count_less(tmp_path):
    clicks = [LogRecord(f"q{n}", url="/home", count=3) for n in range(8)]
    clicks += [LogRecord(query, url="/own", count=3) for query in ("q0", "q1")]
    score = opened(tmp_path, clicks).similarity("q0", "q2", "co-click")
    home, own = np.log1p(8 / 8), np.log1p(8 / 2)
    assert score == pytest.approx(home / np.hypot(home, own))


def test_the_log_likelihood_ratio_is_dunnings():
    # The first line of table 1 in Dunning (1993): k = 110, 2442, 111, 29114 gives 270.72.
    both, first, second, total = 110.0, 110.0 + 2442.0, 110.0 + 111.0, 110.0 + 2442.0 + 111.0 + 29114.0
    found = log_likelihood_ratio(np.array([both]), np.array([first]), np.array([second]), total)
    assert found == pytest.approx(270.72, abs=0.01)
    assert log_likelihood_ratio(np.array([1.0]), np.array([50.0]), np.array([50.0]), 100.0) == 0


def test_queries_of_one_session_are_associated_both_ways(kitchen):
    measure = kitchen.measure("co-session")
    ratio = log_likelihood_ratio(*(np.array([10.0]) for _ in range(3)), 23.0)
    assert measure.score("apple pie", ["pastry crust", "nasa", "apple pie"]) == pytest.approx(
        [float(ratio[0] / (1 + ratio[0])), 0, 1]
    )
    assert measure.score("pastry crust", ["apple pie"]) == pytest.approx(ratio / (1 + ratio))


def test_a_reformulation_has_a_direction(kitchen):
    assert kitchen.similarity("apple pie", "pastry crust", "reformulation") == 1
    assert np.isnan(kitchen.similarity("pastry crust", "apple pie", "reformulation"))


def test_the_probability_is_a_share_of_sessions_or_of_reformulations(tmp_path):
    given = [LogRecord("a", reformulation=query, count=n) for query, n in (("b", 6), ("c", 4))]
    assert opened(tmp_path, given).measure("reformulation").score("a", ["b", "c"]) == pytest.approx(
        [0.6, 0.4]
    )
    asked = [*sessions("x", 5, "a", "b"), *sessions("y", 5, "a")]
    assert opened(tmp_path / "s", asked).similarity("a", "b", "reformulation") == 0.5


def test_a_text_that_is_not_in_the_log_is_compared_by_the_nearest_queries(kitchen):
    assert kitchen.similarity("apple pie easy", "tarte tatin", "co-click") == pytest.approx(1)
    assert kitchen.similarity("rocket launch today", "nasa", "co-session") > 0.9
    assert kitchen.similarity("nasa", "a rocket launch", "reformulation") == 1


def test_smoothing_moves_a_rare_query_to_its_neighbors(tmp_path):
    records = [
        *sessions("a", 20, "rose garden", urls=("/roses",)),
        *sessions("b", 3, "rose gardens", urls=("/other",)),
    ]
    exact = opened(tmp_path, records).similarity("rose garden", "rose gardens", "co-click")
    smoothed = opened(tmp_path, records, Settings()).similarity("rose garden", "rose gardens", "co-click")
    assert exact == 0
    assert 0.3 < smoothed < 1


@pytest.mark.parametrize("name", NAMES)
def test_data_of_few_sessions_is_not_told(name, tmp_path):
    records = [
        *sessions("a", 5, "apple pie", "pastry crust", urls=("/pie", "/crust")),
        *sessions("ann", 2, "apple pie", "ann's illness", urls=("/pie", "/token=ann")),
    ]
    workspace = opened(tmp_path, records, Settings())
    found = [
        workspace.explain("apple pie", text, name) for text in ("pastry crust", "ann's illness", "apple pie")
    ]
    assert "ann" not in repr([(each.contributions, each.notes) for each in found])
    assert np.isnan(found[1].score)
    assert "ann's illness" not in list(workspace.repository.all_queries())
    stored = [path for path in (tmp_path / "log-graphs").rglob("*") if path.is_file()]
    assert stored
    assert not any(b"ann" in path.read_bytes() for path in stored)


def test_a_page_that_one_session_clicked_after_many_queries_is_not_told(tmp_path):
    account = [LogRecord(query, "ann", url="/account/ann") for query in ("sign in", "my account", "log in")]
    records = [*sessions("a", 3, "sign in", "my account", "log in", urls=("/help",) * 3), *account]
    workspace = opened(tmp_path, records)
    contributions = workspace.explain("sign in", "my account", "co-click").contributions
    assert [each.term for each in contributions] == ["/help"]


def test_the_threshold_of_privacy_can_change(tmp_path):
    records = [
        *sessions("a", 5, "apple pie", urls=("/pie",)),
        *sessions("b", 3, "tarte tatin", urls=("/pie",)),
    ]
    assert opened(tmp_path, records).similarity("apple pie", "tarte tatin", "co-click") == pytest.approx(1)
    strict = Workspace.open(tmp_path, Settings(log=LogSettings(min_sessions=4)))
    assert np.isnan(strict.similarity("apple pie", "tarte tatin", "co-click"))
    strict.build("co-click")
    assert list(strict.repository.all_queries()) == ["apple pie"]
    relaxed = Workspace.open(tmp_path)
    relaxed.build("co-click")
    assert sorted(relaxed.repository.all_queries()) == ["apple pie", "tarte tatin"]


def test_a_combination_of_words_and_the_log_finds_what_either_finds(kitchen, tmp_path):
    pairs = [("apple pie", "tarte tatin", 1), ("apple pie", "apple pies", 1), ("apple pie", "nasa", 0)]
    pairs += [("nasa", "rocket launch", 1), ("nasa", "nasa probes", 1), ("nasa", "pastry crust", 0)]
    rows = "".join(f"{query}\t{candidate}\t{grade}\n" for query, candidate, grade in pairs)
    (file := tmp_path / "judged.tsv").write_text(f"query\tcandidate\tgrade\n{rows}")
    kitchen.repository.add([(candidate, 1) for _, candidate, _ in pairs])
    kitchen = kitchen.reopen()
    train_combination(kitchen, CombinationTask(str(file), "mine", ["jaccard-stems", "co-click"]))
    found = [each.query for each in kitchen.suggest("apple pie", measure="mine", filter="none").suggestions]
    assert set(found[:3]) == {"apple pie", "apple pies", "tarte tatin"}


def test_a_keyword_list_does_not_get_the_queries_of_the_log(kitchen, tmp_path):
    beside = Workspace.open(tmp_path, Settings(log=LogSettings(min_sessions=4))).beside(tmp_path / "list")
    beside.repository.add([("apple pie", 1), ("tarte tatin", 1)])
    beside.build("co-click")
    assert sorted(beside.repository.all_queries()) == ["apple pie", "tarte tatin"]
    assert [each.query for each in beside.suggest("apple pie", measure="co-click").suggestions] == []
    kitchen.build("co-click")
    assert beside.reopen().repository.sources() == {"default": 2}


@pytest.mark.parametrize("name", NAMES)
def test_search_equals_scoring_every_candidate_without_a_corpus(name, kitchen):
    kitchen.repository.add([("apple pies easy", 2), ("rocket", 1), ("crust of pastry", 4)])
    check_search(kitchen.reopen(), name, ["apple pie", "nasa", "launch a rocket", "volcano"])
    check_measure(kitchen.measure(name), ["apple pie", "nasa", "rocket launch today", "tarte tatin"])


def test_a_log_that_grows_is_used_after_the_next_build(kitchen):
    kitchen.build("co-click")
    kitchen.add_log([LogRecord("flammkuchen", url="/pie", count=9)], "later")
    before = kitchen.reopen(BuildPolicy.REFUSE)
    assert before.missing_derived("co-click") == []
    assert np.isnan(before.similarity("flammkuchen", "nasa", "co-click"))
    assert before.suggest("apple pie", measure="co-click").suggestions
    before = kitchen.reopen(BuildPolicy.SERVE)
    before.build("co-click")
    assert before.reopen().similarity("flammkuchen", "apple pie", "co-click") == pytest.approx(1)


def test_a_reader_needs_no_access_to_the_log_itself(kitchen):
    kitchen.build("co-click")
    (kitchen.path / "log").rename(kitchen.path.parent / "elsewhere")
    reader = kitchen.reopen(BuildPolicy.REFUSE)
    assert "co-click" in reader.measures()
    assert reader.suggest("apple pie", measure="co-click").suggestions
    assert "/pie" in repr(reader.explain("apple pie", "tarte tatin", "co-click"))


def test_explanations_name_pages_and_numbers_of_sessions(kitchen):
    found = kitchen.explain("apple pie easy", "tarte tatin", "co-click")
    assert [each.term for each in found.contributions] == ["/pie"]
    assert found.notes == (
        "a: not in the log; nearest by words: apple pie",
        "b: in the log, asked in 3 sessions",
    )
    notes = kitchen.explain("apple pie", "pastry crust", "co-session").notes
    assert notes[-1] == "'apple pie' was asked with 'pastry crust' in 10 sessions"
    notes = kitchen.explain("nasa", "rocket launch", "reformulation").notes
    assert notes[-1] == "'nasa' was followed by 'rocket launch' in 10 sessions"
    assert "no logged query" in kitchen.explain("volcano", "nasa", "co-click").notes[0]


@pytest.mark.parametrize("name", NAMES)
def test_without_a_log_the_error_says_what_to_do(name, tmp_path):
    workspace = Workspace.open(tmp_path)
    assert name not in workspace.measures()
    with pytest.raises(WorkspaceError, match=r"there is no log of .*; next: querykin log add FILE"):
        workspace.measure(name)
    workspace.add_log([LogRecord("rare", "1", url="/r")])
    with pytest.raises(WorkspaceError, match=r"has no .* of queries that at least 3 sessions asked"):
        workspace.reopen().measure(name)
