"""What is known? One folder with a corpus, past queries, and all that was learnt from them."""

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from querykin.compiled import Reals
from querykin.config import Config
from querykin.corpus.cooccurrence import DISTANCE
from querykin.corpus.corpus import Corpus
from querykin.corpus.latent import Latent
from querykin.corpus.neighbours import Neighbours
from querykin.corpus.query_words import QueryWords
from querykin.engines.tantivy import TantivyEngine, TantivyIndexer
from querykin.errors import WorkspaceError
from querykin.expansion import Expander
from querykin.learning.models import Model, Models
from querykin.repository import Repository
from querykin.storage import Store

DEAR = ("neighbours", "latent")  # what takes long to learn from a large corpus


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

    def asked(self, texts: Sequence[str]) -> Reals:
        """How often each text was asked as a query."""
        numbers = self.repository.numbers(texts)
        return np.where(numbers >= 0, np.append(self.repository.counts, 0)[numbers], 0).astype(np.float64)

    @cached_property
    def query_words(self) -> QueryWords:
        """How many past queries hold each word, as of its first use or the last rebuild."""
        found = QueryWords(self.path / "query-words")
        if len(self.repository) and found.lineage != self.repository.lineage:
            self._count_words(found)
        return found

    def count_query_words(self) -> None:
        """Count the words of past queries anew."""
        self._count_words(self.query_words)

    def _count_words(self, counts: QueryWords) -> None:
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

    def learnt(self, part: str) -> bool:
        """Whether something dear has been learnt, under the settings of today."""
        facts = Store(self.path / part, part).manifest().facts
        return bool(facts) and facts.get("distance", DISTANCE) == self.config.distance

    def current(self, part: str) -> bool:
        """Whether something that measures learn from can be used at once, without learning it first."""
        facts = Store(self.path / part, part).manifest().facts
        if part == "query-words":
            return not len(self.repository) or facts.get("lineage") == self.repository.lineage
        return self.learnt(part) and facts.get("lineage") == self.corpus.lineage

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
