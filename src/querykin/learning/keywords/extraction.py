"""What is a document about? Its keywords, by a learnt extractor, as the document writes them."""

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
from querykin.text.normalization import clean
from querykin.text.tokenizer import SENTENCE_START, Tokens, tokenize
from querykin.types import Document
from querykin.weighting.term_features import TermFeatureReader

MODEL = "keywords"  # the name of the model that is used unless another is asked for
LONGEST = 5  # words of a phrase (Yih, Goodman & Carvalho 2006)
LIKELY = 0.5  # share of a document's words, the likeliest, that phrases are made of
_BATCH = 64
_NEVER = 1e-12  # a probability below this is none
_JOINTS = ("", "-", "\u2010", "\u2011")  # what may stand between two words of a phrase, besides blanks


@dataclass(frozen=True)
class Keyword:
    """A word or a phrase and how likely it is a keyword: of a phrase, the mean of its words."""

    word: str
    score: float


@dataclass(frozen=True)
class Keywords:
    """The keywords of one document, the likeliest first."""

    document: Document
    keywords: tuple[Keyword, ...]


def page_of(document: Document) -> Page:
    """A document as a page: lists are texts, and a title that is the text's first line comes once."""
    line, _, rest = document.text.partition("\n")
    text = rest if line.strip() == document.title else document.text
    named = {name: _text(document.fields.get(name)) for name in ("links", "keywords", "description")}
    return Page(text, document.title, document.url, **named)


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
    """The k likeliest keywords of each document: words, or runs of adjacent ones.

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
    return (found for some in batches for found in _extracted(reader, extractor, some, k, phrases))


def open_extractor(workspace: TrainingResources, name: str = MODEL) -> Extractor:
    """The extractor that was trained under a name, here or before the program was shipped."""
    model = workspace.model(name)
    if model.kind != "keywords":
        raise InputError(
            f"{name!r} is a model of kind {model.kind!r}, not of keywords; "
            "next: querykin train keywords FILE --name NAME"
        )
    return Extractor.of(model.content)


def _extracted(
    reader: TermFeatureReader, extractor: Extractor, documents: Sequence[Document], k: int, phrases: bool
) -> Iterator[Keywords]:
    pages = [page_of(document) for document in documents]
    terms = all_terms(reader, pages)
    probabilities = extractor.probabilities(reader, terms)
    for number, (document, page) in enumerate(zip(documents, pages, strict=True)):
        rows = slice(terms.indptr[number], terms.indptr[number + 1])
        found = _Words(reader, page.everything, terms.terms[rows], probabilities[rows])
        yield Keywords(document, tuple(found.phrases(k) if phrases else found.words(k)))


class _Words:
    """One text with a probability for each of its stems."""

    def __init__(
        self, reader: TermFeatureReader, text: str, stems: Int64Array, probabilities: Float64Array
    ) -> None:
        self._text, self._tokens = clean(text), tokenize([text])
        self._stems: list[int] = reader.stem_ids(self._tokens).tolist()
        self._probabilities = dict(zip(stems.tolist(), probabilities.tolist(), strict=True))

    def words(self, k: int) -> list[Keyword]:
        """The likeliest words."""
        return self._best([(i, i + 1) for i, stem in enumerate(self._stems) if self._probabilities[stem]], k)

    def phrases(self, k: int) -> list[Keyword]:
        """The likeliest runs of adjacent words, where each word is of the likelier half."""
        falling = sorted(self._probabilities.values(), reverse=True)
        least = max(falling[int(LIKELY * len(falling))], _NEVER) if falling else _NEVER
        likely = np.array([self._probabilities[stem] >= least for stem in self._stems], np.bool_)
        joined = likely[1:] & likely[:-1] & _adjacent(self._tokens, self._text)
        begins = np.flatnonzero(likely & ~np.append(False, joined)).tolist()
        ends = (np.flatnonzero(likely & ~np.append(joined, False)) + 1).tolist()
        runs = zip(begins, ends, strict=True)
        return self._best([(begin, end) for begin, end in runs if end - begin <= LONGEST], k)

    def _best(self, runs: list[tuple[int, int]], k: int) -> list[Keyword]:
        """The likeliest runs, each once and in its commonest spelling; of equal ones the first."""
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
    """For every two neighbouring tokens whether nothing but blanks or a hyphen stands between them."""
    ends = tokens.begin + tokens.length
    gaps = (text[end:begin].strip() for end, begin in zip(ends[:-1], tokens.begin[1:], strict=True))
    close: BoolArray = np.array([gap in _JOINTS for gap in gaps], np.bool_)
    return np.asarray(close & (tokens.flags[1:] & SENTENCE_START == 0))
