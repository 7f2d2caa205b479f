"""Lists of keywords whose groups are known: query variations by need, and search snippets by topic.

Each list is divided into two halves that share no need (snippets: no snippet): on one half a method chooses its
threshold, on the other it is judged.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from querykin import Workspace
from querykin.clustering.neighbor_graph import NeighborGraph
from querykin.compute.arrays import BoolArray, Int64Array
from querykin.embeddings.base import Float32Matrix
from querykin.io.query_files import read_queries
from querykin.io.tables import Row, as_text, read_table
from querykin.measures.embedding import EmbeddingMeasure
from querykin.querylog.counted_queries import query_key
from querykin.text.normalization import normalize_query
from reproduce import data
from reproduce.data import list_file

WEB_QUERIES = 5_000  # drawn at random, beside the query variations
SNIPPETS = 3_000  # drawn at random
LOWEST_SCORE = 0.1  # the lowest threshold that is tried, under every measure
OTHER = -1  # the class of a keyword that belongs to none


@dataclass(frozen=True)
class Keyword:
    """A text with its class and count."""

    text: str
    label: str
    count: int = 1


@dataclass(frozen=True)
class Half:
    """Keywords with their classes, in a folder that keeps their indexes and neighbors."""

    workspace: Workspace
    keywords: Sequence[Keyword]

    @classmethod
    def of(cls, encyclopedias: Workspace, keywords: Sequence[Keyword], folder: Path) -> "Half":
        """Keywords over the corpus of a workspace."""
        workspace = encyclopedias.beside(folder)
        if not len(workspace.repository):
            workspace.repository.add([(each.text, each.count) for each in keywords])
        return cls(workspace, keywords)

    @cached_property
    def texts(self) -> list[str]:
        """The keywords."""
        return [each.text for each in self.keywords]

    @cached_property
    def counts(self) -> Int64Array:
        """How often each was asked."""
        return np.array([each.count for each in self.keywords])

    @cached_property
    def classes(self) -> Int64Array:
        """The number of each keyword's class."""
        numbers = {label: number for number, label in enumerate(dict.fromkeys(self._labels))}
        return np.array([numbers[each] if each else OTHER for each in self._labels])

    @property
    def _labels(self) -> list[str]:
        return [each.label for each in self.keywords]

    @property
    def judged(self) -> BoolArray:
        """Which keywords have a class."""
        known: BoolArray = self.classes != OTHER
        return known

    def graph(self, measure: str) -> NeighborGraph:
        """The neighbors of the keywords under a measure, as `querykin cluster` computes them."""
        return self.workspace.neighbor_graph(measure, LOWEST_SCORE)

    def embeddings(self, measure: str = "dense") -> Float32Matrix:
        """The unit vectors of the keywords; computed once and kept."""
        path = self.workspace.path / f"{measure}.npy"
        if not path.exists():
            embedding = self.workspace.measure(measure)
            assert isinstance(embedding, EmbeddingMeasure)
            np.save(path, embedding.embed(self.texts))
        kept: Float32Matrix = np.load(path)
        return kept


@dataclass(frozen=True)
class ClusterSet:
    """A list with known groups in two halves."""

    name: str
    halves: list[Half]


def cluster_sets(encyclopedias: Workspace) -> list[ClusterSet]:
    """All lists."""
    needs = query_variations()
    first = _half_of(sorted({each.label for each in needs}))
    variations = [[each for each in needs if (each.label in first) == side] for side in (True, False)]
    web = _distinct([*needs, *web_queries(WEB_QUERIES)])[len(needs) :]
    among = [part + web[side::2] for side, part in enumerate(variations)]
    snippets = topic_snippets(SNIPPETS)
    lists = {
        "uqv100": variations,
        "uqv100 among web queries": among,
        "snippets": [snippets[::2], snippets[1::2]],
    }
    folder = data.cache_folder() / "clusters"
    return [
        ClusterSet(
            name,
            [
                Half.of(encyclopedias, half, folder / f"{name} {side}".replace(" ", "-"))
                for side, half in enumerate(halves, 1)
            ],
        )
        for name, halves in lists.items()
    ]


def _half_of(labels: Sequence[str], seed: int = 0) -> set[str]:
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    return {labels[place] for place in shuffled[: len(labels) // 2]}


def query_variations() -> list[Keyword]:
    """The queries of uqv100 with their needs."""
    return _distinct(
        Keyword(as_text(row["query"]), as_text(row["need_id"]), int(as_text(row["count_workers"]) or 1))
        for row in _rows("variations", ["query", "need_id", "count_workers"])
    )


def web_queries(size: int, seed: int = 0) -> list[Keyword]:
    """Web queries drawn at random, without a class."""
    queries = [*read_queries(str(list_file("trec-web-queries")), print)]
    drawn = np.random.default_rng(seed).permutation(len(queries))[:size]
    return [Keyword(queries[place][0], "", queries[place][1]) for place in drawn]


def topic_snippets(size: int, seed: int = 0) -> list[Keyword]:
    """Search snippets drawn at random, with their topics."""
    rows = _rows("snippets", ["snippet", "class_id"])
    snippets = _distinct(Keyword(as_text(row["snippet"]), as_text(row["class_id"])) for row in rows)
    drawn = np.random.default_rng(seed).permutation(len(snippets))[:size]
    return [snippets[place] for place in drawn]


def _rows(name: str, columns: list[str]) -> list[Row]:
    return list(read_table(str(data.labelled_file(name)), columns).rows)


def _distinct(keywords: Iterable[Keyword]) -> list[Keyword]:
    """Each text once, with the class it has first."""
    found: dict[int, Keyword] = {}
    for keyword in keywords:
        found.setdefault(query_key(normalize_query(keyword.text)), keyword)
    return list(found.values())
