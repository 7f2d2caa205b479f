"""Spelling correction: words without evidence replaced by the known words that were probably meant.

The noisy channel (Kernighan, Church & Gale 1990): of the words w near a typed word t the best has the highest
P(w) P(t | w). P(w) is a share of the documents or past queries, P(t | w) falls exponentially with the cost of
the edits. That none of them was meant, and t is a word the corpus does not have, is one more hypothesis: its
probability is that of a new word (Good-Turing) times that of its letters. So a long word may be further off
than a short one, and a rare name stays.
"""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log

from querykin.corpus.corpus import Corpus
from querykin.querylog.repository import Repository
from querykin.search.expansion import Expander
from querykin.spelling.context import Context
from querykin.spelling.correction import Correction, Replacement
from querykin.spelling.edit_costs import edit_costs
from querykin.spelling.lexicon import Candidate, Lexicon
from querykin.spelling.word_breaks import has_digit, is_one_word, runs, split_candidates
from querykin.text.normalization import to_nfc
from querykin.text.tokenizer import tokenize

MIN_LENGTH = 4  # letters; of shorter words nearly all are near to another one
MAX_COST = ((5, 1.0), (8, 1.5), (64, 2.0))  # up to so many letters, the bound of the edit distance
MAX_UNKNOWN = 8  # a query with more unknown words is in another language
# Chosen on half of the queries by python -m reproduce.spelling, which reports on the other half.
EDIT = 6.0  # -log of the probability of an edit of cost 1
LETTER = 1.0  # -log of the probability of a letter of a new word
NEW_WORD = -2.0  # log of the odds that a word without evidence is new
MIN_PROBABILITY = 0.7  # of the word that is used
_CONTEXT_CANDIDATES = 4  # the most probable ones are compared in context
_CONTEXT_PRIOR = 10.0  # documents: the smoothing of a share of the documents with the context


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
        keyboard: str = "qwerty",
    ) -> None:
        self._lexicon, self._context = Lexicon(corpus, repository), Context(expander)
        self._costs = edit_costs(keyboard)

    def correct(self, query: str) -> Correction | None:
        """The query with words that have no evidence replaced; None if there is nothing to replace."""
        text = to_nfc(query)
        tokens = tokenize([text])
        spans = self._replaced(tokens.words())
        pieces, replacements, at = [], [], 0
        for first, last, used in spans:
            begin, end = int(tokens.begin[first]), int(tokens.begin[last] + tokens.length[last])
            pieces += [text[at:begin], used]
            replacements.append(Replacement(text[begin:end], used))
            at = end
        return Correction("".join([*pieces, text[at:]]), tuple(replacements)) if spans else None

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
        candidates.sort(key=_score, reverse=True)
        if context:
            candidates = self._in_context(candidates, *context)
        if not candidates:
            return None
        best = max(candidates, key=_score)
        new_word = NEW_WORD + log(self._lexicon.unseen) - LETTER * len(word)
        all_words = sum(exp(_score(each) - _score(best)) for each in candidates)
        forms = sum(exp(_score(each) - _score(best)) for each in candidates if each.stem == best.stem)
        probable = forms / (all_words + exp(new_word - _score(best))) >= MIN_PROBABILITY
        return best.word if probable and best.word != word else None

    def _in_context(self, candidates: list[Candidate], documents: int, context: str) -> list[Candidate]:
        """The candidates with their share of the documents that have the rarest known word of the query."""
        first = candidates[:_CONTEXT_CANDIDATES]
        if not first:
            return candidates
        shared = self._context.together([f"{each.word} {context}" for each in first]).tolist()
        weighed = [
            replace(each, frequency=(each.frequency + _share(count, documents, each.frequency)) / 2)
            for each, count in zip(first, shared, strict=True)
        ]
        return weighed + candidates[_CONTEXT_CANDIDATES:]


def _score(candidate: Candidate) -> float:
    return log(candidate.frequency) - EDIT * candidate.cost


def _share(count: int, documents: int, frequency: float) -> float:
    """The share of the documents of the context that have a word, smoothed by its share of all documents."""
    return (count + _CONTEXT_PRIOR * frequency) / (documents + _CONTEXT_PRIOR)
