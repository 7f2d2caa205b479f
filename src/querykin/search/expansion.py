"""What does the corpus say about it? Windows of text around a short text's words, as token ids."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, UInt32Array, make_indptr
from querykin.compute.jit import njit
from querykin.compute.threads import zeroed_scratch
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.search.engine import CorpusEngine, Queries, Results, SearchEngine, concatenate_results
from querykin.search.external_hits import tokenize_hits
from querykin.search.query_parser import parse
from querykin.search.windows import windows

WINDOW = 1000  # characters around the query's words (Sahami & Heilman 2006)
MAX_RESULTS = 200  # results of a search that any measure may use (Metzler et al. 2007; Yih 2009)
KEPT = 8192  # texts whose results are kept, about 8 kB each
MIN_IDF_COVERAGE = 0.4  # a text is covered when its results hold this share of its idf mass


@njit
def _copy(
    tokens: UInt32Array,
    indptr: Int64Array,
    titles: Int32Array,
    ordinals: Int64Array,
    begins: Int64Array,
    ends: Int64Array,
    to: Int64Array,
    out: UInt32Array,
) -> None:
    """Write the title and the window of each document to its place in `out`."""
    for r in range(len(ordinals)):
        at, begin = to[r], indptr[ordinals[r]]
        for i in range(begin, begin + titles[ordinals[r]]):
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
    windows: Int64Array
    tokens: UInt32Array
    begins: Int64Array
    ends: Int64Array
    covered: BoolArray

    @property
    def indptr(self) -> Int64Array:
        """Where each text's results begin; the results of a text that is not covered are not used."""
        return self.results.indptr


class Expander:
    """Asks a search engine about texts and cuts windows out of what it finds.

    It is the only caller of engines. Texts come and go in batches; recent answers are kept, so that
    several measures over the same texts cost one search.
    """

    def __init__(
        self,
        corpus: Corpus,
        engine: SearchEngine,
        window: int = WINDOW,
        idf_coverage: float = MIN_IDF_COVERAGE,
    ) -> None:
        self.corpus, self.engine = corpus, engine
        self.window, self.idf_coverage = window, idf_coverage
        self._recent: OrderedDict[str, Results] = OrderedDict()
        self._lock = Lock()

    def with_statistics(self, statistics: Statistics) -> "Expander":
        """The same documents and settings under another version of the statistics."""
        engine = self.engine
        if isinstance(engine, CorpusEngine):
            engine = engine.with_statistics(statistics)
        return Expander(self.corpus.with_statistics(statistics), engine, self.window, self.idf_coverage)

    def search(self, texts: Sequence[str], limit: int = MAX_RESULTS) -> tuple[Queries, Results, BoolArray]:
        """The results of each text and whether they cover it."""
        if limit > MAX_RESULTS:
            raise ValueError(f"results must be at most {MAX_RESULTS}, got {limit}")
        queries = parse(texts, self.corpus)
        results = concatenate_results(self._results(queries)).top(limit)
        # Half the largest idf there is: one unknown word must not outweigh all the known ones.
        cap = np.log(self.corpus.statistics.documents + 1) / 2
        return queries, results, results.idf_coverage(queries, cap) >= max(self.idf_coverage - 1e-9, 1e-9)

    def forget(self) -> None:
        """Search for every text anew from now on."""
        with self._lock:
            self._recent.clear()

    def _results(self, queries: Queries) -> list[Results]:
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
            return self.engine.search_documents(queries, MAX_RESULTS)
        answers = [self.engine.search(text, MAX_RESULTS) for text in queries.texts]
        return tokenize_hits(answers, self.corpus.vocabulary, queries)

    def expand(self, texts: Sequence[str], limit: int) -> Expansions:
        """Titles and windows of the best results of each text."""
        queries, results, covered = self.search(texts, limit)
        count, stem = len(results.documents), self.corpus.vocabulary.stem
        owners = np.repeat(np.arange(len(texts)), np.diff(results.indptr))
        begins, ends, titles = (np.zeros(count, np.int64) for _ in range(3))
        held = [np.flatnonzero(results.segment_ids == number) for number in range(len(results.segments))]
        for segment, rows in zip(results.segments, held, strict=True):
            ordinals = results.ordinals[rows]
            titles[rows] = segment.titles[ordinals]
            with zeroed_scratch(np.int8, len(stem)) as slot:
                begins[rows], ends[rows] = windows(
                    segment.tokens,
                    segment.starts,
                    segment.indptr,
                    segment.titles,
                    stem,
                    ordinals,
                    owners[rows],
                    queries.indptr,
                    queries.stems,
                    queries.idf,
                    self.window,
                    slot,
                )
        borders = make_indptr(titles + ends - begins)
        tokens = np.empty(borders[-1], np.uint32)
        for segment, rows in zip(results.segments, held, strict=True):
            _copy(
                segment.tokens,
                segment.indptr,
                segment.titles,
                results.ordinals[rows],
                begins[rows],
                ends[rows],
                borders[rows],
                tokens,
            )
        return Expansions(queries, results, borders, tokens, begins, ends, covered)
