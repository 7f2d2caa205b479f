"""Comparison of an index with what it should hold."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.opensearch import differences
from querykin.opensearch.differences import VERSION_BITS, find_differences, versions


class Index:
    """Answers the aggregation and the listings of a comparison, like a node does."""

    def __init__(self, held):
        self.held, self.listed = dict(held), 0

    def refresh(self, index):
        pass

    def search_many(self, index, searches):
        return [self._answer(json.loads(json.dumps(each))) for each in searches]

    def _answer(self, body):
        if "aggs" in body:
            width = body["aggs"]["ranges"]["histogram"]["interval"]
            buckets = {}
            for number, version in self.held.items():
                count, total = buckets.get(number // width, (0, 0))
                buckets[number // width] = count + 1, total + version
            found = [
                {"key": float(key * width), "doc_count": count, "versions": {"value": float(total)}}
                for key, (count, total) in sorted(buckets.items())
            ]
            return {"aggregations": {"ranges": {"buckets": found}}}
        self.listed += 1
        span = body["query"]["range"]["number"]
        inside = sorted(number for number in self.held if span["gte"] <= number < span["lt"])[: body["size"]]
        hits = [{"fields": {"number": [number], "version": [self.held[number]]}} for number in inside]
        return {"hits": {"hits": hits}}


def compare(held, wanted):
    numbers = np.array(sorted(wanted), np.int64)
    index = Index(held)
    found = find_differences(index, "x", numbers, np.array([wanted[n] for n in numbers.tolist()], np.int64))
    return set(numbers[found.missing].tolist()), set(found.extra.tolist()), index.listed


_DOCUMENTS = st.dictionaries(st.integers(0, 60), st.integers(0, 3), max_size=30)


def _hashed(contents):
    hashes = versions(np.array([*contents], np.int64), np.array([*contents.values()], np.int64))
    return dict(zip(contents, hashes.tolist(), strict=True))


@settings(deadline=None)
@given(_DOCUMENTS, _DOCUMENTS)
def test_all_differences_are_found(held, wanted):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(differences, "_RANGE", 8)
        patch.setattr(differences, "_PAGE", 3)
        held, wanted = _hashed(held), _hashed(wanted)
        missing, extra, _ = compare(held, wanted)
    assert missing == {n for n, version in wanted.items() if held.get(n) != version}
    assert extra == {*held} - {*wanted}


def test_ranges_that_agree_are_not_listed():
    held = {n: n * 7 for n in range(0, 50_000, 5)}
    wanted = {**held, 20_001: 3}
    del wanted[30_000]
    assert compare(held, held) == (set(), set(), 0)
    assert compare(held, wanted) == ({20_001}, {30_000}, 2)


def test_an_empty_index_needs_no_listing():
    assert compare({}, {1: 5, 9000: 6}) == ({1, 9000}, set(), 0)


def test_versions_tell_documents_of_equal_content_apart():
    same = versions(np.arange(10_000), np.full(10_000, 12345))
    assert len(np.unique(same)) > 9_990
    assert same.min() >= 0
    assert same.max() < 1 << VERSION_BITS
