"""Keywords and key phrases of documents, ranked by a trained extractor and spelled as in the document."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.errors import InputError
from querykin.learning.keywords.extractor import Extractor
from querykin.learning.landing_pages.pages import Page, all_terms
from querykin.learning.training_resources import TrainingResources
from querykin.text.normalization import to_nfc
from querykin.text.tokenizer import SENTENCE_START, Tokens
from querykin.types import Document
from querykin.weighting.term_features import TermFeatureReader

MODEL = "keywords"  # name of the default model
MAX_PHRASE_WORDS = 5  # as in Yih, Goodman & Carvalho (2006)
PHRASE_WORD_SHARE = 0.5  # share of a document's words, the most probable, that phrases consist of
_BATCH = 64  # documents processed at once
_MIN_PROBABILITY = 1e-12  # a lower probability counts as zero
_PHRASE_GAPS = ("", "-", "\u2010", "\u2011")  # text allowed between words of a phrase, besides white space


@dataclass(frozen=True)
class Keyword:
    """A word or phrase with the probability that it is a keyword; for a phrase, the mean over its words."""

    word: str
    score: float


@dataclass(frozen=True)
class Keywords:
    """The keywords of one document, most probable first."""

    document: Document
    keywords: tuple[Keyword, ...]


def page_of(document: Document) -> Page:
    """Convert a document to a page; lists are joined, and a title repeated as the first line is dropped."""
    first_line, _, rest = document.text.partition("\n")
    text = rest if first_line.strip() == document.title else document.text
    fields = {name: _text(document.fields.get(name)) for name in ("links", "keywords", "description")}
    return Page(text, document.title, document.url, **fields)


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return value if isinstance(value, str) else ""


def extract(
    workspace: TrainingResources,
    documents: Iterable[Document],
    k: int = 10,
    model: str = MODEL,
    phrases: bool = False,
) -> Iterator[Keywords]:
    """The k most probable keywords of each document: single words, or with `phrases` runs of adjacent words.

    >>> from querykin import Document, Workspace
    >>> workspace = Workspace.open(getfixture("tmp_path"))
    >>> pie = Document("1", "Apple pie", "An apple pie is baked in the oven. The pie is eaten warm.")
    >>> [keyword.word for keyword in next(extract(workspace, [pie], k=2)).keywords]
    ['pie', 'Apple']
    >>> [keyword.word for keyword in next(extract(workspace, [pie], k=2, phrases=True)).keywords]
    ['pie', 'Apple pie']
    """
    extractor = open_extractor(workspace, model)
    reader = TermFeatureReader(workspace.corpus, workspace.query_frequencies)
    remaining = iter(documents)
    batches = iter(lambda: list(islice(remaining, _BATCH)), [])
    return (
        keywords for batch in batches for keywords in _extract_batch(reader, extractor, batch, k, phrases)
    )


def open_extractor(workspace: TrainingResources, name: str = MODEL) -> Extractor:
    """The extractor of a model of the workspace, or of a shipped one."""
    model = workspace.model(name)
    if model.kind != "keywords":
        raise InputError(
            f"{name!r} is a model of kind {model.kind!r}, not of keywords; "
            "next: querykin train keywords FILE --name NAME"
        )
    return Extractor.of(model.content)


def _extract_batch(
    reader: TermFeatureReader, extractor: Extractor, documents: Sequence[Document], k: int, phrases: bool
) -> Iterator[Keywords]:
    pages = [page_of(document) for document in documents]
    terms = all_terms(reader, pages)
    probabilities = extractor.probabilities(reader, terms)
    for number, (document, page) in enumerate(zip(documents, pages, strict=True)):
        rows = slice(terms.indptr[number], terms.indptr[number + 1])
        text = _ScoredText(reader, page.everything, terms.terms[rows], probabilities[rows])
        yield Keywords(document, tuple(text.phrases(k) if phrases else text.words(k)))


class _ScoredText:
    """A text with a keyword probability for each of its stems."""

    def __init__(
        self, reader: TermFeatureReader, text: str, stems: Int64Array, probabilities: Float64Array
    ) -> None:
        self._text, self._tokens = to_nfc(text), reader.corpus.analyzer.tokenize([text])
        self._stems: list[int] = reader.stem_ids(self._tokens).tolist()
        self._probabilities = dict(zip(stems.tolist(), probabilities.tolist(), strict=True))

    def words(self, k: int) -> list[Keyword]:
        """The k most probable words."""
        return self._best([(i, i + 1) for i, stem in enumerate(self._stems) if self._probabilities[stem]], k)

    def phrases(self, k: int) -> list[Keyword]:
        """The k most probable runs of adjacent words, each word from the more probable half of the text."""
        descending = sorted(self._probabilities.values(), reverse=True)
        cutoff = _MIN_PROBABILITY
        if descending:
            cutoff = max(descending[int(PHRASE_WORD_SHARE * len(descending))], cutoff)
        likely = np.array([self._probabilities[stem] >= cutoff for stem in self._stems], np.bool_)
        joined = likely[1:] & likely[:-1] & _adjacent(self._tokens, self._text)
        begins = np.flatnonzero(likely & ~np.append(False, joined)).tolist()
        ends = (np.flatnonzero(likely & ~np.append(joined, False)) + 1).tolist()
        runs = zip(begins, ends, strict=True)
        return self._best([(begin, end) for begin, end in runs if end - begin <= MAX_PHRASE_WORDS], k)

    def _best(self, runs: list[tuple[int, int]], k: int) -> list[Keyword]:
        """The k most probable distinct runs in their most frequent spelling; ties in text order."""
        spellings: dict[tuple[int, ...], Counter[str]] = {}
        for begin, end in runs:
            stems = tuple(self._stems[begin:end])
            spellings.setdefault(stems, Counter())[self._spelling(begin, end)] += 1
        scores = {stems: fmean(self._probabilities[stem] for stem in stems) for stems in spellings}
        best = sorted(scores, key=lambda stems: -scores[stems])[:k]
        return [Keyword(spellings[stems].most_common(1)[0][0], scores[stems]) for stems in best]

    def _spelling(self, begin: int, end: int) -> str:
        last = end - 1
        span = self._text[self._tokens.begin[begin] : self._tokens.begin[last] + self._tokens.length[last]]
        return " ".join(span.split())


def _adjacent(tokens: Tokens, text: str) -> BoolArray:
    """Whether only white space or a hyphen separates each token from the next, within one sentence."""
    ends = tokens.begin + tokens.length
    gaps = (text[end:begin].strip() for end, begin in zip(ends[:-1], tokens.begin[1:], strict=True))
    joined: BoolArray = np.array([gap in _PHRASE_GAPS for gap in gaps], np.bool_)
    return np.asarray(joined & (tokens.flags[1:] & SENTENCE_START == 0))
