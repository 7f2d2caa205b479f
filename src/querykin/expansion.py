"""What does the corpus say about it? Windows of text around a short text's words, as token ids."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from querykin.compiled import Bools, Longs, Points, Words, cleared, compiled, ragged
from querykin.corpus.corpus import Corpus
from querykin.engines.arrival import arrive
from querykin.engines.base import CorpusEngine, Queries, Results, SearchEngine, join_results
from querykin.engines.queries import parse
from querykin.engines.windows import windows

WINDOW = 1000  # characters around the query's words (Sahami & Heilman 2006)
DEEPEST = 200  # results of a search that any measure may use (Metzler et al. 2007; Yih 2009)
KEPT = 8192  # texts whose results are kept, about 8 kB each
HELD_MASS = 0.4  # a text is covered when its results hold this share of its idf mass


@compiled
def _copy(tokens: Points, first: Longs, titles: Words, places: Longs, begins: Longs, ends: Longs,
          to: Longs, out: Points) -> None:  # fmt: skip
    """Write the title and the window of each document to its place in `out`."""
    for r in range(len(places)):
        at, begin = to[r], first[places[r]]
        for i in range(begin, begin + titles[places[r]]):
            out[at] = tokens[i]
            at += 1
        for i in range(begins[r], ends[r]):
            out[at] = tokens[i]
            at += 1


@dataclass(frozen=True, slots=True)
class Expansions:
    """What the corpus says about several texts.

    Text t has results first[t] to first[t + 1]; result r holds tokens[windows[r] : windows[r + 1]], the
    title and then the window of its document, which are tokens begins[r] to ends[r] of its segment.
    """

    queries: Queries
    results: Results
    windows: Longs
    tokens: Points
    begins: Longs
    ends: Longs
    covered: Bools

    @property
    def first(self) -> Longs:
        """Where each text's results begin; the results of a text that is not covered are not used."""
        return self.results.first


class Expander:
    """Asks a search engine about texts and cuts windows out of what it finds.

    It is the only caller of engines. Texts come and go in batches; recent answers are kept, so that
    several measures over the same texts cost one search.
    """

    def __init__(
        self, corpus: Corpus, engine: SearchEngine, window: int = WINDOW, held_mass: float = HELD_MASS
    ) -> None:
        self.corpus, self.engine = corpus, engine
        self.window, self.held_mass = window, held_mass
        self._recent: OrderedDict[str, Results] = OrderedDict()
        self._lock = Lock()

    def search(self, texts: Sequence[str], limit: int = DEEPEST) -> tuple[Queries, Results, Bools]:
        """The results of each text and whether they cover it."""
        if limit > DEEPEST:
            raise ValueError(f"results must be at most {DEEPEST}, got {limit}")
        queries = parse(texts, self.corpus)
        results = join_results(self._deepest(queries)).top(limit)
        # Half the largest idf there is: one unknown word must not outweigh all the known ones.
        cap = np.log(self.corpus.statistics.documents + 1) / 2
        return queries, results, results.held_mass(queries, cap) >= max(self.held_mass - 1e-9, 1e-9)

    def forget(self) -> None:
        """Search for every text anew from now on."""
        with self._lock:
            self._recent.clear()

    def _deepest(self, queries: Queries) -> list[Results]:
        """The results of each text: those kept from earlier, the others by a search."""
        with self._lock:
            known = {text: self._recent[text] for text in queries.texts if text in self._recent}
        new = {text: number for number, text in enumerate(queries.texts) if text not in known}
        if new:
            found = self._ask(queries.take(list(new.values())) if known else queries)
            known |= {text: found.of(number) for number, text in enumerate(new)}
        with self._lock:
            for text in queries.texts:
                self._recent[text] = known[text]
                self._recent.move_to_end(text)
            while len(self._recent) > KEPT:
                self._recent.popitem(last=False)
        return [known[text] for text in queries.texts]

    def _ask(self, queries: Queries) -> Results:
        if isinstance(self.engine, CorpusEngine):
            return self.engine.search_ids(queries, DEEPEST)
        answers = [self.engine.search(text, DEEPEST) for text in queries.texts]
        return arrive(answers, self.corpus.vocabulary, queries)

    def expand(self, texts: Sequence[str], limit: int) -> Expansions:
        """Titles and windows of the best results of each text."""
        queries, results, covered = self.search(texts, limit)
        count, stem = len(results.documents), self.corpus.vocabulary.stem
        owners = np.repeat(np.arange(len(texts)), np.diff(results.first))
        begins, ends, titles = (np.zeros(count, np.int64) for _ in range(3))
        held = [np.flatnonzero(results.holders == number) for number in range(len(results.segments))]
        for segment, rows in zip(results.segments, held, strict=True):
            places = results.places[rows]
            titles[rows] = segment.titles[places]
            with cleared(np.int8, len(stem)) as slot:
                begins[rows], ends[rows] = windows(
                    segment.tokens, segment.starts, segment.first, segment.titles, stem, places, owners[rows],
                    queries.first, queries.stems, queries.idf, self.window, slot,
                )  # fmt: skip
        borders = ragged(titles + ends - begins)
        tokens = np.empty(borders[-1], np.uint32)
        for segment, rows in zip(results.segments, held, strict=True):
            _copy(segment.tokens, segment.first, segment.titles, results.places[rows], begins[rows],
                  ends[rows], borders[rows], tokens)  # fmt: skip
        return Expansions(queries, results, borders, tokens, begins, ends, covered)
