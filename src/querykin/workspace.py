"""Where is it kept? One folder with a corpus and all that is known from it."""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from querykin.building import Plan, lineage, plan, run, settings
from querykin.compiled import Reals
from querykin.config import Config
from querykin.corpus.cooccurrence import DISTANCE
from querykin.corpus.corpus import Corpus
from querykin.corpus.latent import Latent
from querykin.corpus.neighbours import Neighbours
from querykin.corpus.query_words import QueryWords
from querykin.engines.tantivy import TantivyEngine, TantivyIndexer
from querykin.errors import UnknownName, WorkspaceError
from querykin.expansion import Expander
from querykin.index.index import Index
from querykin.learning.models import Model, Models
from querykin.measures import Measure, VectorMeasure, measures
from querykin.measures.base import ScannedMeasure
from querykin.measures.combination import Combination
from querykin.measures.learned import Learned, learned
from querykin.measures.stack import Stack
from querykin.records import Explanation
from querykin.repository import Repository
from querykin.retrieval import (
    Indexed,
    IndexedCollection,
    PairByPair,
    Reranked,
    Retriever,
    Scanned,
    Stacked,
)
from querykin.scoring import Scorer
from querykin.storage import Store
from querykin.suggest import Suggester, Suggestions

DEFAULT_MEASURE = "web-kernel"
DEAR = ("neighbours", "latent")  # what takes long to learn from a large corpus
QUICK = 2_000_000  # tokens whose neighbours are counted while one waits


class Workspace:
    """A corpus on disk and the measures over it.

    Opening a workspace maps files into memory and reads next to nothing; a folder that does not exist yet is
    an empty workspace, and appears on disk with the first documents.

    >>> from querykin import Document, Workspace
    >>> workspace = Workspace.open(getfixture("tmp_path"))
    >>> change = workspace.corpus.add([
    ...     Document("1", "NASA", "NASA leads space exploration with rockets and probes."),
    ...     Document("2", "Pie", "An apple pie is baked in the oven."),
    ... ])
    >>> workspace = workspace.reopen()
    >>> workspace.similarity("space exploration", "NASA") > workspace.similarity("apple pie", "NASA")
    True
    >>> workspace.explain("space exploration", "NASA").passages[0].title
    'NASA'
    """

    def __init__(self, path: Path, config: Config) -> None:
        self.path, self.config = path, config
        self.tell: Callable[[str], None] = lambda message: None  # hears of long work that nobody asked for
        self._collections: dict[str, tuple[tuple[int, int], IndexedCollection | None]] = {}

    @classmethod
    def open(cls, path: str | PathLike[str], config: Config | None = None) -> "Workspace":
        """Open the workspace in a folder."""
        folder = Path(path)
        if folder.exists() and not folder.is_dir():
            raise WorkspaceError(f"{folder} is a file; a workspace is a folder: choose another --workspace")
        return cls(folder, config or Config())

    def reopen(self) -> "Workspace":
        """The same workspace as it is on disk now."""
        return Workspace(self.path, self.config)

    def __reduce__(self) -> tuple[type["Workspace"], tuple[Path, Config]]:
        """A copy, also in another process, is the same folder opened anew."""
        return Workspace, (self.path, self.config)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents and their statistics."""
        return Corpus(self.path / "corpus", TantivyIndexer)

    @cached_property
    def expander(self) -> Expander:
        """What the corpus says about texts."""
        corpus = copy(
            self.corpus
        )  # what the engine has opened, whatever is added to or removed from it later
        try:
            engine = TantivyEngine(corpus)
        except ValueError as error:
            if self.corpus.generation != Corpus(self.path / "corpus", TantivyIndexer).generation:
                del self.corpus  # replaced before its index was opened: go on with what is there now
                return self.expander
            if "PermissionDenied" in str(error):
                raise WorkspaceError(
                    f"{self.path} cannot be written, and the search engine needs a lock in it to open; "
                    "next: give write permission, or copy the workspace to where you have it"
                ) from error
            raise WorkspaceError(
                f"the search index in {self.path} is damaged ({error}); querykin check lists all damage; "
                "restore the workspace from a copy or build it anew"
            ) from error
        return Expander(corpus, engine, **self.config.expansion)

    def measure(self, name: str) -> Measure:
        """A measure by name, with the parameters of the configuration; a trained one by its own name."""
        kind, parameters = self.kind(name), self.config.measures.get(name, {})
        if not len(self.corpus) and kind.needs_corpus:
            raise WorkspaceError(
                f"measure {name!r} asks a corpus, and the one in {self.path} is empty; "
                "next: querykin corpus add FILE"
            )
        if issubclass(kind, Learned):
            return kind.of_model(self, self.model(name), parameters)
        return kind.assemble(self, parameters)

    def kind(self, name: str) -> type[Measure]:
        """What a measure of this name is."""
        if name in list(measures):
            return measures[name]
        found = self.models.read(name).kind if name in self.models.names() else ""
        if found not in list(learned):
            raise UnknownName("measure", name, [*measures, *self.trained()])
        return learned[found]

    def trained(self) -> dict[str, Model]:
        """The models of this workspace that are measures, by name."""
        found = {name: self.models.read(name) for name in self.models.names()}
        return {name: model for name, model in found.items() if model.kind in list(learned)}

    @cached_property
    def models(self) -> Models:
        """What was trained here."""
        return Models(self.path / "models")

    def model(self, name: str) -> Model:
        """What was learnt under a name: here, else what is shipped with the program."""
        return self.models.read(name)

    def components(self, name: str) -> list[str]:
        """The measures that one is made of, itself included: a trained one may need others."""
        kind = self.kind(name)
        return [*(kind.made_of(self.model(name)) if issubclass(kind, Learned) else ()), name]

    def asked(self, texts: Sequence[str]) -> Reals:
        """How often each text was asked as a query."""
        numbers = self.repository.numbers(texts)
        return np.where(numbers >= 0, np.append(self.repository.counts, 0)[numbers], 0).astype(np.float64)

    @cached_property
    def query_words(self) -> QueryWords:
        """How many past queries hold each word, as of its first use or the last rebuild."""
        found = QueryWords(self.path / "query-words")
        if len(self.repository) and found.lineage != self.repository.lineage:
            self._count_query_words(found)
        return found

    def _count_query_words(self, counts: QueryWords) -> None:
        queries = self.repository.queries(self.repository.living())
        counts.update(queries, self.corpus.vocabulary, self.repository.lineage)

    @property
    def counted_expander(self) -> Expander:
        """What the corpus says about texts; it knows every word that was counted, also those learnt since."""
        if len(self.neighbours.margins) <= self.expander.corpus.vocabulary.count:
            return self.expander
        newest = self.reopen()
        if len(self.neighbours.margins) > newest.corpus.vocabulary.count:
            self.tell("the counts are newer than the corpus: counting anew")
            self.neighbours.update(newest.corpus, newest._phrases, rebuild=True)
        return newest.expander

    @cached_property
    def neighbours(self) -> Neighbours:
        """Which words stand near which; counted on first use."""
        found = Neighbours(self.path / "neighbours", self.config.distance)
        if found.lineage != self.corpus.lineage or found.other_distance:
            why = f" anew: they were counted at distance {found.distance}" if found.other_distance else ""
            self.tell(f"counting the neighbours of words in {len(self.corpus):,} documents{why}")
            found.update(self.corpus, self._phrases)
        return found

    @cached_property
    def latent(self) -> Latent:
        """Vectors of words; made on first use."""
        found = Latent(self.path / "latent")
        if found.lineage != self.corpus.lineage or found.distance != self.config.distance:
            found.update(self.neighbours, self.tell)
        return found

    def learn(self, measure: str = DEFAULT_MEASURE, rebuild: bool = False) -> None:
        """Bring up to date what a measure knows of the corpus besides its documents."""
        learns = {part for name in self.components(measure) for part in self.kind(name).learns}
        if "neighbours" in learns:
            self.count_neighbours(rebuild)
        if "query-words" in learns and rebuild:
            self._count_query_words(self.query_words)
        if "latent" in learns and self.latent.counted != self.neighbours.state:
            self.latent.update(self.neighbours, self.tell)

    def count_neighbours(self, rebuild: bool = False) -> None:
        """Bring the counts of neighbours up to date with the corpus."""
        before = Neighbours(self.path / "neighbours").state
        found = self.neighbours  # which counts everything if nothing was there
        if found.behind(self.corpus) or (rebuild and found.state == before):
            self.tell("counting the neighbours of words" + (" anew" if rebuild else " in new documents"))
            found.update(self.corpus, self._phrases, rebuild)

    def _phrases(self) -> Iterator[str]:
        """What may be one thing: titles, past queries asked more than once, and what people put in quotes."""
        for segment in self.corpus.segments:
            living = np.flatnonzero(segment.alive(self.corpus.dead)).tolist()
            yield from (segment.document(place).title for place in living)
        for number in self.repository.living():
            query = self.repository.query(int(number))
            yield from re.findall(r'"([^"]+)"', query)
            if self.repository.counts[number] > 1:
                yield query

    def collection(self, measure: VectorMeasure) -> IndexedCollection | None:
        """The candidates' expansions, once they are indexed; kept, since it remembers what it has counted."""
        rows = measure.rows
        try:
            index = Index(self.path / "index" / rows)
        except WorkspaceError:  # damaged: building and searching will say so, pairs have the corpus
            return None
        built = index.visible and (index.visible.measure, index.visible.lineage)
        if built != (settings(measure), lineage(self.corpus, self.repository)):
            return None
        state = index.generation, self.repository.generation
        if self._collections.get(rows, (None, None))[0] != state:
            known = IndexedCollection(index, self.repository)
            self._collections[rows] = state, known if known.length() else None
        return self._collections[rows][1]

    def measures(self) -> list[str]:
        """The names of the measures that can be used here at once: documents, extras and counts are there."""
        named = dict.fromkeys([*measures, *self.trained()])
        usable = [name for name in named if all(map(self._usable, self.components(name)))]
        return sorted(usable, key=lambda name: (name != DEFAULT_MEASURE, name))

    def _usable(self, name: str) -> bool:
        return all(self._works(part) for part in self.kind(name).assembled_from())

    def _works(self, kind: type[Measure]) -> bool:
        quick = self.corpus.statistics.tokens < QUICK
        learnt = quick or all(self._learnt(part) for part in DEAR if part in kind.learns)
        return kind.installed() and learnt and bool(len(self.corpus) or not kind.needs_corpus)

    def _learnt(self, part: str) -> bool:
        facts = Store(self.path / part, part).manifest().facts
        return bool(facts) and facts.get("distance", DISTANCE) == self.config.distance

    def damaged(self) -> list[str]:
        """What differs on disk from what was written; empty when all is whole.

        Works also where the damage keeps the corpus from being opened.
        """
        if not self.path.exists():
            raise WorkspaceError(f"there is no workspace in {self.path}; next: querykin corpus add FILE")
        stores = [Store(self.path / "corpus", "corpus"), Store(self.path / "repository", "repository")]
        stores += [Store(self.path / kind, kind) for kind in (*DEAR, "query-words")]
        stores += [Store(path, "index") for path in sorted((self.path / "index").glob("*"))]
        found = [line for store in stores for line in store.damaged()] + self._damaged_models()
        if not found:
            Corpus(self.path / "corpus", TantivyIndexer)  # a manifest has no checksum: does it open?
        return found

    def _damaged_models(self) -> list[str]:
        found = []
        for name in self.models.names():
            try:
                self.models.read(name)
            except WorkspaceError as error:
                found.append(str(error))
        return found

    @cached_property
    def repository(self) -> Repository:
        """The past queries."""
        return Repository(self.path / "repository")

    def index(self, measure: str = DEFAULT_MEASURE) -> Index:
        """The rows of the repository under a measure, as they are on disk."""
        return Index(self.path / "index" / self._vector_measure(measure).rows)

    def indexes(self) -> dict[str, Index]:
        """Everything that is built, by the name of its rows."""
        found = {path.name: Index(path) for path in sorted((self.path / "index").glob("*"))}
        return {name: index for name, index in found.items() if index.visible}

    def needs(self, measure: str = DEFAULT_MEASURE) -> list[str]:
        """The measures whose rows must be indexed before this one can search the repository."""
        parts = self.measure(measure).indexed_parts()
        rows = {part.rows: part.name for part in reversed(parts)}
        return list(reversed(rows.values()))

    def plan(self, measure: str = DEFAULT_MEASURE, rebuild: bool = False) -> Plan:
        """What a build of a measure's index has to do."""
        self.check_ready(measure)
        if rebuild:
            self._drop_damaged(measure)
        return plan(self.index(measure), self.repository, self._vector_measure(measure), rebuild)

    def _drop_damaged(self, measure: str) -> None:
        """An index that cannot be opened is no loss when it is made anew: everything in it is derived."""
        try:
            self.index(measure)
        except WorkspaceError:
            shutil.rmtree(self.path / "index" / self._vector_measure(measure).rows)

    def check_ready(self, measure: str = DEFAULT_MEASURE) -> None:
        """Complain, with what to do next, where there is nothing to suggest from."""
        self.measure(measure)
        if not len(self.repository):
            raise WorkspaceError(
                f"the repository in {self.path} is empty; next: querykin repository add FILE, or "
                "querykin repository mine to take queries from the corpus"
            )

    def run(self, work: Plan, measure: str, done: Callable[[int], None] = lambda rows: None) -> None:
        """Do what a plan says; `done` is told how many rows were finished since it was called last."""
        run(work, self.index(measure), self.repository, self._vector_measure(measure), done)

    def build(self, measure: str = DEFAULT_MEASURE, rebuild: bool = False) -> None:
        """Bring the indexes of a measure up to date; `rebuild` makes them anew, with today's statistics."""
        self.learn(measure, rebuild)
        for name in self.needs(measure):
            work = self.plan(name, rebuild)
            if work.needed:
                self.run(work, name)

    def retriever(self, measure: str = DEFAULT_MEASURE, min_count: int = 1) -> Retriever:
        """Finds the nearest queries of the repository under a measure; builds what is not built."""
        self.check_ready(measure)
        for name in self.needs(measure):
            if self.index(name).visible is None:
                self.build(name)
        return self._retriever(self.measure(measure), min_count)

    def _retriever(self, made: Measure, min_count: int) -> Retriever:
        def indexed(part: VectorMeasure) -> Indexed:
            return Indexed(Index(self.path / "index" / part.rows), self.repository, part, min_count)

        if isinstance(made, VectorMeasure):
            return indexed(made)
        if isinstance(made, Stack):
            return Stacked(made, self.repository, tuple(map(indexed, made.parts)))
        if isinstance(made, ScannedMeasure):
            return Scanned(made, self.repository, min_count)
        if isinstance(made, Combination):
            parts = [
                self._retriever(part, min_count)
                if part.indexed_parts()
                else PairByPair(part, self.repository)
                for part in made.parts
            ]
            return Reranked(made, self.repository, tuple(parts))
        raise WorkspaceError(f"measure {made.name!r} compares pairs only; use querykin similarity or score")

    def suggester(self, measure: str = DEFAULT_MEASURE, min_count: int = 1, **options: Any) -> Suggester:
        """Offers related queries; options: filter, threshold, block. Builds what is not built."""
        return Suggester(self.retriever(measure, min_count), self.repository, **options)

    def suggest(
        self, query: str, limit: int = 5, measure: str = DEFAULT_MEASURE, **options: Any
    ) -> Suggestions:
        """Related queries of the repository for a query, seen before or not."""
        return self.suggester(measure, **options).suggest([query], limit)[0]

    def match(self, queries: Sequence[str], k: int = 10, measure: str = DEFAULT_MEASURE) -> list[Suggestions]:
        """The nearest k queries of the repository for each of many, without filters."""
        return self.suggester(measure).match(queries, k)

    def _vector_measure(self, name: str) -> VectorMeasure:
        measure = self.measure(name)
        if not isinstance(measure, VectorMeasure):
            raise WorkspaceError(f"measure {name!r} has no index of its own")
        return measure

    def similarity(self, a: str, b: str, measure: str = DEFAULT_MEASURE) -> float:
        """How alike two texts are; NaN where the measure has no opinion."""
        return float(self.measure(measure).score_pairs([a], [b])[0])

    def explain(self, a: str, b: str, measure: str = DEFAULT_MEASURE) -> Explanation:
        """Why two texts get their score: the shared terms, the share of each, and passages."""
        return self.measure(measure).explain(a, b)

    def score(
        self, pairs: Iterable[tuple[str, str]], measures: Sequence[str] = (DEFAULT_MEASURE,)
    ) -> dict[str, Reals]:
        """The scores of many pairs, on all cores: an array per measure, in the order of the pairs."""
        queries, candidates = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
        return Scorer({name: self.measure(name) for name in measures}).score(queries, candidates)
