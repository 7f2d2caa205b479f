"""The repository: each query stored once under a permanent id, with counts that add up."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import InputError, QuerykinError
from querykin.querylog.counted_queries import CountedQueries
from querykin.querylog.repository import QueryCount, Repository
from querykin.text.normalization import normalize_query
from querykin.types import Change

SPELLINGS = ["Café Noir", "café noir", "CAFÉ  NOIR", "cafe\u0301 noir", " cafe\u0301\tnoir ", "Ｃａｆé Noir"]
OTHERS = ["cafe noir", "café  noire", "noir café", "😀", "東京", "Straße 7"]


@pytest.fixture
def repository(tmp_path) -> Repository:
    return Repository(tmp_path / "repository")


def content(repository: Repository) -> dict[str, int]:
    return {repository.query(number): int(repository.counts[number]) for number in repository.live_ids()}


def test_spellings_of_one_query_are_stored_once_and_their_counts_add_up(repository):
    change = repository.add((spelling, 10**i) for i, spelling in enumerate(SPELLINGS))
    assert change == Change(added=1, repeated=5)
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
    assert repository.remove(["NASA"]) == Change(removed=1)
    assert (len(repository), repository.live_ids().tolist()) == (2, [1, 2])
    change = repository.add([("Nasa", 3)])
    assert change == Change(added=1)
    assert repository.live_ids().tolist() == [1, 2, 3]
    assert content(repository) == {"Nasa": 3, "esa": 2, "jaxa": 1}  # without the old count


def test_a_query_named_twice_is_removed_once(repository):
    repository.add([("nasa", 5), ("esa", 2)])
    assert repository.remove(["nasa", "NASA"]) == Change(removed=1)
    assert content(repository) == {"esa": 2}


@pytest.mark.parametrize("unknown", ["jaxa", "", "removed before"])
def test_an_unknown_query_changes_nothing(unknown, repository):
    repository.add([("nasa", 5), ("removed before", 1)])
    repository.remove(["removed before"])
    before = repository.generation, content(repository)
    with pytest.raises(InputError, match=r"no query .* nothing was removed"):
        repository.remove(["nasa", unknown])
    assert (repository.generation, content(repository)) == before
    assert content(Repository(repository.store.path)) == before[1]


def test_adding_nothing_writes_nothing(repository):
    assert repository.add([]) == Change()
    assert repository.generation == 0
    assert len(repository) == 0


def test_an_iterator_that_fails_changes_nothing(repository):
    def failing():
        yield "esa", 1
        raise InputError("line 2 is bad")

    repository.add([("nasa", 5)])
    with pytest.raises(InputError):
        repository.add(failing())
    assert content(repository) == content(Repository(repository.store.path)) == {"nasa": 5}


def test_another_writer_is_seen_by_the_next_change(repository):
    other = Repository(repository.store.path)
    repository.add([("nasa", 1)])
    assert len(other) == 0  # a snapshot
    other.add([("NASA", 1), ("esa", 1)])
    assert content(other) == {"nasa": 2, "esa": 1}
    assert content(repository) == {"nasa": 1}


FOLDED = {
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
spellings, sources = st.sampled_from(list(FOLDED)), st.sampled_from(["console", "mined", "shop"])
counted = st.lists(st.tuples(spellings, st.integers(1, 3)), max_size=4)
operations = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["add", "replace"]), counted, sources),
        st.tuples(st.just("remove"), st.lists(spellings, min_size=1, max_size=2), sources),
        st.tuples(st.just("remove source"), st.just(()), sources),
    ),
    max_size=15,
)


class Model:
    """A repository as plain dictionaries: the counts of each source, and the contents it was given."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter] = {}
        self.contents: dict[str, list[Counter]] = {}

    def total(self) -> Counter:
        return sum(self.counts.values(), Counter())

    def sizes(self) -> dict[str, int]:
        return {name: len(counts) for name, counts in self.counts.items() if counts}

    def perform(self, verb: str, what: list, source: str) -> None:
        if verb == "remove source":
            del self.counts[source], self.contents[source]
        elif verb == "remove":
            for counts in self.counts.values():
                for query in what:
                    counts.pop(FOLDED[query], None)
        else:
            content: Counter = Counter()
            for query, count in what:
                content[FOLDED[query]] += count
            if verb == "replace":
                self.counts[source], self.contents[source] = Counter(), []
            counts = self.counts.setdefault(source, Counter())
            if content in self.contents.setdefault(source, []):
                self.counts[source] = Counter({**content, **counts})
            elif content:
                counts += content
                self.contents[source].append(content)


def perform(repository: Repository, verb: str, what: list, source: str, dry_run: bool = False) -> Change:
    if verb == "remove":
        return repository.remove(what)
    if verb == "remove source":
        return repository.remove_source(source)
    return repository.add(what, source=source, replace=verb == "replace", dry_run=dry_run)


def difference(before: Counter, after: Counter) -> tuple[int, int, int]:
    """How many queries are new, have another count, are gone."""
    changed = sum(before[query] != after[query] for query in before.keys() & after.keys())
    return len(after.keys() - before.keys()), changed, len(before.keys() - after.keys())


@given(operations, st.booleans())
@settings(deadline=None, max_examples=60)
def test_after_any_changes_a_repository_equals_plain_dictionaries(operations, reopen):
    model, numbers = Model(), {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "repository"
        repository = Repository(path)
        for verb, what, source in operations:
            repository = Repository(path) if reopen else repository
            before = model.total()
            if (verb == "remove" and not {FOLDED[query] for query in what} <= before.keys()) or (
                verb == "remove source" and source not in model.sizes()
            ):
                with pytest.raises(QuerykinError):
                    perform(repository, verb, what, source)
                continue
            model.perform(verb, what, source)
            expected = difference(before, model.total())
            if verb in ("add", "replace"):
                foreseen = perform(repository, verb, what, source, dry_run=True)
                assert {FOLDED[query]: count for query, count in content(repository).items()} == before
            change = perform(repository, verb, what, source)
            assert (change.added, change.replaced, change.removed) == expected
            if verb in ("add", "replace"):
                assert change == foreseen
                distinct = {FOLDED[query] for query, _ in what}
                assert change.repeated == len(what) - len(distinct)
                assert change.unchanged == sum(before[q] == model.total()[q] for q in distinct)
            assert {FOLDED[query]: count for query, count in content(repository).items()} == model.total()
            assert repository.sources() == model.sizes()
            for name in model.sizes():
                listed = {FOLDED[each.query]: each.count for each in repository.by_count(name)}
                assert listed == model.counts[name]
            live = {FOLDED[repository.query(n)]: n for n in repository.live_ids().tolist()}
            assert all(numbers.get(query, number) == number for query, number in live.items())
            numbers = live  # a query that is gone would come back under a new id


def test_the_same_content_again_writes_nothing_in_any_order_and_spelling(repository):
    repository.add([("nasa", 2), ("esa", 1)], source="console")
    generation = repository.generation
    assert repository.add([("ESA", 1), ("NASA", 2)], source="console") == Change(unchanged=2)
    assert repository.add([("esa", 1), ("nasa", 2)], source="console", replace=True) == Change(unchanged=2)
    assert repository.generation == Repository(repository.store.path).generation == generation
    assert content(repository) == {"nasa": 2, "esa": 1}


def test_contents_of_one_source_add_up_and_each_is_recognized(repository):
    january, february = [("nasa", 2), ("esa", 1)], [("nasa", 5)]
    for month in (january, february, january, february):
        repository.add(month, source="console")
    assert content(repository) == {"nasa": 7, "esa": 1}
    repository.add(january, source="shop")
    assert content(repository) == {"nasa": 9, "esa": 2}
    assert repository.remove_source("console") == Change(replaced=2)
    assert content(repository) == {"nasa": 2, "esa": 1}


def test_several_contents_are_added_together_and_recognized_alone(repository):
    january, february = (CountedQueries.collect([("nasa", count)]) for count in (2, 5))
    repository.add_contents([("console", january), ("console", february)])
    repository.add([("nasa", 2)], source="console")
    assert content(repository) == {"nasa": 7}
    change = repository.add_contents([("console", february), ("console", january)], replace=True)
    assert change == Change(unchanged=1)


def test_a_replaced_count_keeps_the_id(repository):
    repository.add([("nasa", 2), ("esa", 1)], source="console")
    number = repository.ids_of(["nasa"])
    repository.add([("nasa", 3), ("jaxa", 1)], source="console", replace=True)
    assert repository.ids_of(["nasa"]) == number
    assert content(repository) == {"nasa": 3, "jaxa": 1}


def test_queries_are_listed_by_count_with_their_sources(repository):
    repository.add([("nasa", 2), ("esa", 3)], source="console")
    repository.add([("nasa", 4), ("jaxa", 3)], source="mined")
    assert list(repository.by_count()) == [
        QueryCount("nasa", 6, {"console": 2, "mined": 4}),
        QueryCount("esa", 3, {"console": 3}),
        QueryCount("jaxa", 3, {"mined": 3}),
    ]
    assert [each.query for each in repository.by_count("console")] == ["esa", "nasa"]


@pytest.mark.parametrize("count", [0, -1, 10**30])
def test_an_impossible_count_is_an_error_and_changes_nothing(repository, count):
    with pytest.raises(InputError, match="a count from 1"):
        repository.add([("nasa", 1), ("esa", count)])
    assert len(repository) == 0


def test_an_unknown_source_is_an_error_that_names_the_known(repository):
    repository.add([("nasa", 1)], source="console")
    with pytest.raises(QuerykinError, match="did you mean 'console'"):
        repository.remove_source("konsole")
    with pytest.raises(QuerykinError, match="unknown source"):
        next(repository.by_count("shop"))


def test_a_dry_run_creates_nothing(tmp_path):
    repository = Repository(tmp_path / "new")
    assert repository.add([("nasa", 1)], dry_run=True) == Change(added=1)
    assert (len(repository), (tmp_path / "new").exists()) == (0, False)


@given(st.text())
def test_normalizing_a_query_is_idempotent_and_gives_one_line(text):
    query = normalize_query(text)
    assert normalize_query(query) == query
    assert query == query.strip()
    assert not any(c in query for c in "\t\n\r\0")
    query.encode()
