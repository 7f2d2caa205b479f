"""What is known? One folder with a corpus, past queries, and all that was learnt from them."""

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from typing import Self

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.cooccurrence.counting import DISTANCE
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.latent import LatentVectors
from querykin.cooccurrence.phrases import Phrases
from querykin.corpus.corpus import Corpus
from querykin.errors import WorkspaceError
from querykin.learning.model_files import Model, Models
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.querylog.repository import Repository
from querykin.search.expansion import Expander
from querykin.search.tantivy_engine import TantivyEngine, TantivyIndexer
from querykin.settings import Config
from querykin.storage.store import Store

EXPENSIVE = ("cooccurrence", "latent")  # what takes long to learn from a large corpus
FREQUENT = 10  # past queries that hold a run of words make it a phrase (decision 16)
_QUOTES = re.compile('"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»')


class Knowledge:
    """A folder opened by mapping files into memory; what is missing is learnt when it is first asked for."""

    def __init__(self, path: Path, config: Config) -> None:
        self.path, self.config = path, config
        self.tell: Callable[[str], None] = lambda message: None  # hears of long work that nobody asked for

    def reopen(self) -> Self:
        """The same folder as it is on disk now."""
        return type(self)(self.path, self.config)

    def __reduce__(self) -> tuple[type[Self], tuple[Path, Config]]:
        """A copy, also in another process, is the same folder opened anew."""
        return type(self), (self.path, self.config)

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

    @cached_property
    def repository(self) -> Repository:
        """The past queries."""
        return Repository(self.path / "repository")

    @cached_property
    def models(self) -> Models:
        """What was trained here."""
        return Models(self.path / "models")

    def model(self, name: str) -> Model:
        """What was learnt under a name: here, else what is shipped with the program."""
        return self.models.read(name)

    def asked(self, texts: Sequence[str]) -> Float64Array:
        """How often each text was asked as a query."""
        numbers = self.repository.ids_of(texts)
        return np.where(numbers >= 0, np.append(self.repository.counts, 0)[numbers], 0).astype(np.float64)

    @cached_property
    def query_frequencies(self) -> QueryLogFrequencies:
        """How many past queries hold each word, as of its first use or the last rebuild."""
        found = QueryLogFrequencies(self.path / "query-log")
        if len(self.repository) and found.store_id != self.repository.store_id:
            self._count_words(found)
        return found

    def count_query_words(self) -> None:
        """Count the words of past queries anew."""
        self._count_words(self.query_frequencies)

    def _count_words(self, counts: QueryLogFrequencies) -> None:
        queries = self.repository.queries(self.repository.live_ids())
        counts.update(queries, self.corpus.vocabulary, self.repository.store_id)

    @property
    def counted_expander(self) -> Expander:
        """What the corpus says about texts; it knows every word that was counted, also those learnt since."""
        if len(self.cooccurrence.marginals) <= self.expander.corpus.vocabulary.count:
            return self.expander
        newest = self.reopen()
        if len(self.cooccurrence.marginals) > newest.corpus.vocabulary.count:
            self.tell("the counts are newer than the corpus: counting anew")
            self._count(self.cooccurrence, newest, rebuild=True)
        return newest.expander

    @cached_property
    def cooccurrence(self) -> CooccurrenceCounts:
        """Which words stand near which; counted on first use."""
        found = CooccurrenceCounts(self.path / "cooccurrence", self.config.distance)
        if found.store_id != self.corpus.store_id or found.counted_at_other_distance:
            why = (
                f" anew: they were counted at distance {found.distance}"
                if found.counted_at_other_distance
                else ""
            )
            self.tell(f"counting the neighbours of words in {len(self.corpus):,} documents{why}")
            self._count(found, self)
        return found

    def _count(self, counts: CooccurrenceCounts, known: Self, rebuild: bool = False) -> None:
        counts.update(known.corpus, known._phrases, rebuild, self.config.counting_room)

    @cached_property
    def latent(self) -> LatentVectors:
        """Vectors of words; made on first use."""
        found = LatentVectors(self.path / "latent")
        if found.store_id != self.corpus.store_id or found.distance != self.config.distance:
            found.update(self.cooccurrence, self.tell)
        return found

    def update_cooccurrence(self, rebuild: bool = False) -> None:
        """Bring the counts of neighbours up to date with the corpus."""
        before = CooccurrenceCounts(self.path / "cooccurrence").state
        found = self.cooccurrence  # which counts everything if nothing was there
        if found.behind(self.corpus) or (rebuild and found.state == before):
            self.tell("counting the neighbours of words" + (" anew" if rebuild else " in new documents"))
            self._count(found, self, rebuild)

    def phrases(self) -> dict[str, Phrases]:
        """What may be one thing, by where it comes from: lists of which some have the same phrases."""
        live_ids = self.repository.live_ids()
        queries = self.repository.queries(live_ids)
        asked = zip(queries, self.repository.counts[live_ids].tolist(), strict=True)
        return {
            "titles of documents": Phrases.of(self._titles()),
            "past queries asked more than once": Phrases.of(query for query, count in asked if count > 1),
            "in quotes in past queries": Phrases.of(part for query in queries for part in _quoted(query)),
            f"runs of words in {FREQUENT} past queries and more": Phrases.frequent(queries, FREQUENT),
        }

    def _phrases(self) -> Phrases:
        return reduce(or_, self.phrases().values())

    def _titles(self) -> Iterator[str]:
        for segment in self.corpus.segments:
            places = np.flatnonzero(segment.live(self.corpus.tombstones)).tolist()
            yield from (segment.document(place).title for place in places)

    def learnt(self, part: str) -> bool:
        """Whether something dear has been learnt, under the settings of today."""
        facts = Store(self.path / part, part).manifest().metadata
        return bool(facts) and facts.get("distance", DISTANCE) == self.config.distance

    def current(self, part: str) -> bool:
        """Whether something that measures learn from can be used at once, without learning it first."""
        facts = Store(self.path / part, part).manifest().metadata
        if part == "query-log":
            return not len(self.repository) or facts.get("repository_id") == self.repository.store_id
        return self.learnt(part) and facts.get("corpus_id") == self.corpus.store_id

    def damaged(self) -> list[str]:
        """What differs on disk from what was written; empty when all is whole.

        Works also where the damage keeps the corpus from being opened.
        """
        if not self.path.exists():
            raise WorkspaceError(f"there is no workspace in {self.path}; next: querykin corpus add FILE")
        stores = [Store(self.path / "corpus", "corpus"), Store(self.path / "repository", "repository")]
        stores += [Store(self.path / kind, kind) for kind in (*EXPENSIVE, "query-log")]
        stores += [Store(path, "index") for path in sorted((self.path / "index").glob("*"))]
        found = [line for store in stores for line in store.corrupted_files()] + self._damaged_models()
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


def _quoted(query: str) -> list[str]:
    """What stands in straight, curly or angled quotes.

    >>> _quoted('the "blue sky" and “red fox”')
    ['blue sky', 'red fox']
    """
    return ["".join(found) for found in _QUOTES.findall(query)]
