"""Which known word was meant: the noisy channel of Kernighan, Church & Gale (1990).

Of the words w near a typed word t the best has the highest P(w) P(t | w). P(w) is a share of the documents or
past queries, P(t | w) falls exponentially with the cost of the edits. That t is a word the corpus does not
have is one more hypothesis: its probability is that of a new word (Good-Turing) times that of its letters. So
a long word may be further off than a short one, and a rare name stays as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from querykin.spelling.lexicon import Candidate


@dataclass(frozen=True, slots=True)
class NoisyChannel:
    """The probability of typing errors and of new words.

    The values were chosen on samples of a query log and of titles; `python -m reproduce.spelling` compares
    them with others and reports on the same sources, and on uqv100, which had no part in the choice.
    """

    edit: float = 6.0  # -log of the probability of an edit of cost 1
    letter: float = 1.0  # -log of the probability of a letter of a new word
    new_word: float = -2.0  # log of the odds, before its letters are seen, that a word is new
    min_probability: float = 0.7  # of a word that is used

    def score(self, candidate: Candidate) -> float:
        """The logarithm of P(w) P(t | w)."""
        return log(candidate.frequency) - self.edit * candidate.cost

    def meant(self, typed: str, candidates: Sequence[Candidate], unseen: float) -> str | None:
        """The candidate that was probably meant; None if the typed word is as likely right as it is.

        `unseen` is the probability of a new word. Forms of one word are one hypothesis.
        """
        if not candidates:
            return None
        best = max(candidates, key=self.score)
        highest = self.score(best)
        odds = [(exp(self.score(each) - highest), each.stem == best.stem) for each in candidates]
        new_word = exp(self.new_word + log(unseen) - self.letter * len(typed) - highest)
        probability = sum(odd for odd, same in odds if same) / (new_word + sum(odd for odd, _ in odds))
        return best.word if probability >= self.min_probability and best.word != typed else None
