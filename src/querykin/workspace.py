"""Where is it kept? One folder, the measures over it, and what they find. The library's front door."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from querykin.compute.arrays import Float64Array
from querykin.errors import UnknownName, WorkspaceError
from querykin.index.builder import Plan, plan, run, settings, source_ids
from querykin.index.index import Index
from querykin.knowledge import EXPENSIVE, Knowledge
from querykin.learning.model_files import Model
from querykin.measures import Measure, VectorMeasure, measures
from querykin.measures.batch_scorer import Scorer
from querykin.measures.trained import TrainedMeasure, trained_kinds
from querykin.retrieval.retrievers import CollectionStatistics, Retriever, make_retriever
from querykin.retrieval.suggester import Suggester, Suggestions
from querykin.settings import Config
from querykin.types import Explanation

DEFAULT_MEASURE = "web-kernel"
QUICK = 2_000_000  # tokens whose neighbours are counted while one waits


class Workspace(Knowledge):
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
        super().__init__(path, config)
        self._collections: dict[str, tuple[tuple[int, int], CollectionStatistics | None]] = {}

    @classmethod
    def open(cls, path: str | PathLike[str], config: Config | None = None) -> "Workspace":
        """Open the workspace in a folder."""
        folder = Path(path)
        if folder.exists() and not folder.is_dir():
            raise WorkspaceError(f"{folder} is a file; a workspace is a folder: choose another --workspace")
        return cls(folder, config or Config())

    def measure(self, name: str) -> Measure:
        """A measure by name, with the parameters of the configuration; a trained one by its own name."""
        kind, parameters = self.kind(name), self.config.measures.get(name, {})
        if not len(self.corpus) and kind.needs_corpus:
            raise WorkspaceError(
                f"measure {name!r} asks a corpus, and the one in {self.path} is empty; "
                "next: querykin corpus add FILE"
            )
        if issubclass(kind, TrainedMeasure):
            return kind.of_model(self, self.model(name), parameters)
        return kind.assemble(self, parameters)

    def kind(self, name: str) -> type[Measure]:
        """What a measure of this name is."""
        if name in list(measures):
            return measures[name]
        found = self.models.read(name).kind if name in self.models.names() else ""
        if found not in list(trained_kinds):
            raise UnknownName("measure", name, [*measures, *self.trained()])
        return trained_kinds[found]

    def trained(self) -> dict[str, Model]:
        """The models of this workspace that are measures, by name."""
        found = {name: self.models.read(name) for name in self.models.names()}
        return {name: model for name, model in found.items() if model.kind in list(trained_kinds)}

    def components(self, name: str) -> list[str]:
        """The measures that one is made of, itself included: a trained one may need others."""
        kind = self.kind(name)
        return [*(kind.made_of(self.model(name)) if issubclass(kind, TrainedMeasure) else ()), name]

    def learn(self, measure: str = DEFAULT_MEASURE, rebuild: bool = False) -> None:
        """Bring up to date what a measure knows of the corpus besides its documents."""
        learns = {part for name in self.components(measure) for part in self.kind(name).learns}
        if "cooccurrence" in learns:
            self.update_cooccurrence(rebuild)
        if "query-log" in learns and rebuild:
            self.count_query_words()
        if "latent" in learns and self.latent.counted != self.cooccurrence.state:
            self.latent.update(self.cooccurrence, self.tell)

    def collection(self, measure: VectorMeasure) -> CollectionStatistics | None:
        """The candidates' expansions, once they are indexed; kept, since it remembers what it has counted."""
        rows = measure.index_name
        try:
            index = self._rows(measure)
        except WorkspaceError:  # damaged: building and searching will say so, pairs have the corpus
            return None
        built = index.committed and (index.committed.index_settings, index.committed.source_ids)
        if built != (settings(measure), source_ids(self.corpus, self.repository)):
            return None
        state = index.generation, self.repository.generation
        if self._collections.get(rows, (None, None))[0] != state:
            known = CollectionStatistics(index, self.repository)
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
        learnt = quick or all(self.learnt(part) for part in EXPENSIVE if part in kind.learns)
        return kind.installed() and learnt and bool(len(self.corpus) or not kind.needs_corpus)

    def index(self, measure: str = DEFAULT_MEASURE) -> Index:
        """The rows of the repository under a measure, as they are on disk."""
        return self._rows(self._vector_measure(measure))

    def indexes(self) -> dict[str, Index]:
        """Everything that is built, by the name of its rows."""
        found = {path.name: Index(path) for path in sorted((self.path / "index").glob("*"))}
        return {name: index for name, index in found.items() if index.committed}

    def needs(self, measure: str = DEFAULT_MEASURE) -> list[str]:
        """The measures whose rows must be indexed before this one can search the repository."""
        parts = self.measure(measure).indexed_parts()
        rows = {part.index_name: part.name for part in reversed(parts)}
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
            shutil.rmtree(self.path / "index" / self._vector_measure(measure).index_name)

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
            if self.index(name).committed is None:
                self.build(name)
        return make_retriever(self.measure(measure), self.repository, self._rows, min_count)

    def _rows(self, measure: VectorMeasure) -> Index:
        return Index(self.path / "index" / measure.index_name)

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
    ) -> dict[str, Float64Array]:
        """The scores of many pairs, on all cores: an array per measure, in the order of the pairs."""
        queries, candidates = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
        return Scorer({name: self.measure(name) for name in measures}).score(queries, candidates)
