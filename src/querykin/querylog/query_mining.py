"""No query log? Titles and salient phrases of the corpus, as a person would type them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Int64Array, UInt32Array
from querykin.compute.jit import njit
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import CorpusSegment
from querykin.text.tokenizer import tokenize

RANGE = 1 << 23  # tokens
MAX_PHRASE_LENGTH = 4  # words
MAX_TITLE_LENGTH = 6  # words; longer titles are sentences, not queries
MIN_DOCUMENTS = 3  # a phrase of fewer documents is an accident
MIN_ASSOCIATION = 0.35  # normalised pointwise mutual information of a phrase's words
MOSTLY = 0.6  # of a phrase's uses inside one longer phrase make it a piece of that
NAME_SHARE = 0.5  # a phrase written with capitals this often is a name

# Words at which a phrase neither begins nor ends. Inside ("bank of england") they may stand.
_LOOSE = frozenset(
    """a about above after again against all also although always am among an and another any are around as at
    back be became because become been before began being between both but by called came can cannot
    could did do does done down during each early either end even ever every few first for four found
    from further gave get go had has have he her here hers him his how however i if in including into is
    it its itself just know known last later least less like made main make many may me might more most
    much must my named near never new next no nor not now of off often old on once one only onto or
    other others our out over own part per place quite rather said same second see several shall she
    should since so some something sometimes soon still such take taken than that the their them then
    there these they third this those three through thus time to together too two under until up upon us
    use used using usually various very was way we well went were what when where which while who whole
    whom whose why will with within without would year years yet you your won died born aged""".split()  # noqa: SIM905
)
_TITLE_SKIPS = ("list of ", "lists of ", "index of ", "outline of ", "deaths in ", "timeline of ")


@njit
def _phrases(
    tokens: UInt32Array,
    starts: UInt32Array,
    first: Int64Array,
    lengths: Int64Array,
    live: BoolArray,
    loose: BoolArray,
    size: int,
) -> tuple[Int64Array, Int64Array, Int64Array, BoolArray]:
    """Runs of `size` words with one character between them: key, place, document, whether capitalised."""
    count, room = 0, first[-1] - first[0]
    keys = np.empty(room, np.int64)
    places = np.empty(room, np.int64)
    documents = np.empty(room, np.int64)
    names = np.empty(room, np.bool_)
    for document in range(len(first) - 1):
        if not live[document]:
            continue
        for i in range(first[document], first[document + 1] - size + 1):
            if loose[tokens[i] >> 2] or loose[tokens[i + size - 1] >> 2]:
                continue
            joined, capital, key = True, True, np.int64(0)
            for j in range(i, i + size):
                word = np.int64(tokens[j] >> 2)
                key = (key ^ word) * np.int64(1099511628211)
                if j > i:
                    gap = np.int64(starts[j]) - np.int64(starts[j - 1]) - lengths[tokens[j - 1] >> 2]
                    joined = joined and gap == 1 and tokens[j] & 2 == 0
                capital = capital and (tokens[j] & 1 == 1 or loose[word])
            if joined:
                keys[count], places[count], documents[count], names[count] = key, i, document, capital
                count += 1
    return keys[:count], places[:count], documents[:count], names[:count]


@dataclass
class _Counted:
    """Phrases of one length: in how many documents, how often, how often as a name, and one example."""

    keys: Int64Array
    documents: Int64Array
    uses: Int64Array
    names: Int64Array
    words: NDArray[np.int64]  # one row of word numbers per phrase


def mine_queries(corpus: Corpus, limit: int) -> list[tuple[str, int]]:
    """Titles and salient phrases with the number of documents that hold them, the commonest first."""
    if not corpus.segments:
        return []
    loose = _loose_words(corpus)
    # One more than is wanted: the longer ones tell which of the others are only pieces.
    counted = {size: _count(corpus, size, loose) for size in range(2, MAX_PHRASE_LENGTH + 2)}
    found: dict[str, int] = {}
    for size in range(2, MAX_PHRASE_LENGTH + 1):
        phrases = counted[size]
        salient = _salient(corpus, phrases) & ~_inside_longer(phrases, counted[size + 1], size)
        names = phrases.names >= NAME_SHARE * phrases.uses
        for row in np.flatnonzero(salient):
            parts = [corpus.vocabulary.word(int(word)) for word in phrases.words[row]]
            if not parts[-1].endswith("'s") and (names[row] or _nominal(parts)):
                found[" ".join(parts)] = int(phrases.documents[row])
    for title in _titles(corpus):
        found[title] = max(found.get(title, 0), _mentions(corpus, counted, title))
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return ranked[:limit]


def _loose_words(corpus: Corpus) -> BoolArray:
    """Marks the words at which no phrase begins or ends: small words, single letters and figures."""
    marks = np.diff(corpus.vocabulary.ends) < 2
    for number in corpus.vocabulary.lookup(tokenize([" ".join(_LOOSE)])):
        if number >= 0:
            marks[number] = True
    return marks


def _count(corpus: Corpus, size: int, loose: BoolArray) -> _Counted:
    lengths = np.diff(corpus.vocabulary.ends)
    parts = [
        _count_range(segment, begin, end, corpus, size, loose, lengths)
        for segment in corpus.segments
        for begin, end in _ranges(segment)
    ]
    keys, first, place = np.unique(
        np.concatenate([part.keys for part in parts]), return_index=True, return_inverse=True
    )
    documents, uses, names = (
        np.bincount(place, np.concatenate([getattr(part, name) for part in parts])).astype(np.int64)
        for name in ("documents", "uses", "names")
    )
    kept = documents >= MIN_DOCUMENTS
    rows = np.concatenate([part.words for part in parts])[first]
    return _Counted(keys[kept], documents[kept], uses[kept], names[kept], rows[kept])


def _ranges(segment: CorpusSegment) -> Iterator[tuple[int, int]]:
    """Documents from begin to end, about RANGE tokens at a time: bounds the memory of counting."""
    steps = segment.indptr[1:] // RANGE
    borders = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(segment)]
    return pairwise(borders)


def _count_range(
    segment: CorpusSegment,
    begin: int,
    end: int,
    corpus: Corpus,
    size: int,
    loose: BoolArray,
    lengths: Int64Array,
) -> _Counted:
    live = segment.live(corpus.tombstones)[begin:end]
    keys, places, documents, names = _phrases(
        segment.tokens, segment.starts, segment.indptr[begin : end + 1], lengths, live, loose, size
    )
    order = np.argsort(keys, kind="stable")  # documents rise within a key: places do
    keys, places, documents, names = keys[order], places[order], documents[order], names[order]
    distinct, first, uses = np.unique(keys, return_index=True, return_counts=True)
    new_document = np.ones(len(keys), np.int64)
    new_document[1:] = (np.diff(keys) != 0) | (np.diff(documents) != 0)
    if not len(keys):
        return _Counted(keys, uses, uses, uses, np.zeros((0, size), np.int64))
    held = np.add.reduceat(new_document, first)
    capitals = np.add.reduceat(names.astype(np.int64), first)
    words_of = (segment.tokens[places[first][:, None] + np.arange(size)] >> 2).astype(np.int64)
    return _Counted(distinct, held, uses, capitals, words_of)


def _salient(corpus: Corpus, phrases: _Counted) -> BoolArray:
    """Phrases whose words belong together: their normalised pointwise mutual information is high."""
    total = max(2, corpus.statistics.tokens)
    size = phrases.words.shape[1]
    joint = np.log(phrases.uses / total)
    apart = np.log(corpus.statistics.cf[phrases.words] / total).sum(axis=1)
    association = (joint - apart) / (-(size - 1) * joint)
    name = phrases.names >= NAME_SHARE * phrases.uses
    salient: BoolArray = association >= np.where(name, MIN_ASSOCIATION, MIN_ASSOCIATION + 0.1)
    return salient


def _nominal(parts: list[str]) -> bool:
    """Whether a phrase that is no name may still be one thing, by the look of its words.

    >>> _nominal(["voting", "system"]), _nominal(["narrowly", "escapes"]), _nominal(["commune", "joined"])
    (True, False, False)
    """
    return not (
        parts[0].endswith("ly") or parts[-1].endswith(("ly", "ed", "ing")) or "and" in parts or "but" in parts
    )


def _inside_longer(phrases: _Counted, longer: _Counted, size: int) -> BoolArray:
    """Phrases that mostly occur inside one longer phrase ("lake city" of "salt lake city")."""
    inside = np.zeros(len(phrases.keys), np.bool_)
    for begin in (0, 1):
        _, at, longer_at = np.intersect1d(
            phrases.keys, _keys(longer.words[:, begin : begin + size]), return_indices=True
        )
        inside[at[longer.uses[longer_at] >= MOSTLY * phrases.uses[at]]] = True
    return inside


def _keys(rows: NDArray[np.int64]) -> Int64Array:
    key = np.zeros(len(rows), np.int64)
    with np.errstate(over="ignore"):
        for column in rows.T:
            key = (key ^ column) * np.int64(1099511628211)
    return key


def _titles(corpus: Corpus) -> Iterator[str]:
    """Titles of living documents that a person might type."""
    for segment in corpus.segments:
        for place in np.flatnonzero(segment.live(corpus.tombstones) & (segment.titles <= MAX_TITLE_LENGTH)):
            begin = int(segment.indptr[place])
            numbers = segment.tokens[begin : begin + int(segment.titles[place])] >> 2
            title = " ".join(corpus.vocabulary.word(int(number)) for number in numbers)
            if len(title) > 2 and not title.startswith(_TITLE_SKIPS) and not title.replace(" ", "").isdigit():
                yield title


def _mentions(corpus: Corpus, counted: dict[int, _Counted], title: str) -> int:
    """In how many documents a title occurs as a phrase; at least in its own."""
    numbers = corpus.vocabulary.lookup(tokenize([title])).astype(np.int64)
    if len(numbers) == 1:
        return max(1, int(corpus.statistics.df[numbers[0]]))
    phrases = counted.get(len(numbers))
    if phrases is None or not len(phrases.keys):
        return 1
    key = _keys(numbers[None, :])[0]
    at = min(int(np.searchsorted(phrases.keys, key)), len(phrases.keys) - 1)
    return int(phrases.documents[at]) if phrases.keys[at] == key else 1
