"""Suggestions by the default measure: probabilities, paraphrases, and the same in every interface."""

import json

import numpy as np
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from querykin import Workspace
from querykin.cli.main import program
from querykin.defaults import DEFAULT_MEASURE, MIN_PROBABILITY
from querykin.embeddings.encoder_support import encoder_problem
from querykin.errors import InputError
from querykin.measures.part_weights import DENSE
from querykin.retrieval.hybrid_retriever import PARAPHRASE, PART_OF_QUERY, HybridRetriever
from querykin.retrieval.suggester import Suggestions, suggestions_json
from querykin.server.app import create_app
from querykin.settings_sections import ServerSettings
from querykin.text.languages import ENGLISH
from querykin.text.tokenizer import words
from stocked import REPOSITORY
from topics import DOCUMENTS

PARAPHRASES = [("how are pancakes made", 5), ("how do you make pancakes", 3), ("pancake recipe", 2)]
ASKED = ["space exploration", "making pancakes", "Borobudur", "java", "sonata"]
EVERYTHING = 200


@pytest.fixture(scope="module")
def stocked(build) -> Workspace:
    """The packaged models over 61 documents; tests only read it."""
    if problem := encoder_problem([ENGLISH]):
        pytest.skip(problem)
    workspace = build(DOCUMENTS)
    workspace.repository.add([*REPOSITORY, *PARAPHRASES])
    workspace.reopen().build_all([DEFAULT_MEASURE, "hybrid-static"])
    return workspace.reopen()


def offered(found: Suggestions) -> list[str]:
    return [each.query for each in found.suggestions]


def probabilities(found: Suggestions) -> list[float | None]:
    return [each.probability for each in found.suggestions]


@pytest.mark.parametrize("measure", ["hybrid", "hybrid-static"])
def test_suggestions_of_a_calibrated_measure_have_probabilities(stocked, measure):
    found = stocked.suggest("space exploration", measure=measure)
    assert found.measure == measure
    assert found.suggestions
    assert all(MIN_PROBABILITY <= each <= 1 for each in probabilities(found))
    entry = suggestions_json(found)["suggestions"][0]
    assert entry["probability"] == pytest.approx(found.suggestions[0].probability, abs=1e-4)


def test_other_measures_have_no_probabilities_and_no_minimum(stocked):
    found = stocked.suggest("space exploration", EVERYTHING, "web-kernel", min_probability=1.0)
    assert found == stocked.suggest("space exploration", EVERYTHING, "web-kernel", min_probability=0.0)
    assert set(probabilities(found)) == {None}
    assert "probability" not in suggestions_json(found)["suggestions"][0]


@pytest.mark.parametrize("query", ASKED)
@pytest.mark.parametrize("floor", [0.02, MIN_PROBABILITY, 0.3, 0.9])
def test_what_is_less_probable_than_the_minimum_is_left_out(stocked, query, floor):
    everything = stocked.suggest(query, EVERYTHING, filter="none", min_probability=0).suggestions
    found = stocked.suggest(query, EVERYTHING, filter="none", min_probability=floor).suggestions
    assert list(found) == [each for each in everything if each.probability >= floor]


def test_a_minimum_of_0_keeps_every_query(stocked):
    found = stocked.suggest("space exploration", EVERYTHING, filter="none", min_probability=0)
    assert len(found.suggestions) == len(stocked.repository)
    assert min(probabilities(found)) < MIN_PROBABILITY
    assert not stocked.suggest("space exploration", min_probability=1).suggestions


def test_a_threshold_and_a_minimum_probability_hold_together(stocked):
    found = stocked.suggest("java", EVERYTHING, filter="none", threshold=0.3, min_probability=0.1).suggestions
    everything = stocked.suggest("java", EVERYTHING, filter="none", min_probability=0).suggestions
    assert list(found) == [each for each in everything if each.score >= 0.3 and each.probability >= 0.1]


def test_matches_have_no_minimum_probability(stocked):
    (found,) = stocked.match(["space exploration"], EVERYTHING)
    assert len(found.suggestions) == len(stocked.repository)
    (limited,) = stocked.suggester(min_probability=1.0).match(["space exploration"], EVERYTHING)
    assert limited == found


def test_only_diverse_leaves_out_paraphrases(stocked, monkeypatch):
    def lists() -> dict[str, list[str]]:
        return {
            name: offered(stocked.suggest("making pancakes", EVERYTHING, filter=name))
            for name in ("none", "paper", "diverse")
        }

    before = lists()
    same = {"how are pancakes made", "how do you make pancakes"}
    assert same <= set(before["none"])
    assert len(same & set(before["diverse"])) == 1
    monkeypatch.setattr(HybridRetriever, "are_paraphrases", lambda self, query_id, others: True)
    assert lists() == {**before, "diverse": before["diverse"][:1]}


def test_no_two_suggestions_are_paraphrases(stocked):
    rows = stocked.retriever("hybrid").parts[DENSE].index.dense_rows
    for query in ASKED:
        found = stocked.suggest(query, EVERYTHING, "hybrid", min_probability=0).suggestions
        embeddings = rows(np.array([each.query_id for each in found]), stocked.repository)
        assert np.triu(embeddings @ embeddings.T, 1).max() < PARAPHRASE


def test_a_kept_paraphrase_is_the_better_one(stocked):
    plain = [
        each
        for each in offered(stocked.suggest("making pancakes", EVERYTHING, filter="none"))
        if "how " in each
    ]
    diverse = [each for each in offered(stocked.suggest("making pancakes", EVERYTHING)) if "how " in each]
    assert diverse[0] == plain[0]


@pytest.mark.parametrize("query", ASKED)
def test_suggestions_are_ordered_by_score(stocked, query):
    scores = [each.score for each in stocked.suggest(query, 20, min_probability=0).suggestions]
    assert scores == sorted(scores, reverse=True)


def test_a_query_that_no_document_knows_is_answered_by_general_language(stocked):
    found = stocked.suggest("spacecraft zzqqy", min_probability=0, exact=True)
    assert not found.covered
    assert {"Space travel", "NASA", "space exploration", "Rocket engine"} & set(offered(found))


def test_explanations_sum_to_the_score(stocked):
    for each in stocked.suggest("space exploration", 3, explain=True).suggestions:
        assert sum(part.share for part in each.explanation.contributions) == pytest.approx(
            each.score, abs=1e-5
        )


@pytest.mark.parametrize("wrong", [-0.1, 1.5, "0.5", float("nan")])
def test_a_probability_is_a_number_from_0_to_1(stocked, wrong):
    with pytest.raises(InputError, match="min_probability must be a number from 0 to 1"):
        stocked.suggest("nasa", min_probability=wrong)


@pytest.mark.parametrize("floor", [None, 0.0, 0.5])
def test_library_command_line_and_service_give_the_same_suggestions(stocked, floor):
    options = {} if floor is None else {"min_probability": floor}
    expected = [suggestions_json(stocked.suggest(query, **options)) for query in ASKED]
    arguments = [] if floor is None else ["--min-probability", str(floor)]
    shell = ["suggest", *ASKED, *arguments, "--format", "json", "--quiet", "--workspace", str(stocked.path)]
    printed = CliRunner().invoke(program(), shell)
    assert printed.exit_code == 0, printed.output
    assert json.loads(printed.stdout) == expected
    with TestClient(create_app(Workspace.open(stocked.path), ServerSettings(rate=0.0))) as client:
        answers = [client.get("/v1/suggest", params={"q": query, **options}).json() for query in ASKED]
    assert answers == expected


@pytest.mark.parametrize("measure", ["hybrid", "hybrid-static"])
def test_a_part_of_the_query_is_ranked_down_and_says_so(stocked, measure):
    suggester = stocked.suggester(measure, filter="none", min_probability=0)
    (found,) = suggester.suggest(["space exploration in asia"], EVERYTHING, explain=True)
    by_query = {each.query: each for each in found.suggestions}
    (matched,) = suggester.match(["space exploration in asia"], EVERYTHING)
    lower = [each.query for each in matched.suggestions if by_query[each.query].score < each.score - 1e-4]
    assert lower
    assert all(set(words(query)) <= {"space", "exploration", "in", "asia"} for query in lower)
    for query, each in by_query.items():
        assert sum(part.share for part in each.explanation.contributions) == pytest.approx(
            each.score, abs=1e-4
        )
        assert (PART_OF_QUERY in {part.term for part in each.explanation.contributions}) == (query in lower)
