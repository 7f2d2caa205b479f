"""Spelling correction: words of a query without evidence, replaced by the known words that were meant."""

from collections.abc import Callable
from dataclasses import replace
from math import exp

from querykin.corpus.corpus import Corpus
from querykin.querylog.repository import Repository
from querykin.search.expansion import Expander
from querykin.spelling.context import Context
from querykin.spelling.edit_costs import edit_costs
from querykin.spelling.lexicon import Candidate, Lexicon
from querykin.spelling.noisy_channel import NoisyChannel
from querykin.spelling.word_breaks import has_digit, is_one_word, runs, split_candidates
from querykin.text.normalization import to_nfc
from querykin.text.tokenizer import starts_cluster
from querykin.types import Correction, Replacement
from querykin.validation import Text, validated

MIN_LENGTH = 4  # letters; of shorter words nearly all are near to another one
MAX_COST = ((5, 1.0), (8, 1.5), (64, 2.0))  # up to so many letters, the bound of the edit distance
MAX_UNKNOWN = 8  # a query with more unknown words is in another language
_CONTEXT_CANDIDATES = 4  # the most probable ones are compared in context
_CONTEXT_PRIOR = 10.0  # documents, the smoothing of a share of the documents with the context
_CONTEXT_WEIGHT = 0.8  # of that share, beside the share of all documents


class SpellingCorrector:
    """Replaces words that the corpus does not know by words that it, or past queries, know.

    >>> from querykin import Document, Workspace
    >>> workspace = Workspace.open(getfixture("tmp_path"))
    >>> _ = workspace.corpus.add([Document("1", "NASA", "NASA leads space exploration with rockets.")])
    >>> spelling = workspace.reopen().spelling
    >>> print(spelling.correct("space exploraton"))
    no evidence for 'exploraton', using 'exploration'
    >>> spelling.correct("space exploration"), spelling.correct("gargantuan exploration")
    (None, None)
    """

    def __init__(
        self,
        corpus: Corpus,
        repository: Repository,
        expander: Callable[[], Expander],
        channel: NoisyChannel | None = None,
    ) -> None:
        self._analyzer = corpus.analyzer
        self._lexicon, self._context = Lexicon(corpus, repository), Context(expander)
        self._costs = edit_costs(self._analyzer.languages[0].code)
        self._channel = channel or NoisyChannel()

    @validated
    def correct(self, query: Text) -> Correction | None:
        """The query with words that have no evidence replaced; None if there is nothing to replace.

        In scripts without spaces between words there are no words to replace.
        """
        text = to_nfc(query)
        tokens = self._analyzer.tokenize_normalized([text])
        if starts_cluster(tokens.codepoints).any():
            return None
        spans = self._replaced(tokens.words())
        pieces, replacements, at = [], [], 0
        for first, last, used in spans:
            begin, end = int(tokens.begin[first]), int(tokens.begin[last] + tokens.length[last])
            pieces += [text[at:begin], used]
            replacements.append(Replacement(text[begin:end], used))
            at = end
        return Correction("".join([*pieces, text[at:]]), tuple(replacements)) if spans else None

    def warm_up(self) -> None:
        """Correct a word that nothing is near to: kernels are compiled, known words and past queries read."""
        self.correct("qwxzyqwxzy")
        self._lexicon.asked_side_by_side("qwxzy qwxzy")

    def _replaced(self, words: list[str]) -> list[tuple[int, int, str]]:
        """The first and last word of what is replaced, and the words used instead."""
        frequencies = self._lexicon.document_frequencies(words).tolist()
        if frequencies.count(0) > MAX_UNKNOWN:
            return []
        found: dict[int, tuple[int, str]] = {}
        free = [True] * len(words)
        for begin, end in runs(words):
            parts = words[begin:end]
            with_evidence = sum(map(bool, frequencies[begin:end]))
            doubtful = with_evidence < len(parts) or any(map(has_digit, parts))
            if doubtful and all(free[begin:end]) and self._is_one_word(parts, with_evidence):
                found[begin] = end - 1, "".join(parts)
                free[begin:end] = [False] * len(parts)
        known = [(frequency, word) for word, frequency in zip(words, frequencies, strict=True) if frequency]
        for number, word in enumerate(words):
            if free[number] and not frequencies[number]:
                used = self._meant(word, min(known, default=None))
                if used is not None:
                    found[number] = number, used
        return [(first, *found[first]) for first in sorted(found)]

    def _is_one_word(self, parts: list[str], with_evidence: int) -> bool:
        return is_one_word(parts, with_evidence, self._lexicon, self._context)

    def _meant(self, word: str, context: tuple[int, str] | None) -> str | None:
        """The known words that were probably meant by one without evidence."""
        candidates = split_candidates(word, self._lexicon, self._context)
        if has_digit(word):
            return max(candidates, key=lambda split: split.frequency).word if candidates else None
        if len(word) >= MIN_LENGTH:
            bound = next(cost for length, cost in MAX_COST if len(word) <= length)
            candidates += self._lexicon.near(word, self._costs, bound)
        if context and candidates:
            candidates = self._in_context(candidates, *context)
        return self._channel.meant(word, candidates, self._lexicon.unseen)

    def _in_context(self, candidates: list[Candidate], documents: int, context: str) -> list[Candidate]:
        """The best candidates with their probability divided again, by their shares of some documents.

        These are the documents that have the rarest known word of the query. Whether the typed word is new
        is not for the context to say: the candidates keep the probability that they have together.
        """
        candidates = sorted(candidates, key=self._channel.score, reverse=True)
        first = candidates[:_CONTEXT_CANDIDATES]
        shared = self._context.together([f"{each.word} {context}" for each in first]).tolist()
        weighed = [
            replace(each, frequency=_interpolated(each.frequency, count, documents))
            for each, count in zip(first, shared, strict=True)
        ]
        before, after = (sum(exp(self._channel.score(each)) for each in group) for group in (first, weighed))
        divided = [replace(each, frequency=each.frequency * before / after) for each in weighed]
        return divided + candidates[_CONTEXT_CANDIDATES:]


def _interpolated(frequency: float, count: int, documents: int) -> float:
    """The frequency of a word, mixed with its smoothed share of the documents of the context."""
    share = (count + _CONTEXT_PRIOR * frequency) / (documents + _CONTEXT_PRIOR)
    return (1 - _CONTEXT_WEIGHT) * frequency + _CONTEXT_WEIGHT * share
