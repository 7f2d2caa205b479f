"""The papers' methods as printed, verdicts and applications of reproduce/, on small examples."""

import math
from pathlib import Path

import numpy as np
import pytest

from querykin import Document, Workspace
from querykin.evaluation.significance import Interval
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn
from querykin.learning.tweak.term_pairs import TermPairs

ROOT = Path(__file__).resolve().parent.parent


def make_workspace(folder, *more):
    opened = Workspace.open(folder)
    documents = [
        Document("1", "Lincoln", "Abraham Lincoln was shot by John Wilkes Booth in a theater."),
        Document("2", "Theater", "Booth was an actor; Lincoln saw a play in the theater."),
        Document("3", "Pie", "An apple pie is baked in an oven and eaten warm."),
    ]
    opened.corpus.add([*documents, *more])
    return opened.reopen()


@pytest.fixture
def judged(module):
    questions = TextColumn(["who shot abraham lincoln"] * 3 + ["what is baked"] * 3)
    answers = TextColumn(["booth", "lincoln", "pie", "apple pie", "theater", "baked"])
    grades = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    return module("judged_sets").JudgedSet("small", JudgedPairs(questions, answers, grades, questions), 1)


@pytest.mark.parametrize("page", ["RESULTS.md", "STUDIES.md"])
def test_the_figures_of_every_reading_stand_in_its_tables(module, page):
    assert module("__main__").contradictions((ROOT / "reproduce" / page).read_text("utf-8")) == []


def test_a_figure_without_a_table_is_a_contradiction(module):
    reading = "It is 1204.5, then .03 and +.031, not .32."
    text = f"# Page\n\n## A\n\n| 1,204.5 | -.0312 |\n\n### Reading\n\n{reading}\n\n## B\n\nnone"
    assert module("__main__").contradictions(text) == ["A: .32"]


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.0004, 0.0004, "no clear difference"),
        (0.0006, 0.002, "holds"),
        (-0.002, -0.0006, "reversed"),
        (-0.1, 0.2, "no clear difference"),
        (math.nan, math.nan, "no clear difference"),
    ],
)
def test_an_interval_that_is_printed_as_0_has_no_verdict(module, low, high, verdict):
    ordering = module("published").PublishedOrdering(
        "Paper", "a above b", "", "set", Interval(low, low, high)
    )
    assert ordering.verdict == verdict


def test_a_cause_written_for_another_verdict_is_a_contradiction_and_is_not_shown(module):
    published = module("published")
    found = [published.PublishedOrdering("Paper", "a above b", ".7, .6", "set", Interval(0.1, 0.05, 0.2))]
    fitting = {"Paper: a above b: set": published.Cause("holds", "because")}
    wrong = {"Paper: a above b: set": published.Cause("reversed", "because")}
    assert "because" in published.page(found, fitting)
    assert "because" not in published.page(found, wrong)
    computed = published.verdicts(published.page(found, {}))
    assert published.contradicted(computed, fitting) == []
    assert published.contradicted(computed, wrong) == [
        "Paper: a above b: set: written for 'reversed', computed 'holds'"
    ]
    assert published.contradicted({}, fitting) == [
        "Paper: a above b: set: written for 'holds', computed 'nothing'"
    ]
    assert published.contradicted({"a: b: c": "reversed"}, {}) == ["a: b: c: reversed, without a cause"]


def test_every_ordering_that_does_not_hold_has_a_cause_that_fits(module):
    verdicts = module("published").verdicts((ROOT / "reproduce" / "WHAT_REPRODUCES.md").read_text("utf-8"))
    assert len(verdicts) > 200
    assert module("published").contradicted(verdicts, module("causes").CAUSES) == []


def test_causes_are_written_into_a_page_as_it_is(module):
    published = module("published")
    found = [published.PublishedOrdering("Paper", "a above b", ".7, .6", "set", Interval(0.1, 0.05, 0.2))]
    causes = {"Paper: a above b: set": published.Cause("holds", "because")}
    assert published.with_causes(published.page(found, {}), causes) == published.page(found, causes) + "\n"


def test_the_sections_of_a_paper_are_run_together_and_every_section_once(module):
    running, sections = module("running"), module("sections").FILES["results"]
    together = running.by_paper("results")
    assert [place for some in together for place in some] == list(range(len(sections)))
    titles = [[sections[place][0].partition(",")[0] for place in some] for some in together]
    assert all(len(set(some)) == 1 for some in titles)
    assert titles[1] == ["Metzler et al. (2007)"] * 2


def test_orderings_are_those_of_the_sections_that_publish_some(module):
    page, sections = module("what_reproduces"), module("sections").FILES["results"]
    publishing = {source.__name__.rpartition(".")[2] for source in page.SOURCES}
    assert publishing < {section[1] for section in sections}
    assert page.orderings_of("answers", None) == []


def test_the_readings_of_a_page_are_replaced_and_its_figures_stay(module):
    page = "# Page\n\n## A\n\n| .5 |\n\n### Reading\n\nold\n\n## B\n\n| .7 |\n"
    main = module("__main__")
    changed = main.with_reading(main.with_reading(page, "A", "It is .5."), "C", "nothing")
    assert changed == page.replace("old", "It is .5.")
    assert main.with_reading(page, "A", "") == page.replace("\n\n### Reading\n\nold", "")


def test_votes_are_sums_of_probabilities_over_rivals(module):
    logits, lists = np.array([0.5, -1.0, 2.0, 0.3, 0.1]), np.array([0, 0, 0, 1, 1])
    expected = [
        sum(
            1 / (1 + math.exp(other - own))
            for j, other in enumerate(logits)
            if lists[j] == lists[i] and j != i
        )
        for i, own in enumerate(logits)
    ]
    assert module("yih_meek_learning").votes(logits, lists) == pytest.approx(expected)


def test_learning_as_printed_minimizes_the_loss_with_a_prior_of_variance_3(module):
    learning, rng = module("yih_meek_learning"), np.random.default_rng(0)
    rows, lists = rng.random((30, 2)), np.repeat(np.arange(3), 10)
    grades = (rows[:, 0] + 0.3 * rng.random(30) > 0.6).astype(float)
    model = learning.fit_preference(rows, grades, lists)

    def loss(w):
        pairs = [
            (i, j) for i in range(30) for j in range(30) if lists[i] == lists[j] and grades[i] > grades[j]
        ]
        value = sum(math.log(1 + math.exp(-float(w @ (rows[i] - rows[j])))) for i, j in pairs)
        return value + float(w @ w) / 2 / 3

    best = loss(model.weights)
    steps = [np.array(step) for step in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01))]
    assert all(loss(model.weights + step) > best for step in steps)
    missing = rows.copy()
    missing[0, 1] = np.nan
    lowest = learning.fit_metric(missing, grades).lowest
    assert lowest == pytest.approx(np.nanmin(missing, axis=0))


@pytest.mark.parametrize("loss", ["sse", "log", "preference"])
def test_the_printed_losses_of_tweak_are_sums_over_pairs_with_a_plain_penalty(module, loss):
    rng, printed = np.random.default_rng(1), module("tweak_as_printed")
    terms = [np.sort(rng.permutation(12)[:6]) for _ in range(9)]
    features = np.column_stack([np.ones(54), rng.random(54)]).astype(np.float32)
    pairs = TermPairs.of(
        np.arange(0, 55, 6),
        np.concatenate(terms),
        features,
        np.repeat([0, 1, 2], 6),
        np.tile(np.arange(3, 9), 3),
    )
    groups, targets = np.repeat([0, 1, 2], 6), np.tile([1.0, 0.0, 0.0], 6)
    learner, w = printed.PrintedTweak(np.array([1.0, 0.5]), loss), np.array([0.7, 0.2])
    some, made = learner.prepare(pairs, targets, groups, np.arange(18))
    value, gradient = learner.objective(w, some, made, 0.3)
    f = pairs.cosines(w)
    if loss == "sse":
        expected = sum((y - s) ** 2 / 2 for y, s in zip(targets, f, strict=True))
    elif loss == "log":
        s = np.clip(f, 1e-6, 1 - 1e-6)
        expected = -sum(targets * np.log(s) + (1 - targets) * np.log(1 - s))
    else:
        expected = sum(
            math.log(1 + math.exp(f[j] - f[i]))
            for i in range(18)
            for j in range(18)
            if groups[i] == groups[j] and targets[i] > targets[j]
        )
    assert value == pytest.approx(expected + 0.15 * float(w @ w))
    for feature, step in enumerate(np.eye(2) * 1e-6):
        high, low = (learner.objective(w + sign * step, some, made, 0.3)[0] for sign in (1, -1))
        assert gradient[feature] == pytest.approx((high - low) / 2e-6, rel=1e-3, abs=1e-4)


def test_training_data_of_another_workspace_is_not_reused(module, judged, tmp_path):
    tweak = module("tweak")
    one = make_workspace(tmp_path / "one")
    other = make_workspace(
        tmp_path / "other", Document("4", "Oven", "Who shot Lincoln? Booth, baked in an oven.")
    )
    first, again, second = (tweak.training_data(each, judged, "plain", "sse") for each in (one, one, other))
    assert first.pairs is again.pairs
    assert len(second.pairs.features) != len(first.pairs.features)
    assert tweak.training_data(other, judged, "plain", "log").loss == "log"


def test_results_that_hold_the_answer_leave_out_words_of_the_question(module, judged, tmp_path):
    held = module("answers").holding_results(make_workspace(tmp_path).expander, judged)
    assert held.tolist() == [2, 0, 0, 1, 0, 0]


def test_a_kernel_of_blocks_is_classified_and_clustered_without_error(module, monkeypatch):
    classification = module("classification")
    monkeypatch.setattr(classification, "TEST_PER_CLASS", 4)
    classes = np.repeat([[0], [1], [2]], 6, axis=1)
    kernel = (classes.ravel()[:, None] == classes.ravel()[None, :]) * 0.9 + 0.1
    assert classification.classify(kernel, classes, 2).all()
    assert classification.cluster(kernel, classes) == pytest.approx((1, 1))


def test_the_kernel_matrix_has_the_scores_of_pairs(module, tmp_path):
    texts = ["abraham lincoln", "booth theater", "apple pie", "qwrtp"]
    measure = make_workspace(tmp_path).measure("web-kernel")
    scores = [measure.score(text, texts) for text in texts]
    assert module("classification").gram(measure, texts) == pytest.approx(np.nan_to_num(scores), abs=1e-6)


def test_a_measure_has_the_results_that_it_is_compared_at(module, tmp_path):
    workspace = make_workspace(tmp_path)
    measure = module("equal_settings").at(workspace, "web-kernel-paper", 2)
    assert (measure.results, workspace.measure("web-kernel-paper").results) == (2, 200)
