"""Index updates: only new and stale queries are encoded, and search stays exact."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from querykin import Document, Settings, Workspace
from querykin.index import merging
from querykin.index.builder import with_pinned_statistics
from querykin.index.index import newest_rows
from querykin.integrity import corrupted_files
from querykin.measures.web_kernel import WebKernel
from topics import DOCUMENTS, QUERIES

TITLES = tuple(document.title for document in DOCUMENTS if document.title)
UNSEEN = ("rocket launch", "baking bread", "volcano on an island", "zzyzx", "the pitcher's mound")
FIVE = Settings(measures={"web-kernel": {"results": 5}})  # few, so that new documents displace old ones
MOON = Document("moon", "Moon landing", "Astronauts of NASA landed on the Moon after a long space travel.")


@pytest.fixture(scope="module")
def stocked(tmp_path_factory) -> Path:
    """A built workspace to copy: five topics, their titles and a few more queries."""
    workspace = Workspace.open(tmp_path_factory.mktemp("stocked") / "workspace", FIVE)
    workspace.corpus.add(DOCUMENTS)
    workspace.repository.add([(query, 1) for query in (*QUERIES, *TITLES)])
    workspace.reopen().build("web-kernel")
    return workspace.path


@pytest.fixture
def workspace(stocked, tmp_path) -> Workspace:
    """A writable copy."""
    shutil.copytree(stocked, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace", FIVE)


def live_ids(workspace: Workspace) -> list[str]:
    return workspace.repository.queries(workspace.repository.live_ids())


def pinned_measure(workspace: Workspace):
    return with_pinned_statistics(
        workspace.measure("web-kernel"), workspace.index("web-kernel"), workspace.corpus
    )


def results(workspace: Workspace) -> dict[str, list[int]]:
    """The search results of every query under the statistics of the index."""
    measure = pinned_measure(workspace)
    return {query: measure.expander.search([query], 5)[1].documents.tolist() for query in live_ids(workspace)}


def stale(workspace: Workspace) -> set[str]:
    return set(workspace.repository.queries(workspace.plan("web-kernel").stale))


def expect_exact_search(workspace: Workspace) -> None:
    """The index returns every live query with the score of the measure."""
    measure, index, candidates = pinned_measure(workspace), workspace.index("web-kernel"), live_ids(workspace)
    queries = [*QUERIES, *UNSEEN]
    rankings = index.search(
        measure,
        measure.encode_candidates(queries),
        1000,
        workspace.repository,
        index.live_rows(workspace.repository),
    )
    for query, ranking in zip(queries, rankings, strict=True):
        scores = np.nan_to_num(measure.score_pairs([query] * len(candidates), candidates))
        expected = {q: score for q, score in zip(candidates, scores.tolist(), strict=True) if score > 0}
        found = dict(
            zip(workspace.repository.queries(ranking.query_ids), ranking.scores.tolist(), strict=True)
        )
        assert found == pytest.approx(expected, abs=1e-6)
        assert len(found) == len(ranking.query_ids)


def test_after_a_build_there_is_nothing_to_do(workspace):
    generation = workspace.index("web-kernel").generation
    assert not workspace.plan("web-kernel").needed
    workspace.build("web-kernel")
    assert workspace.index("web-kernel").generation == generation
    assert not workspace.index("web-kernel").is_stale(workspace.repository, workspace.corpus)
    expect_exact_search(workspace)


def test_only_new_queries_are_expanded(workspace, monkeypatch):
    expanded: list[str] = []
    encode = WebKernel.encode_with_results
    monkeypatch.setattr(
        WebKernel,
        "encode_with_results",
        lambda self, texts: [expanded.extend(texts), encode(self, texts)][1],
    )
    workspace.repository.add([("moon rocket", 2), ("batter's box", 1), ("NASA", 7)])
    assert workspace.index("web-kernel").is_stale(workspace.repository, workspace.corpus)
    assert len(workspace.plan("web-kernel").missing) == 2
    workspace.build("web-kernel")
    assert sorted(expanded) == ["batter's box", "moon rocket"]
    assert not workspace.plan("web-kernel").needed
    expect_exact_search(workspace)


def test_a_replaced_source_changes_counts_without_a_build_and_its_lost_queries_disappear(workspace):
    before = workspace.suggest("space exploration", 500, "web-kernel", filter="none").suggestions
    kept = [(each.query, 9) for each in before[1:]]
    others = [(query, 1) for query in live_ids(workspace) if query not in {each.query for each in before}]
    workspace.repository.add([*kept, *others], replace=True)
    workspace = workspace.reopen()
    assert not workspace.plan("web-kernel").needed
    after = workspace.suggest("space exploration", 500, "web-kernel", filter="none").suggestions
    assert [(each.query, each.count) for each in after] == kept
    expect_exact_search(workspace)


def test_removed_queries_are_never_returned(workspace):
    before = workspace.suggest("space exploration", 3, "web-kernel").suggestions
    workspace.repository.remove([before[0].query])
    workspace = workspace.reopen()
    for min_count in (1, 0):
        found = workspace.suggest(
            "space exploration", 500, "web-kernel", filter="none", min_count=min_count
        ).suggestions
        assert before[0].query not in [suggestion.query for suggestion in found]
    expect_exact_search(workspace)
    workspace.repository.add([(before[0].query, before[0].count)])
    assert len(workspace.plan("web-kernel").todo) == 1  # its old row may be stale: it is encoded again
    workspace.build("web-kernel")
    again = workspace.suggest("space exploration", 3, "web-kernel").suggestions
    assert [(suggestion.query, suggestion.score) for suggestion in again] == [
        (suggestion.query, suggestion.score) for suggestion in before
    ]


CHANGES = {
    "one topic": ([MOON], []),
    "two topics": ([MOON, Document("pie", "Pie", "A pie of apples and rice with sugar from Java.")], []),
    "no topic": ([Document("void", "Quux", "Frobnicate the plugh.")], []),
    "removal": ([], ["space-0", "java-3", "untitled"]),
    "replacement": ([Document("island-1", "Indonesia", "A country of many volcanoes.")], []),
    "both": ([MOON], ["space-2", "cooking-0"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_exactly_the_queries_whose_results_change_are_stale(change, workspace):
    before = results(workspace)
    added, removed = CHANGES[change]
    if added:
        workspace.corpus.add(added)
    if removed:
        workspace.corpus.remove(removed)
    workspace = workspace.reopen()
    after = results(workspace)
    changed = {query for query in before if before[query] != after[query]}
    assert stale(workspace) == changed
    assert bool(changed) == (change != "no topic")
    assert len(changed) < len(before)
    workspace.build("web-kernel")
    assert not workspace.plan("web-kernel").needed
    assert not workspace.index("web-kernel").is_stale(workspace.repository, workspace.corpus)
    expect_exact_search(workspace)
    assert stored_results(workspace) == {query: sorted(found) for query, found in after.items()}


def test_a_query_with_a_word_new_to_the_vocabulary_is_stale(workspace):
    """The word has another feature id from now on, although the results of the query are the same."""
    workspace.repository.add([("java island indonesia kelud", 1)])
    workspace.build("web-kernel")
    before = results(workspace)
    workspace.corpus.add([Document("long", "Long", "word " * 300 + "kelud " + "other " * 3000)])
    workspace = workspace.reopen()
    assert results(workspace) == before
    assert stale(workspace) == {"java island indonesia kelud"}
    workspace.build("web-kernel")
    expect_exact_search(workspace)
    (found,) = workspace.match(["java island indonesia kelud"], 1)
    assert found.suggestions[0].score == pytest.approx(1, abs=1e-6)


def stored_results(workspace: Workspace) -> dict[str, list[int]]:
    index, found = workspace.index("web-kernel"), {}
    for segment, newest in zip(index.segments, newest_rows(index.segments), strict=True):
        rows, documents = segment.documents()
        for row in np.flatnonzero(newest):
            found[workspace.repository.query(segment.query_ids[row])] = documents[rows == row].tolist()
    return found


def test_statistics_are_pinned_until_a_rebuild(workspace):
    old = workspace.index("web-kernel").statistics
    assert (old.version, old.documents) == (workspace.corpus.statistics.version, len(DOCUMENTS))
    workspace.corpus.add([MOON, Document("more", "More", "Words about words.")])
    workspace = workspace.reopen()
    workspace.build("web-kernel")
    assert (
        workspace.index("web-kernel").statistics.version,
        workspace.index("web-kernel").statistics.documents,
    ) == (
        old.version,
        old.documents,
    )
    workspace.build("web-kernel", rebuild=True)
    new, current = workspace.index("web-kernel").statistics, workspace.corpus.statistics
    assert (new.version, new.documents, new.tokens) == (current.version, len(DOCUMENTS) + 2, current.tokens)
    assert new.stem_df.tolist() == current.stem_df.tolist()
    assert pinned_measure(workspace).expander is workspace.expander
    expect_exact_search(workspace)


def test_many_segments_are_merged_with_the_same_results(workspace):
    alone = Workspace.open(workspace.path.with_name("alone"), FIVE)
    alone.corpus.add(DOCUMENTS)
    added = [f"{a} {b}" for a, b in zip(TITLES, TITLES[7:], strict=False)][:7]
    for number, query in enumerate(added):
        workspace.repository.add([(query, 1)])
        workspace.repository.remove([TITLES[number]])
        workspace.build("web-kernel")
        assert len(workspace.index("web-kernel").segments) <= merging.MAX_SEGMENTS
    alone.repository.add([(query, 1) for query in (*QUERIES, *TITLES, *added)])
    alone.repository.remove(list(TITLES[:7]))
    alone = alone.reopen()
    for query in (*QUERIES, *UNSEEN):
        assert workspace.suggest(query, 50).suggestions == alone.suggest(query, 50).suggestions
    expect_exact_search(workspace)
    assert (
        sum(map(len, workspace.index("web-kernel").segments)) < len(QUERIES) + len(TITLES) + 7
    )  # without deleted rows
    for number in range(2):  # segments with replaced rows are merged as well
        workspace.corpus.add([Document(f"moon-{number}", MOON.title, MOON.text)])
        workspace = workspace.reopen()
        workspace.build("web-kernel")
        expect_exact_search(workspace)
    assert corrupted_files(workspace) == []
