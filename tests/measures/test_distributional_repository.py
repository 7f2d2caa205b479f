"""The distributional measures over a repository, and after changes of documents and counts."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from distributional import NAMES, configured, reference_measure
from querykin import Document, WorkspaceError
from querykin.measures import measures
from reference.association import ReferenceDistributional
from reference.cooccurrence import ReferenceCooccurrence
from reference.lexical import ranked
from stocked import REPOSITORY, stock
from topics import DOCUMENTS


@pytest.fixture(scope="module")
def stocked(build):
    """All titles and a few more queries, indexed for both measures; read-only."""
    workspace = build(DOCUMENTS)
    workspace.update_derived("distributional")  # before there are queries: titles are the only phrases
    return stock(workspace, REPOSITORY, *NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_index_finds_what_brute_force_finds(stocked, name):
    """The reference scores every query of the repository; scores of 0 are not returned."""
    for query in ("space exploration", "java island", "rockets of NASA", "the apple pie", "Krakatoa"):
        scores = {text: reference_measure(name).score(query, text) for text, _ in REPOSITORY}
        found = stocked.match([query], 1000, measure=name)[0]
        expected = {text: score for text, score in scores.items() if score > 1e-6}
        assert {s.query: s.score for s in found.suggestions if s.score > 1e-6} == pytest.approx(
            expected, abs=2e-6
        )
        order = ranked((s.query, s.count, s.score) for s in found.suggestions)
        assert [s.query for s in found.suggestions] == order
        best = stocked.match([query], 5, measure=name)[0].suggestions
        assert best == found.suggestions[:5]
    for query in ("zzyzx", "", "😀"):
        nothing = stocked.match([query], 5, measure=name)[0]
        assert (nothing.covered, nothing.suggestions) == (False, ())


@pytest.mark.parametrize("parameters", [{"weighting": "chi-square"}, {"smoothing": 0.5}, {"terms": 3}])
@pytest.mark.parametrize("name", NAMES)
def test_an_index_is_ranked_with_the_parameters_of_the_settings(stocked, name, parameters):
    workspace = configured(stocked, **parameters)
    with pytest.raises(WorkspaceError, match="querykin build"):
        workspace.match(["NASA"], 3, measure=name)
    workspace.build(name)
    measure, candidates = workspace.measure(name), [text for text, _ in REPOSITORY]
    for query in ("java island", "rockets of nasa"):
        scores = measure.score(query, candidates)
        expected = np.sort(scores[scores > 0])[::-1][:10]
        found = workspace.match([query], 10, measure=name)[0].suggestions
        assert [s.score for s in found] == pytest.approx(expected, abs=2e-6)
    stocked.build(name)


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_scored_without_a_repository(build, name):
    workspace = build(DOCUMENTS[:30])
    assert workspace.similarity("NASA", "ESA", name) > 0
    with pytest.raises(WorkspaceError, match=r"repository in .* is empty"):
        workspace.suggest("NASA", measure=name)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_corpus_is_an_error(build, name):
    with pytest.raises(WorkspaceError, match="corpus add"):
        build().measure(name)


@pytest.mark.parametrize("name", NAMES)
def test_new_documents_count_after_an_update_of_the_counts(build, name):
    workspace = build(DOCUMENTS[:50])
    before = workspace.similarity("Bali", "Sumatra", name)
    workspace.corpus.add([*DOCUMENTS[50:], Document("new", "", "zzyzx lies between Bali and Sumatra")])
    workspace = workspace.reopen()
    assert workspace.cooccurrence.is_stale(workspace.corpus)
    assert workspace.similarity("Bali", "Sumatra", name) == pytest.approx(before)
    assert isnan(workspace.similarity("zzyzx", "Bali", name))
    assert "b: unknown and left out: zzyzx" in workspace.explain("Bali", "zzyzx", name).notes
    workspace.update_derived("distributional")
    workspace = workspace.reopen()
    assert not workspace.cooccurrence.is_stale(workspace.corpus)
    documents = [*DOCUMENTS, Document("new", "", "zzyzx lies between Bali and Sumatra")]
    listed = [document.title for document in DOCUMENTS[:50]]  # phrases are listed by the first count
    reference = ReferenceDistributional(
        ReferenceCooccurrence.over(documents, listed), measures[name].kind.phrases
    )
    for pair in (("Bali", "Sumatra"), ("zzyzx", "Bali"), ("space exploration", "NASA")):
        assert workspace.similarity(*pair, name) == pytest.approx(reference.score(*pair))
    assert workspace.similarity("Bali", "Sumatra", name) != pytest.approx(before)


@pytest.mark.parametrize("name", NAMES)
def test_an_index_of_old_counts_must_be_rebuilt(build, name):
    workspace = build(DOCUMENTS[:50])
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    workspace.build(name)
    before = workspace.match(["space exploration"], 10, measure=name)
    workspace.corpus.add(DOCUMENTS[50:])
    workspace = workspace.reopen()
    (after,) = workspace.match(["space exploration"], 10, measure=name)
    assert [replace(each, percentile=None) for each in before[0].suggestions] == list(after.suggestions)
    workspace.update_derived("distributional")
    workspace = workspace.reopen()
    with pytest.raises(WorkspaceError, match=f"querykin build --measures {name}"):
        workspace.suggest("space exploration", measure=name)
    workspace.build(name)
    expect_brute_force(workspace.reopen(), name, before)


@pytest.mark.parametrize("name", NAMES)
def test_a_build_counts_the_co_occurrences_of_new_documents(build, name):
    workspace = build(DOCUMENTS[:50])
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    workspace.build(name)
    before = workspace.match(["space exploration"], 10, measure=name)
    workspace.corpus.add(DOCUMENTS[50:])
    workspace.reopen().build(name)
    workspace = workspace.reopen()
    assert not workspace.cooccurrence.is_stale(workspace.corpus)
    expect_brute_force(workspace, name, before)


def expect_brute_force(workspace, name, before):
    """The ranking differs from the one before and equals that of the current scores."""
    after = workspace.match(["space exploration"], 10, measure=name)
    assert after != before
    scores = workspace.measure(name).score("space exploration", [text for text, _ in REPOSITORY])
    expected = np.sort(scores[scores > 0])[::-1][:10]
    assert [s.score for s in after[0].suggestions] == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("name", NAMES)
def test_an_open_workspace_uses_new_counts(build, name):
    """Its measures were created with the previous vocabulary."""
    workspace = build(DOCUMENTS[:50])
    workspace.similarity("Bali", "Java", name)
    workspace.corpus.add([Document("new", "", "qwrtp Bali qwrtp Java qwrtp Bali qwrtp Java")])
    workspace.update_derived("distributional")
    found, opened = (w.explain("Bali", "Java", name) for w in (workspace, workspace.reopen()))
    assert found.score == pytest.approx(opened.score)
    assert {part.term for part in found.contributions} == {part.term for part in opened.contributions}


@pytest.mark.parametrize("name", NAMES)
def test_an_open_workspace_uses_the_counts_of_another_process(build, name):
    workspace = build(DOCUMENTS[:50])
    assert workspace.expander.corpus.generation == workspace.corpus.generation
    other = workspace.reopen()
    other.corpus.add([Document("new", "", "qwrtp Bali qwrtp Java qwrtp Bali qwrtp Java")])
    other.update_derived("distributional")
    found = workspace.explain("Bali", "Java", name)
    assert found.score > 0
    assert sum(part.share for part in found.contributions) == pytest.approx(found.score)


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_different_counts_are_never_compared(build, name):
    workspace = build(DOCUMENTS[:20])
    before = workspace.measure(name).encode_candidates(["NASA"])
    workspace.corpus.add(DOCUMENTS[20:])
    workspace = workspace.reopen()
    workspace.update_derived("distributional")
    with pytest.raises(ValueError, match="different spaces"):
        before.gram(workspace.measure(name).encode_candidates(["NASA"]))
