"""The repository: each query stored once under a permanent id, with counts that add up."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import InputError
from querykin.querylog.repository import Repository, normalize_query

SPELLINGS = ["Café Noir", "café noir", "CAFÉ  NOIR", "cafe\u0301 noir", " cafe\u0301\tnoir ", "Ｃａｆé Noir"]
OTHERS = ["cafe noir", "café  noire", "noir café", "😀", "東京", "Straße 7"]


@pytest.fixture
def repository(tmp_path) -> Repository:
    return Repository(tmp_path / "repository")


def content(repository: Repository) -> dict[str, int]:
    return {repository.query(number): int(repository.counts[number]) for number in repository.live_ids()}


def test_spellings_of_one_query_are_stored_once_and_their_counts_add_up(repository):
    change = repository.add((spelling, 10**i) for i, spelling in enumerate(SPELLINGS))
    assert (change.added, change.merged) == (1, 5)
    assert content(repository) == {"Café Noir": 111111}


@pytest.mark.parametrize("other", OTHERS)
def test_different_queries_are_not_merged(other, repository):
    repository.add([(SPELLINGS[0], 1), (other, 2)])
    assert content(repository) == {SPELLINGS[0]: 1, normalize_query(other): 2}


def test_case_is_folded_beyond_ascii(repository):
    repository.add([("Straße", 1), ("STRASSE", 1), ("ΣΊΣΥΦΟΣ", 1), ("σίσυφος", 1)])
    assert list(content(repository).values()) == [2, 2]


def test_a_removed_query_that_returns_gets_a_new_id(repository):
    repository.add([("nasa", 5), ("esa", 2), ("jaxa", 1)])
    assert repository.remove(["NASA"]) == 1
    assert (len(repository), repository.live_ids().tolist()) == (2, [1, 2])
    change = repository.add([("Nasa", 3)])
    assert (change.added, change.merged) == (1, 0)
    assert repository.live_ids().tolist() == [1, 2, 3]
    assert content(repository) == {"Nasa": 3, "esa": 2, "jaxa": 1}  # without the old count


def test_a_query_named_twice_is_removed_once(repository):
    repository.add([("nasa", 5), ("esa", 2)])
    assert repository.remove(["nasa", "NASA"]) == 1
    assert content(repository) == {"esa": 2}


@pytest.mark.parametrize("unknown", ["jaxa", "", "removed before"])
def test_an_unknown_query_changes_nothing(unknown, repository):
    repository.add([("nasa", 5), ("removed before", 1)])
    repository.remove(["removed before"])
    before = repository.generation, content(repository)
    with pytest.raises(InputError, match=r"no query .* nothing was removed"):
        repository.remove(["nasa", unknown])
    assert (repository.generation, content(repository)) == before
    assert content(Repository(repository._store.path)) == before[1]


def test_adding_nothing_writes_nothing(repository):
    change = repository.add([])
    assert (change.added, change.merged, repository.generation) == (0, 0, 0)
    assert len(repository) == 0


def test_an_iterator_that_fails_changes_nothing(repository):
    def failing():
        yield "esa", 1
        raise InputError("line 2 is bad")

    repository.add([("nasa", 5)])
    with pytest.raises(InputError):
        repository.add(failing())
    assert content(repository) == content(Repository(repository._store.path)) == {"nasa": 5}


def test_another_writer_is_seen_by_the_next_change(repository):
    other = Repository(repository._store.path)
    repository.add([("nasa", 1)])
    assert len(other) == 0  # a snapshot
    other.add([("NASA", 1), ("esa", 1)])
    assert content(other) == {"nasa": 2, "esa": 1}
    assert content(repository) == {"nasa": 1}


operation = st.tuples(
    st.booleans(), st.sampled_from(["nasa", "NASA", "ＮＡＳＡ", "esa", "Esa ", "é", "e\u0301", "😀"])
)


@given(st.lists(st.lists(operation, max_size=5), max_size=3))
@settings(deadline=None, max_examples=15)
def test_a_repository_is_a_dictionary_of_folded_queries(batches):
    """Added in batches and removed one by one; ids never change."""
    folded = {
        "nasa": "nasa",
        "NASA": "nasa",
        "ＮＡＳＡ": "nasa",
        "esa": "esa",
        "Esa ": "esa",
        "Esa": "esa",
        "é": "é",
        "e\u0301": "é",
        "😀": "😀",
    }
    expected: dict[str, int] = {}
    numbers: dict[str, int] = {}
    with TemporaryDirectory() as folder:
        for batch in batches:
            repository = Repository(Path(folder) / "repository")
            repository.add([(query, 2) for adding, query in batch if adding])
            for query in (query for adding, query in batch if adding):
                expected[folded[query]] = expected.get(folded[query], 0) + 2
            for query in {folded[query]: query for adding, query in batch if not adding}.values():
                if folded[query] in expected:
                    repository.remove([query])
                    del expected[folded[query]]
                    numbers.pop(folded[query], None)  # it would come back under a new one
            found = {folded[repository.query(n)]: int(repository.counts[n]) for n in repository.live_ids()}
            assert found == expected
            for number in repository.live_ids().tolist():
                assert numbers.setdefault(folded[repository.query(number)], number) == number


@given(st.text())
def test_normalizing_a_query_is_idempotent_and_gives_one_line(text):
    query = normalize_query(text)
    assert normalize_query(query) == query
    assert query == query.strip()
    assert not any(c in query for c in "\t\n\r\0")
    query.encode()
