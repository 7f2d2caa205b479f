"""Rows as terms of an index, and the searches for them."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.opensearch.connection import Connection
from querykin.opensearch.settings import OpenSearchSettings
from querykin.retrieval.published_rows import (
    MAPPINGS,
    PROPOSING_TERMS,
    WINDOW,
    PublishedBuild,
    PublishedRows,
    PublishedState,
    read_state,
)
from querykin.retrieval.publishing import Publication
from querykin.retrieval.row_terms import feature_term, row_text
from querykin.vectors import Vectors
from replaying_node import replaying_node

BUILD = PublishedBuild("web-kernel", "settings", "space", "statistics", "corpus repository")


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(1, 65535)), max_size=20))
def test_a_row_is_a_text_of_terms_and_weights(entries):
    features = np.array([feature for feature, _ in entries], np.int64)
    text = row_text(features, np.array([step for _, step in entries], np.uint16))
    assert text == "".join(f"{feature_term(feature)}|{step} " for feature, step in entries)


def rows(*sizes):
    features = np.concatenate([np.arange(size) for size in sizes])
    weights = np.concatenate([np.linspace(0.9, 0.1, size) for size in sizes])
    return Vectors(make_indptr(sizes), features, weights, "space")


class Searches:
    """Records searches and answers with a given number of rows."""

    def __init__(self, found):
        self.found, self.searches = found, []
        self.settings = OpenSearchSettings()

    def check_version(self):
        pass

    def metadata(self, name):
        return "rows-1", PublishedState("rows-1", BUILD, "1 1").metadata()

    def search_many(self, index, searches):
        assert index == "rows-1"  # never the alias: it may move
        self.searches += searches
        hit = {"_score": 0.5, "fields": {"number": [1], "norm": [1.0]}}
        return [{"hits": {"hits": [hit] * self.found}} for _ in searches]


def test_the_heaviest_terms_propose_and_the_whole_row_scores():
    connection = Searches(10)
    PublishedRows(connection, "rows").search(rows(100), 10)
    (search,) = connection.searches
    proposing = search["query"]["bool"]["should"]
    assert [each["term"]["row"]["value"] for each in proposing] == [f"{n:x}" for n in range(PROPOSING_TERMS)]
    rescore = search["rescore"]["query"]
    assert len(rescore["rescore_query"]["bool"]["should"]) == 100
    assert (rescore["query_weight"], rescore["rescore_query_weight"]) == (0, 1)
    assert search["rescore"]["window_size"] == WINDOW
    assert "filter" not in search["query"]["bool"]


def test_short_rows_need_no_second_stage():
    connection = Searches(10)
    PublishedRows(connection, "rows").search(rows(5), 10, min_count=3)
    (search,) = connection.searches
    assert "rescore" not in search
    assert search["query"]["bool"]["filter"] == {"range": {"count": {"gte": 3}}}


def test_all_terms_propose_where_the_heaviest_find_too_few():
    connection = Searches(9)
    PublishedRows(connection, "rows").search(rows(100, 5), 10)
    assert [len(each["query"]["bool"]["should"]) for each in connection.searches] == [32, 5, 100]


def test_a_cluster_is_asked_for_no_more_than_it_returns():
    connection = Searches(20_000)
    PublishedRows(connection, "rows").search(rows(100), 20_000)
    assert connection.searches[0]["size"] == 10_000


def test_the_state_of_an_index_is_in_its_mapping():
    state = PublishedState("rows-1", BUILD, "3 7")
    mapping = {"rows-1": {"mappings": {**MAPPINGS, "_meta": state.metadata()}}}
    with replaying_node({"GET /rows/_mapping": (200, mapping)}) as node:
        assert read_state(Connection(OpenSearchSettings(hosts=(node.url,))), "rows") == state


def test_an_index_of_somebody_else_is_refused():
    with replaying_node({"GET /rows/_mapping": (200, {"logs-1": {"mappings": {}}})}) as node:
        connection = Connection(OpenSearchSettings(hosts=(node.url,)))
        with pytest.raises(Exception, match=r"'logs-1' of OpenSearch .* does not hold published rows"):
            read_state(connection, "rows")


def test_only_superseded_indexes_of_the_same_alias_are_deleted():
    index = SimpleNamespace(committed=SimpleNamespace(**vars(BUILD)))
    other = PublishedBuild("web-kernel", "settings", "space", "statistics", "another workspace")
    builds = {
        f"rows-{BUILD.name}": BUILD,
        "rows-0123456789ab": BUILD,  # had the alias just now
        "rows-ba9876543210": BUILD,  # had it before
        f"rows-titles-{BUILD.name}": BUILD,  # of the alias rows-titles
        "rows-00000000000f": other,
    }
    mappings = {
        name: {"mappings": {"_meta": PublishedState(name, build, "").metadata()}}
        for name, build in builds.items()
    }
    replies = {
        "POST /_aliases": (200, {}),
        "GET /rows-*/_mapping": (200, mappings),
        "DELETE /rows-ba9876543210": (200, {}),
    }
    with replaying_node(replies) as node:
        publication = Publication(
            Connection(OpenSearchSettings(hosts=(node.url,))), "rows", index, "web-kernel"
        )
        publication._take_alias(PublishedState("rows-0123456789ab", BUILD, "1 1"))
    deleted = [path for method, path, *_ in node.requests if method == "DELETE"]
    assert deleted == ["/rows-ba9876543210"]


def test_builds_are_told_apart_by_name():
    other = PublishedBuild("web-kernel", "settings", "space", "other statistics", "corpus repository")
    assert len({BUILD.name, other.name}) == 2
    assert BUILD.name == PublishedBuild(*vars(BUILD).values()).name
