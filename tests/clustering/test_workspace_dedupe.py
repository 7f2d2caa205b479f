"""Deduplication with what a workspace knows: its past queries, the words of its documents, its language."""

import pytest

from querykin import Document, InputError, Workspace, WorkspaceError


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Workspace:
    workspace = Workspace.open(tmp_path_factory.mktemp("shop"))
    workspace.corpus.add(
        [
            Document("1", "Wirelss", "The Wirelss is a radio for the garden, made by a small company."),
            Document("2", "Keyboard", "A wireless keyboard for the office, with a mouse."),
        ]
    )
    workspace.repository.add([("garden radio", 5), ("radios for the garden", 2), ("keyboard", 1)])
    return workspace.reopen()


def canonical(found) -> dict[str, list[str]]:
    return {form.query: [variant.query for variant in form.variants] for form in found.canonical_forms}


def test_without_keywords_past_queries_are_compared(shop):
    found = shop.dedupe()
    assert canonical(found) == {"garden radio": ["radios for the garden"], "keyboard": []}
    assert (len(found), found.variant_count, found.canonical_forms[0].count) == (2, 1, 7)


def test_a_word_of_the_documents_is_no_misspelling(shop, tmp_path):
    keywords = [("wireless mouse", 9), ("wirelss mouse", 1)]
    assert canonical(shop.dedupe(keywords)) == {"wireless mouse": [], "wirelss mouse": []}
    assert canonical(Workspace.open(tmp_path).dedupe(keywords)) == {"wireless mouse": ["wirelss mouse"]}


def test_an_empty_repository_is_an_error_that_says_what_to_do(tmp_path):
    with pytest.raises(WorkspaceError, match="next: querykin repository add FILE"):
        Workspace.open(tmp_path).dedupe()


def test_what_is_no_list_is_an_error(shop):
    with pytest.raises(InputError, match="must be a data frame or a list"):
        shop.dedupe("garden hose")


def test_rows_say_which_of_them_repeat_a_query(shop):
    rows = list(shop.dedupe([("rake", 1), ("Rake", 2), ("rake", 3)]).rows())
    assert [(row["canonical"], row["reason"], row["count"]) for row in rows] == [
        ("rake", "", 1),
        ("rake", "case", 2),
        ("rake", "repeated", 3),
    ]
