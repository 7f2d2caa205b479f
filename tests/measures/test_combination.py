"""Trained combinations as measures: scores, explanations and settings."""

import json
from math import isnan

import numpy as np
import pytest

from combined import ABSENT, MEASURES, judged_rows, keep, table
from querykin import Workspace
from querykin.cli.similarity import score as score_command
from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.index.catalog import indexed_parts
from querykin.integrity import corrupted_files
from querykin.io.judgement_files import read_judged_pairs
from querykin.learning import trees
from querykin.learning.calibration import Calibration
from querykin.learning.combination.fitting import TrainingConfig
from querykin.measures.batch_scorer import score_judged_pairs
from querykin.model_files import Models
from querykin.settings import Settings
from querykin.testing import MEASURE_CHECKS, sample_texts
from reference import combination as reference
from topics import DOCUMENTS

EXPANSION_ONLY = ("web-kernel", "web-kernel-paper")  # measures without a score for uncovered texts
CONFIGS = {
    "plain": TrainingConfig(MEASURES),
    "ranked": TrainingConfig(MEASURES, unconstrained=True),
    "forest": TrainingConfig(MEASURES, "trees"),
    "metric": TrainingConfig(MEASURES, loss="metric"),
    "metric-forest": TrainingConfig(MEASURES, "trees", "metric"),
    "expansion-only": TrainingConfig(EXPANSION_ONLY, loss="metric"),
}
LISTWISE = ("ranked", "forest", "metric-forest")  # always; linear models may have ranks as features, too


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("judged")


@pytest.fixture(scope="module")
def trained(build, folder) -> Workspace:
    """A workspace with a combination of every kind; read-only."""
    workspace = build(DOCUMENTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(trees._SETTINGS, "max_iter", 12)
        for name, training_config in CONFIGS.items():
            keep(workspace, folder, name, training_config)
    return workspace.reopen()


@pytest.fixture(scope="module")
def judged(trained, folder):
    return read_judged_pairs(str(folder / "judged.tsv"))


@pytest.mark.parametrize("check", MEASURE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", CONFIGS)
def test_combinations_pass_the_conformance_checks(name, check, trained):
    measure = trained.measure(name)
    check(measure, sample_texts(measure)[:6])


def test_combinations_are_listed_with_their_components(trained):
    assert set(CONFIGS) <= set(trained.measures())
    assert [part.name for part in trained.measure("plain").components()] == list(MEASURES)
    assert trained.measure("plain").name == "plain"
    # `edit` has no rows, and the phrases of `lexical` use the index of `exact`.
    assert [part.name for part in indexed_parts(trained.measure("plain"))] == [
        "web-kernel",
        "jaccard-stems",
        "exact",
        "subset",
        "dense-prob",
    ]
    with pytest.raises(UnknownName, match="did you mean 'forest'"):
        trained.measure("forrest")


@pytest.mark.parametrize("name", CONFIGS)
def test_only_ranks_and_votes_make_a_score_depend_on_the_list(name, trained, judged):
    measure = trained.measure(name)
    by_rank = any("rank by" in feature for feature in measure.model.content["features"])
    assert measure.listwise == (by_rank or name == "forest")
    assert measure.listwise or name not in LISTWISE
    query, *others = judged.queries[0], *judged.candidates.at(range(6))
    whole = measure.score(query, others)
    alone = np.array([measure.score(query, [other])[0] for other in others])
    assert np.allclose(whole, alone, equal_nan=True) != measure.listwise
    assert trained.similarity(query, others[0], name) == alone[0]


@pytest.mark.parametrize("name", CONFIGS)
def test_scores_of_a_file_do_not_depend_on_order_or_batches(
    name, trained, judged, folder, monkeypatch, capsys
):
    pairs = list(judged.pairs())
    expected = trained.score(pairs, [name])[name]
    order = np.random.default_rng(0).permutation(len(pairs))
    mixed = trained.score([pairs[place] for place in order], [name])[name]
    assert mixed.tolist() == pytest.approx(expected[order].tolist(), nan_ok=True)
    monkeypatch.setattr("querykin.measures.batch_scorer.ROWS", 7)
    batches = score_judged_pairs(judged, {name: trained.measure(name)})[name]
    assert batches.tolist() == pytest.approx(expected.tolist(), nan_ok=True)
    shuffled = [judged_rows()[place] for place in order]
    (folder / "mixed.tsv").write_text(table(shuffled))
    score_command(str(folder / "mixed.tsv"), name, workspace=trained.path, quiet=True)
    written = [line.split("\t")[-1] for line in capsys.readouterr().out.splitlines()]
    assert written[0] == name
    assert [float(cell) for cell in written[1:]] == pytest.approx(
        expected[order].tolist(), abs=1e-8, nan_ok=True
    )


@pytest.mark.parametrize("name", CONFIGS)
def test_contributions_sum_to_the_score_and_include_an_average_pair(name, trained):
    found = trained.explain("NASA", "Space exploration", name)
    owners = {part.term for part in found.contributions}
    assert "an average pair" in owners
    assert {part.name for part in trained.measure(name).components()} & owners
    assert sum(part.share for part in found.contributions) == pytest.approx(found.score)
    assert found.score == trained.similarity("NASA", "Space exploration", name)
    sizes = [abs(part.share) for part in found.contributions]
    assert sizes == sorted(sizes, reverse=True)
    assert found.passages


def test_the_baseline_of_a_linear_model_equals_the_formula(trained):
    """The contribution of an average pair is the probability at the mean of all features."""
    measure = trained.measure("metric")
    content = measure.model.content
    calibration = Calibration(**content["calibration"])
    start = float(np.array(content["weights"]) @ np.array(content["feature_means"]) + content["shift"])
    found = measure.explain("NASA", "Hubble")
    expected = reference.sigmoid(calibration.slope * start + calibration.shift)
    (baseline,) = [part.share for part in found.contributions if part.term == "an average pair"]
    assert baseline == pytest.approx(expected)


def test_a_pair_that_no_component_scores_has_no_score(trained):
    assert isnan(trained.similarity("NASA", ABSENT, "expansion-only"))
    assert trained.explain("NASA", ABSENT, "expansion-only").contributions == ()
    assert trained.similarity("NASA", ABSENT, "plain") < trained.similarity("NASA", "Hubble", "plain")


def test_probabilities_follow_the_prior_of_the_settings(trained, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text("[measures.plain]\nprior = 0.01\n")
    config = Settings.read(settings, Models(trained.path / "models"))
    rare = Workspace.open(trained.path, config)
    pairs = [("NASA", "Hubble"), ("NASA", "Apple pie"), ("Bali", "Sumatra")]
    usual, moved = (workspace.score(pairs, ["plain"])["plain"] for workspace in (trained, rare))
    prior = trained.model("plain").content["calibration"]["prior"]
    assert moved.tolist() == pytest.approx([reference.shifted(p, prior, 0.01) for p in usual])
    assert (moved < usual).all()


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("[measures.plain]\nprior = 1.5", InputError, "prior must be a number from 0 to 0.999999"),
        ("[measures.plain]\nresults = 5", UnknownName, "Known: prior"),
        ("[measures.plian]\nprior = 0.1", UnknownName, "unknown measure 'plian'; did you mean 'plain'"),
    ],
)
def test_settings_of_trained_measures_are_checked(content, error, message, trained, tmp_path):
    (tmp_path / "settings.toml").write_text(content)
    with pytest.raises(error, match=message):
        Settings.read(tmp_path / "settings.toml", Models(trained.path / "models"))


DAMAGE = {
    "no calibration": lambda content: content.pop("calibration"),
    "no measures": lambda content: content.pop("measures"),
    "no weights": lambda content: content.pop("weights"),
    "a weight too few": lambda content: content["weights"].pop(),
    "odd calibration": lambda content: content["calibration"].pop("slope"),
    "no first stage": lambda content: content.pop("first_stage"),
    "features are a number": lambda content: content.update(features=5),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_model_with_invalid_content_is_refused(what, build, trained):
    workspace = build(DOCUMENTS[:3])
    raw = json.loads((trained.path / "models" / "plain.json").read_text())
    DAMAGE[what](raw["content"])
    del raw["checksum"]  # as earlier versions wrote it
    (workspace.path / "models").mkdir(parents=True)
    (workspace.path / "models" / "plain.json").write_text(json.dumps(raw))
    with pytest.raises(WorkspaceError, match=r"plain\.json is damaged: .*; train it again"):
        workspace.measure("plain")


def test_a_damaged_model_does_not_affect_others(build, trained):
    workspace = build(DOCUMENTS[:3])
    (workspace.path / "models").mkdir()
    for name in ("plain", "metric"):
        text = (trained.path / "models" / f"{name}.json").read_text()
        (workspace.path / "models" / f"{name}.json").write_text(text if name == "metric" else text[:99])
    assert workspace.similarity("NASA", "NASA", "metric") > 0
    with pytest.raises(WorkspaceError, match="cannot be read as a model"):
        workspace.measure("plain")
    assert any("plain.json cannot be read" in line for line in corrupted_files(workspace))
