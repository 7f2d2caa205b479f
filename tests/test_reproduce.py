"""The scripts of reproduce/: silent without data, right on small examples."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from querykin import Document, Workspace

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def module(monkeypatch):
    """Imports a script of reproduce/, which is no installed package."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"reproduce.{name}")


@pytest.fixture
def workspace(tmp_path):
    opened = Workspace.open(tmp_path)
    opened.corpus.add([
        Document("1", "Kofi Annan", "Kofi Annan was secretary general of the United Nations, the UN."),
        Document("2", "Secretary general", "The UN secretary general leads the United Nations."),
        Document("3", "Java", "Java is an island of Indonesia with many volcanoes."),
        Document("4", "Pie", "An apple pie is baked in an oven and eaten warm."),
    ])  # fmt: skip
    return opened.reopen()


@pytest.mark.parametrize(
    "script", ["reproduce", "reproduce.table1", "reproduce.judged", "reproduce.ablation"]
)
def test_scripts_say_in_one_line_what_data_is_missing(script, tmp_path):
    results = ROOT / "reproduce" / "RESULTS.md"
    before = results.read_bytes()
    environment = {**os.environ, "QUERYKIN_DATA": str(tmp_path), "QUERYKIN_REPRODUCE": str(tmp_path / "kept")}
    run = subprocess.run(
        [sys.executable, "-m", script], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("\n") == 1
    assert run.stdout.startswith("skipped: corpora/simplewiki/docs.jsonl.xz")
    assert "QUERYKIN_DATA" in run.stdout
    assert not (tmp_path / "kept").exists()
    assert results.read_bytes() == before


def test_every_contrast_shares_a_text_and_has_the_papers_higher_pair_first(module):
    published = module("published")
    found = published.contrasts()
    assert len(published.PAIRS) == 29
    assert all({c.higher.a, c.higher.b} & {c.lower.a, c.lower.b} for c in found)
    assert all(c.higher.kernel - c.lower.kernel > 0.1 for c in found)


def test_evidence_needs_a_result_of_one_text_that_holds_the_other(module, workspace):
    pair, evidence = module("published").Pair, module("evidence").evidence
    both = evidence(workspace.expander, pair("UN Secretary-General", "Kofi Annan", 0.8))
    neither = evidence(workspace.expander, pair("Kofi Annan", "apple pie", 0.1))
    unknown = evidence(workspace.expander, pair("Kofi Annan", "ICML", 0.1))
    assert both
    assert both.mentions == 2  # document 1, found by either text
    assert not neither
    assert "holds all words of the other" in neither.reason
    assert not unknown
    assert "'ICML'" in unknown.reason


def test_the_steps_lead_from_the_printed_kernel_to_ours(module, workspace):
    ablation, expander = module("ablation"), workspace.expander
    queries, candidates = ["un secretary", "java island"], ["kofi annan", "apple pie"]
    plain = ablation.PlainKernel(expander, results=200, power=0, terms=50)
    steps = list(ablation.steps(expander).values())
    for ours, registered in (
        (plain, "web-kernel-paper"),
        (steps[0], "web-kernel-paper"),
        (steps[-1], "web-kernel"),
    ):
        expected = workspace.measure(registered).score_pairs(queries, candidates)
        assert ours.score_pairs(queries, candidates) == pytest.approx(expected)


def test_auc_ranks_uncovered_pairs_last_and_counts_ties_half(module):
    auc = module("judged_sets").auc
    assert auc(np.array([True, False]), np.array([-3.0, np.nan])) == 1
    assert auc(np.array([True, False]), np.array([np.nan, 0.0])) == 0
    assert auc(np.array([True, False]), np.array([0.5, 0.5])) == 0.5


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
    assert check.held[1] > 0.98


def test_theorem_2_fails_for_the_standard_deviation_and_for_documents_nearly_orthogonal_to_their_mean(module):
    check_bound = module("theorems").check_bound
    assert check_bound(np.random.default_rng(3), 100, (0.5, 0.5)).held[0] < 0.5
    assert check_bound(np.random.default_rng(3), 100, (16.0, 16.0)).held[1] < 0.5


def test_theorem_3_holds_for_the_root_mean_square_angle_of_moderate_dispersion(module):
    check = module("theorems").check_bound(np.random.default_rng(4), 100, (0.5, 1.0), between=0.5)
    assert check.held[1] > 0.98
    assert check.angle > 0.5
