"""Columns by role: known headers, exports, and what the user says with --columns."""

import pytest

from querykin.errors import InputError
from querykin.io.columns import ColumnMapping, columns_read, listed_columns, recognize_columns
from querykin.io.exports import EXPORTS, exports, recognize_export
from querykin.io.exports.generic import GENERIC
from querykin.text.normalization import fold_case


def mapped(header, kind, text):
    return recognize_columns(tuple(header), kind, ColumnMapping.parse(text, kind)).roles


@pytest.mark.parametrize(
    "name",
    ["query", "Keyword", "Suchanfrage", "Begriff", "requête", "consulta", "zoekterm", "検索クエリ", "クエリ"],
)
def test_a_column_of_queries_is_known_in_each_language(name):
    assert recognize_columns((name, "x"), "queries").roles["query"] == ((name,),)


@pytest.mark.parametrize("name", ["Title", "Titel", "titre", "título", "titolo", "naam", "タイトル"])
def test_a_column_of_titles_is_known_in_each_language(name):
    assert recognize_columns((name, "x"), "documents").roles["title"] == ((name,),)


def test_columns_that_are_given_take_precedence_and_join():
    header = ["SKU", "Name", "Body", "Tags", "text"]
    roles = mapped(header, "documents", "title=Name,text=Body+Tags,id=SKU")
    assert roles["text"] == (("Body",), ("Tags",))
    assert (roles["id"], roles["title"]) == ((("SKU",),), (("Name",),))


def test_a_column_that_is_given_has_no_second_role():
    assert mapped(["title", "headline"], "documents", "text=title")["title"] == (("headline",),)


def test_names_may_contain_the_separators_and_differ_in_case():
    roles = mapped(["Body + Tags", "Last, first", "x"], "documents", "text=body + tags,title=Last, first")
    assert (roles["text"], roles["title"]) == ((("Body + Tags",),), (("Last, first",),))


@pytest.mark.parametrize("text", ["name=X", "title", "title=", "=X"])
def test_an_invalid_mapping_is_an_input_error_that_lists_the_roles(text):
    with pytest.raises(InputError, match="takes id=NAME, title=NAME, text=NAME, url=NAME"):
        ColumnMapping.parse(text, "documents")


def test_a_role_that_is_given_twice_is_an_input_error():
    with pytest.raises(InputError, match="--columns has title twice, as 'A' and 'B'"):
        ColumnMapping.parse("title=A,title=B", "documents")


def test_a_long_header_is_cut_in_messages():
    with pytest.raises(InputError) as caught:
        ColumnMapping.parse("text=Body", "documents").check("a.csv", ["x" * 10**6, *map(str, range(99))])
    assert len(str(caught.value)) < 500
    assert str(caught.value).endswith(", 48, and 50 more")


def test_an_unknown_column_is_an_error_that_names_the_nearest_and_lists_those_found():
    with pytest.raises(InputError) as caught:
        ColumnMapping.parse("text=Body+Tahs", "documents").check("a.csv", ["Body", "Tags"])
    assert str(caught.value) == "a.csv has no column 'Tahs' (did you mean 'Tags'?); found: Body, Tags"


def test_of_several_counts_only_the_first_is_read():
    roles = recognize_columns(("query", "clicks", "impressions"), "queries").roles
    assert roles["count"] == (("impressions",),)


def test_what_was_read_is_one_line():
    columns = recognize_columns(("title", "name", "body", "price"), "documents")
    assert str(columns_read("a.csv", "CSV", "UTF-8", columns)) == (
        "a.csv (CSV, UTF-8): title = title or name, text = body; not read: price (stored only)"
    )


def test_every_export_is_listed_and_has_roles_of_its_kind():
    assert len({export.name for export in exports()}) == len(EXPORTS)
    for export in exports():
        assert set(export.columns) <= set(GENERIC[export.kind])


def _headers(export):
    """The header of an export in each of its languages, as far as its columns have as many names."""
    parts = [*export.marks, *(names for columns in export.columns.values() for names in columns)]
    for position in range(max(map(len, parts))):
        yield list(dict.fromkeys(names[min(position, len(names) - 1)] for names in parts))


@pytest.mark.parametrize("export", exports(), ids=lambda export: export.name)
def test_an_export_is_recognized_by_each_of_its_names(export):
    for header in _headers(export):
        found = recognize_export([name.upper() for name in header], export.kind)
        assert found is not None
        assert found.name == export.name or _is_more_particular(found, header)


def _is_more_particular(found, header):
    """Some headers of different exports agree: the export that is listed first is chosen."""
    return found.matches({fold_case(name) for name in header})


def test_few_headers_are_no_export():
    assert recognize_export(["query", "clicks"], "queries") is None
    assert recognize_export(["title", "description", "link"], "documents") is None


def test_a_message_about_columns_stays_short_whatever_their_names():
    assert len(listed_columns(["\0" * 10**6] * 1000)) < 4000
