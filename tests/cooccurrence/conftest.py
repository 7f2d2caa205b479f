"""Corpora with co-occurrence counts."""

import pytest

from counted import LISTED
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases


@pytest.fixture
def counting(build):
    """A corpus of batches of documents, and its co-occurrence counts, updated after every batch."""

    def make(*batches):
        workspace = build()
        counted = CooccurrenceCounts(workspace.path / "cooccurrence")
        for batch in batches:
            workspace.corpus.add(batch)
            counted.update(workspace.corpus, lambda: Phrases.of(LISTED))
        return workspace.corpus, counted

    return make
