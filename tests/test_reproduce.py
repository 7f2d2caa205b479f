"""The scripts of reproduce/: silent without data, right on small examples."""

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
    ".table1",
    ".sahami_figures",
    ".metzler_table4",
    ".yih_meek_table1",
    ".own_corpus",
    ".constants",
    ".latent_kernel",
    ".pool",
    ".company",
    ".keywords",
    ".web_relevance",
    ".tweak",
    ".landing_pages",
    ".learned",
    ".company_cost",
    ".company_phrases",
]


@pytest.mark.parametrize("script", [f"reproduce{name}" for name in SCRIPTS])
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
    expander, variant = workspace.expander, module("variants").Variant
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


def test_a_kernel_over_words_takes_the_texts_own_words_too(module, workspace):
    kernel = module("variants").Variant(workspace.expander, stems=False)
    assert kernel.score_pairs(["baked pie"], ["baked pie"]) == pytest.approx(1)
    assert kernel.score_pairs(["secretary quux"], ["quux island"]) > 0


def test_reranked_without_changes_is_the_engine_itself(module, workspace):
    expander = workspace.expander
    reranked = module("reranked").RerankingRetriever(expander.corpus)
    usual, ours, without = (
        engine.search("UN secretary general", 5)
        for engine in (
            expander.engine,
            reranked,
            module("reranked").RerankingRetriever(expander.corpus, title=0),
        )
    )
    assert [(hit.document_id, hit.score) for hit in ours] == [
        (hit.document_id, pytest.approx(hit.score)) for hit in usual
    ]
    assert without[0].score < usual[0].score
    near = module("reranked").RerankingRetriever(expander.corpus, near=1.0).search("UN secretary general", 5)
    assert near[0].score == pytest.approx(2 * usual[0].score)  # its neighbours stand side by side


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


def test_a_page_of_a_product_says_what_the_catalogue_knows(module):
    from querykin.learning.landing_pages.pages import Page

    facts = {"title": 'Toner <6 "pcs">', "name": "006R", "supplier": None}
    facts |= {"short_description": "For laser printers", "attributes": {"print_technology": "Laser & LED"}}
    page = Page.of_html(module("landing_pages").product_html(facts))
    assert (page.title, page.description) == ('Toner <6 "pcs">', "For laser printers")
    assert page.text == "006R\nprint technology\nLaser & LED"


def test_a_part_of_a_large_set_is_whole_groups(module, judged, monkeypatch):
    tweak = module("tweak")
    monkeypatch.setattr(tweak, "MOST_GROUPS", 1)
    part = tweak._some_groups(judged)
    assert len(part.judged) == 6
    assert len(set(part.judged.groups.ids.tolist())) == 1


def test_halves_of_a_set_keep_groups_whole(judged):
    half = judged.half()
    assert half.sum() == 6
    assert len(set(judged.judged.groups.ids[half])) == 1
    part = judged.part(half)
    assert len(part.judged) == 6
    assert part.left == [text for text, kept in zip(judged.left, half, strict=True) if kept]


def test_kept_scores_are_computed_again_once_they_are_wrong(module, workspace, judged, monkeypatch, tmp_path):
    kept = module("kept")
    monkeypatch.setattr(kept.data, "kept_folder", lambda: tmp_path)
    measure = workspace.measure("jaccard-stems")
    first = kept.scores_of(measure, judged)
    (path,) = (tmp_path / "scores").iterdir()
    assert kept.scores_of(measure, judged).tolist() == first.tolist()
    np.save(path, first + 1)
    assert kept.scores_of(measure, judged).tolist() == first.tolist()


@pytest.fixture
def asked(module, workspace, tmp_path, monkeypatch):
    """The workspace of two corpora and the list of web queries, in small."""
    kept = tmp_path / "kept" / "workspace"
    shutil.copytree(workspace.path / "corpus", kept / "corpus")
    listed = tmp_path / "asked.tsv"
    listed.write_text(
        'secretary general\t2\nsecretary of the UN\nannan secretary\n"apple pie" oven\n', "utf-8"
    )
    monkeypatch.setattr(module("repository"), "list_file", lambda name: listed)
    monkeypatch.setattr(module("data"), "workspace", lambda: Workspace.open(kept))
    return Workspace.open(kept)


def test_the_company_of_words_is_counted_from_nothing_under_a_stated_repository(module, asked):
    company = module("company")
    for _ in range(2):  # a second run counts anew, and says so alike
        workspace, line = company.counted_anew(asked)
        assert re.fullmatch(
            r"Neighbours of 45 words counted in \d+ s on \d+ cores; the vectors of `latent` learned from "
            r"them in \d+ s. Repository: 4 web queries.",
            line,
        )
    assert not (asked.path / "cooccurrence").exists()
    rows = module("company_causes").listed(workspace).splitlines()
    assert rows[2:] == [
        "| titles of documents | 2 | 0 |",
        "| past queries asked more than once | 1 | 0 |",
        "| in quotes in past queries | 1 | 0 |",
        "| runs of words in 10 past queries and more | 0 | 0 |",
        "| together | 3 | 0 |",
    ]


def test_causes_are_told_of_every_length_of_text(module, asked, judged):
    workspace, _ = module("company").counted_anew(asked)
    told, by_length, heavy = module("company_causes").causes(workspace, judged)
    texts = {*judged.left, *judged.right}
    assert told == f"Of {len(texts)} texts 0.0% have a phrase of two words or more."
    assert sum(int(row.split(" | ")[1]) for row in by_length.splitlines()[2:]) <= len(texts)
    assert re.search(r"median: chi-square [\d.]+, root [\d.]+, npmi [\d.]+\.", heavy)


def test_all_pairs_are_made_from_nothing_and_counted(module, asked):
    cost = module("company_cost")
    ten = cost.nearest(1)
    assert (ten["queries"], ten["pairs"]) == (4, 6)  # the three about secretaries with each other
    some = cost.paired(1, None, 0.5)
    texts = ["secretary general", "secretary of the UN", "annan secretary"]
    measure = Workspace.open(asked.path.parent / "web-queries").measure(cost.MEASURE)
    scores = [measure.score(a, [b])[0] for a in texts for b in texts if a != b]
    assert some["pairs"] == sum(score >= 0.5 for score in scores)
    assert cost.nearest(2)["queries"] == 2
    assert all(found["taken"] >= 0 and found["seconds"] > 0 for found in (ten, some))


def test_a_limit_of_memory_and_a_share_of_documents_are_measured(module, asked):
    cost = module("company_cost")
    assert cost.limited(16)["words"] == asked.corpus.vocabulary.count
    found = cost.counted(2)
    assert found["tokens"] < asked.corpus.statistics.tokens
    assert found["bytes"] > 0


def test_orderings_hold_only_where_the_interval_leaves_out_0(module, judged):
    good = judged.judged.grades + np.linspace(0, 0.1, 12)
    scores = {"best": good, "worst": -good, "also best": 2 * good}
    found = evaluate(judged.judged, scores, 1)
    printed = {"best": {"auc": 0.9}, "worst": {"auc": 0.6}, "also best": {"auc": 0.8}}
    seen = module("orderings").orderings(printed, found, judged, scores)
    assert [(each.higher, each.lower, each.verdict) for each in seen] == [
        ("best", "worst", "holds"),
        ("best", "also best", "not told apart"),
        ("also best", "worst", "holds"),
    ]


def test_eleven_points_give_nothing_for_what_is_never_returned(module):
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


def test_titles_of_the_keyword_sets_are_their_first_lines(module):
    document = module("keywords")._document
    wrapped = document("1", "A long title that goes\n\ton here\nThe text\n\tgoes on.", titled=True)
    assert (wrapped.title, wrapped.text) == ("A long title that goes on here", "The text\n\tgoes on.")
    assert document("2", "No title at all.", titled=True).title == ""
    assert document("3", "A line\nand another", titled=False).text == "A line\nand another"


def test_words_of_phrases_are_compared_by_stems_without_function_words(module, workspace):
    script = module("keywords")
    stems = functools.partial(script._stems, script._reader(workspace))
    assert script._words(stems, ["generals of the nations", "nation"]) == script._words(
        stems, ["general", "nation"]
    )
    assert len(script._phrases(stems, ["united nations", "United Nation", "!"])) == 1
