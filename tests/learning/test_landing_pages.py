"""Landing pages: fields of a page, scores of queries and pages, and the threshold of the filter."""

import numpy as np
import pytest

from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.learning.landing_pages.judged_pages import read_judged_pages
from querykin.learning.landing_pages.pages import Page, PageScorer, open_pages, page_terms
from querykin.learning.landing_pages.threshold import threshold_for, threshold_for_recall
from querykin.learning.landing_pages.threshold_check import ThresholdCheck
from querykin.learning.tweak.term_weights import FEATURE_SETS
from querykin.learning.tweak.training_data import page_training_data
from querykin.model_files import Model
from querykin.text.tokenizer import tokenize
from querykin.weighting.term_features import FIELDS, TermFeatureReader

BROKEN = """<html><head><TITLE>Mariners &amp; stadium</title>
<meta NAME=Description content="Baseball league in Seattle"><meta name=keywords content='hits, island'>
<link rel=canonical href="https://example.org/mariners-stadium.html">
<body><script>var hidden = 1</script><nav><a href=/x>island</a></nav>
<h1>Stadium<p>Buy <a href=y>baseball stadium<b>now</a> for the game"""


def fields_of(workspace, page, word):
    """The fields of a page that contain a word."""
    reader = TermFeatureReader(workspace.expander.corpus, workspace.query_frequencies)
    terms = page_terms(reader, [page])
    (row,) = np.flatnonzero(terms.terms == reader.stem_ids(tokenize([word]))[0])
    return {name for name in FIELDS if terms.in_field[name][row]}


def test_fields_are_read_from_malformed_html(workspace):
    page = Page.of_html(BROKEN)
    assert page.title == "Mariners & stadium"
    assert (page.description, page.keywords) == ("Baseball league in Seattle", "hits, island")
    assert page.links == "island baseball stadiumnow"
    assert "hidden" not in page.everything
    assert page.url == "https://example.org/mariners-stadium.html"
    assert fields_of(workspace, page, "mariners") == {"title", "url"}
    assert fields_of(workspace, page, "stadium") == {"title", "url"}
    assert fields_of(workspace, page, "baseball") == {"anchor", "description"}
    assert fields_of(workspace, page, "island") == {"anchor", "keywords"}
    assert fields_of(workspace, page, "game") == set()


def test_words_are_found_inside_the_url_and_short_words_only_as_tokens():
    page = Page("a game of base or it", url="https://example.org/baseball/it-1")
    assert page.address_words == "base it"
    assert Page("game", url="").address_words == ""


def scorer(workspace, weights=(5.0, 1.0, -0.5), features="tf-df", **content):
    names = FEATURE_SETS[features]
    padded = [*weights, *[0.0] * (len(names) - len(weights))]
    basic = {"features": list(names), "weights": padded, "results": 30}
    return PageScorer(workspace, Model("tweak", "mine", basic | content))


def test_a_page_on_the_topic_scores_higher_and_an_empty_page_has_no_score(workspace):
    pages = [Page.of_html(BROKEN), Page("Volcanoes and rice fields"), Page(), Page("\0 \0")]
    good, bad, empty, nul = scorer(workspace).score(["seattle mariners"] * 4, pages)
    assert good > bad
    assert np.isnan([empty, nul]).all()
    assert np.isnan(scorer(workspace).score(["zzyzx"], pages[:1])).all()
    assert len(scorer(workspace).score([], [])) == 0


def test_the_page_is_not_expanded(workspace):
    only_counts = scorer(workspace, (1.0, 0.0, 0.0))
    assert only_counts.score(["seattle mariners"], [Page("zzyzx")])[0] == 0


def test_the_field_of_a_word_changes_the_score_by_its_weight(workspace):
    weights = (1.0, *[0.0] * 7, 2.0)  # the title
    assert FEATURE_SETS["html"][8] == "title"
    page = Page("pie oven sugar", "baseball league")
    plain = scorer(workspace, weights[:8], "plain").score(["seattle mariners"], [page])[0]
    titled = scorer(workspace, weights, "html").score(["seattle mariners"], [page])[0]
    assert titled > plain > 0


def test_scores_in_training_equal_those_of_the_filter(workspace):
    rows = ["query\tgrade\ttitle\ttext"]
    rows += [
        f"{query}\t{grade}\t{title}\t{text}"
        for query, grade, title, text in [
            ("seattle mariners", 1, "Baseball", "team stadium season tickets"),
            ("seattle mariners", 0, "Pie", "oven sugar"),
            ("java island", 1, "Jakarta", "volcanoes of Indonesia"),
            ("java island", 0, "Pitcher", "baseball innings"),
        ]
    ]
    path = workspace.path / "pages.tsv"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    judged, pages = read_judged_pages(str(path))
    training_data = page_training_data(workspace, judged, pages, "html", "sse")
    content = training_data.learn(np.arange(4))
    expected = training_data.scores(content, np.arange(4))
    found = PageScorer(workspace, Model("tweak", "m", content)).score(judged.queries.at(range(4)), pages)
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-5)
    assert found[0] > found[1]


def test_the_threshold_maximizes_recall_at_the_required_precision():
    scores, grades = np.array([0.9, 0.8, 0.7, 0.6, np.nan]), np.array([1.0, 0, 1, 1, 1])
    found = threshold_for(scores, grades, 1, 0.75)
    assert (found.score, found.precision, found.recall, found.kept) == (0.6, 0.75, 0.75, 0.8)
    with pytest.raises(InputError, match=r"the highest is 50\.0%"):
        threshold_for(np.array([0.9, 0.9]), np.array([1.0, 0.0]), 1, 0.9)
    with pytest.raises(InputError, match="--precision must be above 0 and at most 1, got 2"):
        threshold_for(scores, grades, 1, 2)


def test_the_threshold_for_a_recall_is_the_highest_that_reaches_it():
    scores, grades = np.array([0.9, 0.8, 0.7, 0.6, np.nan]), np.array([1.0, 0, 1, 1, 1])
    found = threshold_for_recall(scores, grades, 1, 0.5)
    assert (found.score, found.precision, found.recall, found.kept) == (0.7, 2 / 3, 0.5, 0.6)
    with pytest.raises(InputError, match=r"recall of 90%: 75\.0% of the relevant pages have a score"):
        threshold_for_recall(scores, grades, 1, 0.9)
    with pytest.raises(InputError, match="--recall must be above 0 and at most 1, got 0"):
        threshold_for_recall(scores, grades, 1, 0)


def test_queries_are_also_scored_with_pages_of_other_queries(workspace):
    queries = ["seattle mariners"] * 2 + ["java island"]
    pages = [Page("baseball stadium"), Page("baseball innings"), Page("volcanoes of Indonesia")]
    scores, mismatched = scorer(workspace).score_with_mismatched(queries, pages)
    assert scores.tolist() == scorer(workspace).score(queries, pages).tolist()
    expected = scorer(workspace).score([queries[0], queries[2]], [pages[2], pages[1]])
    assert mismatched.tolist() == expected.tolist()
    assert not len(scorer(workspace).score_with_mismatched(queries[:2], pages[:2])[1])


def checked(scores, mismatched):
    check = ThresholdCheck()
    check.add(np.array(scores), np.array(mismatched))
    return check


def test_a_threshold_that_drops_many_pages_above_chance_is_reported():
    chance = [0.0] * 60 + [0.05, np.nan]
    high = checked([0.3] * 60 + [0.1] * 40, chance)
    assert high.remark(0.05) is None
    assert "too high for these pages: 40 of 100 pages that score above chance (0)" in high.remark(0.2)
    assert high.remark(0.2).endswith("--threshold 0")
    assert checked([0.3] * 70 + [0.1] * 30, chance).remark(0.2) is None
    # Pages that score no more than chance do not speak against the threshold.
    assert checked([0.3] * 10 + [0.0] * 90, chance).remark(0.2) is None


def test_a_threshold_that_mismatched_pages_reach_is_reported():
    low = checked([0.5] * 100, [0.3] * 6 + [0.0] * 94)
    assert "too low for these pages: 6% of the queries would keep the page of another query" in low.remark(
        0.2
    )


def test_few_pairs_say_nothing_about_a_threshold():
    assert checked([0.1] * 100, [0.0] * 49).remark(0.2) is None
    assert ThresholdCheck().remark(0.2) is None


def test_the_shipped_threshold_has_the_recall_that_it_was_chosen_for(workspace):
    model = PageScorer.of(workspace).model
    assert 0.95 <= model.training["report"]["recall"] < 0.96
    assert model.content["threshold"] == pytest.approx(0.176, abs=5e-4)


def test_missing_models_and_thresholds_are_errors(workspace, build):
    with pytest.raises(UnknownName, match="unknown model 'nope'"):
        PageScorer.of(workspace, "nope")
    with pytest.raises(WorkspaceError, match="is empty; next: querykin corpus add FILE"):
        PageScorer.of(build())
    with pytest.raises(InputError, match="has no learned threshold; give one"):
        scorer(workspace).threshold()
    with pytest.raises(InputError, match="from 0 to 1, got 3"):
        scorer(workspace).threshold(3)
    assert scorer(workspace, threshold=0.25).threshold() == 0.25
    assert 0 < PageScorer.of(workspace).threshold() < 1


def test_tables_without_pages_or_with_an_output_column_are_refused(tmp_path):
    for name, head, message in (
        ("a.tsv", "query\tcandidate", "has no column of pages; needed: one or more of html, file, url"),
        ("b.tsv", "query\ttext\tscore", "has a column 'score' already"),
        ("c.tsv", "q\ttext", "has no column 'query'"),
    ):
        (tmp_path / name).write_text(f"{head}\nx\ty\tz\n"[: len(head) + 5], "utf-8")
        with pytest.raises(InputError, match=message):
            open_pages(str(tmp_path / name), "", tmp_path)
