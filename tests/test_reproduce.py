"""The scripts of reproduce/: one message without data, correct results on small examples."""

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from querykin import Document, Workspace
from querykin.evaluation import evaluate
from querykin.evaluation.significance import Interval
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.query_files import read_queries
from querykin.io.text_column import TextColumn

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def workspace(tmp_path):
    opened = Workspace.open(tmp_path)
    opened.corpus.add(
        [
            Document("1", "Kofi Annan", "Kofi Annan was secretary general of the United Nations, the UN."),
            Document("2", "Secretary general", "The UN secretary general leads the United Nations."),
            Document("3", "Java", "Java is an island of Indonesia with many volcanoes."),
            Document("4", "Pie", "An apple pie is baked in an oven and eaten warm."),
        ]
    )
    return opened.reopen()


SCRIPTS = [
    "",
    ".sahami_table1",
    ".sahami_figures",
    ".metzler_table4",
    ".yih_meek_table1",
    ".own_corpus",
    ".constants",
    ".latent_kernel",
    ".pool",
    ".cooccurrence",
    ".keywords",
    ".web_relevance",
    ".tweak",
    ".landing_pages",
    ".page_thresholds",
    ".learned",
    ".cooccurrence_cost",
    ".cooccurrence_phrases",
    ".spelling",
    ".corpus_size",
    ".hybrid",
    ".open_suggestions",
    ".query_variants",
    ".logs",
    ".what_reproduces",
    ".shipped",
    ".advertising",
    ".popular_queries",
]


@pytest.mark.parametrize("script", [f"reproduce{name}" for name in SCRIPTS])
def test_scripts_report_missing_data_in_one_line(script, tmp_path):
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
    published = module("sahami_pairs")
    found = published.contrasts()
    assert len(published.PAIRS) == 29
    assert all({c.higher.a, c.higher.b} & {c.lower.a, c.lower.b} for c in found)
    assert all(c.higher.kernel - c.lower.kernel > 0.1 for c in found)


def test_evidence_requires_a_result_of_one_text_that_contains_the_other(module, workspace):
    pair, evidence = module("sahami_pairs").Pair, module("evidence").evidence
    both = evidence(workspace.expander, pair("UN Secretary-General", "Kofi Annan", 0.8))
    neither = evidence(workspace.expander, pair("Kofi Annan", "apple pie", 0.1))
    unknown = evidence(workspace.expander, pair("Kofi Annan", "ICML", 0.1))
    assert both
    assert both.mentions == 2  # document 1, found by either text
    assert not neither
    assert "holds all words of the other" in neither.reason
    assert not unknown
    assert "'ICML'" in unknown.reason


def test_the_ablation_goes_from_the_published_kernel_to_web_kernel(module, workspace):
    expander, variant = workspace.expander, module("kernel_variants").Variant
    queries, candidates = ["un secretary", "java island"], ["kofi annan", "apple pie"]
    plain = {"own": 0, "missing": 0, "damping": 1, "keep": 1, "log_tf": False, "stems": False}
    steps = list(module("ablation").steps(expander).values())
    for ours, registered in (
        (variant(expander, results=200, power=0, terms=50, **plain), "web-kernel-paper"),
        (variant(expander), "web-kernel"),
        (steps[0], "web-kernel-paper"),
        (steps[-1], "web-kernel"),
    ):
        expected = workspace.measure(registered).score_pairs(queries, candidates)
        assert ours.score_pairs(queries, candidates) == pytest.approx(expected, abs=1e-5)  # rounded rows


def test_a_kernel_over_words_includes_the_words_of_the_text(module, workspace):
    kernel = module("kernel_variants").Variant(workspace.expander, stems=False)
    assert kernel.score_pairs(["baked pie"], ["baked pie"]) == pytest.approx(1)
    assert kernel.score_pairs(["secretary quux"], ["quux island"]) > 0


def test_default_bonuses_rank_like_the_engine(module, workspace):
    expander = workspace.expander
    bonuses = module("engine_bonuses").BonusEngine(expander.corpus)
    usual, ours, without = (
        engine.search("UN secretary general", 5)
        for engine in (
            expander.engine,
            bonuses,
            module("engine_bonuses").BonusEngine(expander.corpus, title=0),
        )
    )
    assert [(hit.document_id, hit.score) for hit in ours] == [
        (hit.document_id, pytest.approx(hit.score)) for hit in usual
    ]
    assert without[0].score < usual[0].score
    near = module("engine_bonuses").BonusEngine(expander.corpus, near=1.0).search("UN secretary general", 5)
    assert near[0].score == pytest.approx(2 * usual[0].score)  # its words are adjacent


def test_auc_ranks_uncovered_pairs_last_and_counts_ties_half(module):
    auc = module("judged_sets").auc
    assert auc(np.array([True, False]), np.array([-3.0, np.nan])) == 1
    assert auc(np.array([True, False]), np.array([np.nan, 0.0])) == 0
    assert auc(np.array([True, False]), np.array([0.5, 0.5])) == 0.5


@pytest.fixture
def judged(module):
    texts = [f"{word} {number}" for word in ("secretary", "island", "pie") for number in range(4)]
    queries, grades = TextColumn(["un"] * 6 + ["java"] * 6), np.array([1.0, 0.0] * 6)
    return module("judged_sets").JudgedSet(
        "small", JudgedPairs(queries, TextColumn(texts), grades, queries), 1
    )


def test_a_product_page_contains_the_attributes_of_the_catalogue(module):
    from querykin.learning.landing_pages.pages import Page

    facts = {"title": 'Toner <6 "pcs">', "name": "006R", "supplier": None}
    facts |= {"short_description": "For laser printers", "attributes": {"print_technology": "Laser & LED"}}
    page = Page.of_html(module("landing_pages").product_html(facts))
    assert (page.title, page.description) == ('Toner <6 "pcs">', "For laser printers")
    assert page.text == "006R\nprint technology\nLaser & LED"


def test_a_part_of_a_large_set_has_complete_groups(module, judged, monkeypatch):
    tweak = module("tweak")
    monkeypatch.setattr(tweak, "MAX_GROUPS", 1)
    part = tweak._some_groups(judged)
    assert len(part.judged) == 6
    assert len(set(part.judged.groups.ids.tolist())) == 1


def test_halves_of_a_set_do_not_split_groups(judged):
    half = judged.half()
    assert half.sum() == 6
    assert len(set(judged.judged.groups.ids[half])) == 1
    part = judged.part(half)
    assert len(part.judged) == 6
    assert part.left == [text for text, kept in zip(judged.left, half, strict=True) if kept]


def test_cached_scores_are_recomputed_if_they_are_wrong(module, workspace, judged, monkeypatch, tmp_path):
    kept = module("cached_scores")
    monkeypatch.setattr(kept.data, "cache_folder", lambda: tmp_path)
    measure = workspace.measure("jaccard-stems")
    first = kept.scores_of(measure, judged)
    (path,) = (tmp_path / "scores").iterdir()
    assert kept.scores_of(measure, judged).tolist() == first.tolist()
    np.save(path, first + 1)
    assert kept.scores_of(measure, judged).tolist() == first.tolist()


@pytest.fixture
def small_data(module, workspace, tmp_path, monkeypatch):
    """A small workspace with past queries in place of the real one."""
    kept = tmp_path / "kept" / "workspace"
    shutil.copytree(workspace.path / "corpus", kept / "corpus")
    listed = tmp_path / "asked.tsv"
    listed.write_text(
        'secretary general\t2\nsecretary of the UN\nannan secretary\n"apple pie" oven\n', "utf-8"
    )
    opened = Workspace.open(kept)
    opened.repository.add((query, count) for query, count, _ in read_queries(str(listed), print))
    monkeypatch.setattr(module("data"), "workspace", lambda: Workspace.open(kept))
    return opened.reopen()


def test_cooccurrences_are_counted_from_scratch_with_a_fixed_repository(module, small_data):
    cooccurrence = module("cooccurrence")
    for _ in range(2):  # a second run counts again and reports the same
        workspace, line = cooccurrence.recounted(small_data)
        assert re.fullmatch(
            r"Co-occurrences of 45 words counted in \d+ s on \d+ cores; the vectors of `latent` learned from "
            r"them in \d+ s. Repository: 4 web queries.",
            line,
        )
    assert not (small_data.path / "cooccurrence").exists()
    rows = module("cooccurrence_causes").listed(workspace).splitlines()
    assert rows[2:] == [
        "| titles of documents | 2 | 0 |",
        "| past queries asked more than once | 1 | 0 |",
        "| in quotes in past queries | 1 | 0 |",
        "| n-grams of 10 past queries and more | 0 | 0 |",
        "| together | 3 | 0 |",
    ]


def test_a_linked_workspace_does_not_write_into_the_shared_one(module, small_data):
    data = module("data")
    before = data.manifests(small_data)
    own = data.linked(small_data, "own")
    own.build("jaccard-stems")
    assert [
        each.query for each in own.reopen().match(["general secretary"], 1, "jaccard-stems")[0].suggestions
    ]
    assert len(own.repository) == len(small_data.repository)
    assert data.manifests(small_data) == before
    small_data.build("jaccard-stems")
    assert data.manifests(small_data) != before


def test_causes_are_reported_for_every_length_of_text(module, small_data, judged):
    workspace, _ = module("cooccurrence").recounted(small_data)
    phrases, by_length, heavy = module("cooccurrence_causes").causes(workspace, judged)
    texts = {*judged.left, *judged.right}
    assert phrases == f"Of {len(texts)} texts 0.0% have a phrase of two words or more."
    assert sum(int(row.split(" | ")[1]) for row in by_length.splitlines()[2:]) <= len(texts)
    assert re.search(r"median: chi-square [\d.]+, root [\d.]+, npmi [\d.]+\.", heavy)


def test_all_pairs_are_built_from_scratch_and_counted(module, small_data):
    cost = module("cooccurrence_cost")
    small_data.update_derived("distributional")
    ten = cost.nearest(1)
    assert (ten["queries"], ten["pairs"]) == (4, 6)  # the three about secretaries with each other
    above = cost.paired(1, None, 0.5)
    texts = ["secretary general", "secretary of the UN", "annan secretary"]
    measure = small_data.reopen().measure(cost.MEASURE)
    scores = [measure.score(a, [b])[0] for a in texts for b in texts if a != b]
    assert above["pairs"] == sum(score >= 0.5 for score in scores)
    assert cost.nearest(2)["queries"] == 2
    assert all(found["taken"] >= 0 and found["seconds"] > 0 for found in (ten, above))


def test_counting_is_measured_with_a_memory_limit_and_a_share_of_documents(module, small_data):
    cost = module("cooccurrence_cost")
    assert cost.limited(16)["words"] == small_data.corpus.vocabulary.count
    found = cost.counted(2)
    assert found["tokens"] < small_data.corpus.statistics.tokens
    assert found["bytes"] > 0


def test_an_ordering_holds_only_if_the_interval_excludes_0(module, judged):
    good = judged.judged.grades + np.linspace(0, 0.1, 12)
    scores = {"best": good, "worst": -good, "also best": 2 * good}
    found = evaluate(judged.judged, scores, 1)
    printed = {"best": {"auc": 0.9}, "worst": {"auc": 0.6}, "also best": {"auc": 0.8}}
    seen = module("orderings").orderings(printed, found, judged, scores)
    assert [(each.higher, each.lower, each.verdict) for each in seen] == [
        ("best", "worst", "holds"),
        ("best", "also best", "no clear difference"),
        ("also best", "worst", "holds"),
    ]


def test_points_of_curves_are_compared_over_all_pairs_together(module, judged):
    rng = np.random.default_rng(0)
    scores = {"good": judged.judged.grades + rng.random(12), "bad": rng.random(12)}
    figures = evaluate(judged.judged, scores, 1)
    for metric in module("orderings").CURVES:
        found = module("orderings").difference(metric, "good", "bad", figures, judged, scores)
        good, bad = (figures.result(name).metrics.values[metric] for name in scores)
        assert found.difference == pytest.approx(good - bad)
        assert found.low <= found.difference <= found.high


def test_orderings_of_a_table_are_named_by_methods_and_metrics(module):
    ordering = module("orderings").Ordering("map", "n-grams", "jaccard", 0.2, Interval(0.1, 0.05, 0.2))
    printed = {"n-grams": {"map": 0.7}, "jaccard": {"map": 0.5}}
    (row,) = module("published").of_table("Paper", [ordering], printed, {"map": "mAP"}, "set", digits=2)
    assert (row.subject, row.printed) == ("n-grams above `jaccard` in mAP", ".70, .50")
    assert (row.key, row.verdict) == ("Paper: n-grams above `jaccard` in mAP: set", "holds")


def test_eleven_point_precision_is_0_at_recall_levels_not_reached(module):
    found = module("matching").Found(
        np.array([0, 0, 0]), np.array([1, 2, 3]), np.array([True, False, True]), np.array([4, 1])
    )
    curve = found.eleven_points()[0]
    assert curve[0] == 1
    assert curve[3] == pytest.approx(2 / 3)
    assert curve[5] == pytest.approx(2 / 3)
    assert curve[6] == 0
    assert found.counts().tolist() == [3, 0]
    assert found.precision_at(np.array([2, 1])).tolist() == [0.5, 0]


def test_the_mean_of_differences_has_a_narrower_interval_than_each(module):
    interval = Interval(0.1, 0.0, 0.2)
    mean = module("constants").mean_interval([interval] * 4)
    assert (mean.difference, mean.low, mean.high) == pytest.approx((0.1, 0.05, 0.15))


def test_titles_in_the_keyword_sets_are_first_lines(module):
    document = module("keywords")._document
    wrapped = document("1", "A long title that goes\n\ton here\nThe text\n\tgoes on.", titled=True)
    assert (wrapped.title, wrapped.text) == ("A long title that goes on here", "The text\n\tgoes on.")
    assert document("2", "No title at all.", titled=True).title == ""
    assert document("3", "A line\nand another", titled=False).text == "A line\nand another"


def test_words_of_phrases_are_compared_by_stems_without_stop_words(module, workspace):
    script = module("keywords")
    stems = functools.partial(script._stems, script._reader(workspace))
    assert script._words(stems, ["generals of the nations", "nation"]) == script._words(
        stems, ["general", "nation"]
    )
    assert len(script._phrases(stems, ["united nations", "United Nation", "!"])) == 1
