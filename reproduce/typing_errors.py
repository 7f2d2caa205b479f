"""Made-up typing errors: letters exchanged, missed, added or hit beside the right key, and spaces."""

from collections.abc import Callable
from random import Random

from querykin.spelling.lexicon import Lexicon
from querykin.text.tokenizer import words

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_MIN_LENGTH = 4  # letters of a word with an error, and of what is typed for it


def beside(letter: str) -> str:
    """The keys around one.

    >>> beside("s")
    'weadzx'
    """
    row = next(number for number, keys in enumerate(_ROWS) if letter in keys)
    column = _ROWS[row].index(letter)
    near = (
        [keys[at] for at in range(max(0, column + low), min(len(keys), column + high))]
        for keys, low, high in (
            (_ROWS[row - 1] if row else "", 0, 2),
            (_ROWS[row], -1, 2),
            (_ROWS[row + 1] if row < 2 else "", -1, 1),
        )
    )
    return "".join(key for keys in near for key in keys if key != letter)


def _transposed(word: str, rng: Random) -> str:
    at = rng.randrange(len(word) - 1)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _neighbouring(word: str, rng: Random) -> str:
    at = rng.randrange(len(word))
    return word[:at] + rng.choice(beside(word[at])) + word[at + 1 :]


def _missed(word: str, rng: Random) -> str:
    at = rng.randrange(len(word))
    return word[:at] + word[at + 1 :]


def _added(word: str, rng: Random) -> str:
    at = rng.randrange(len(word))
    return word[:at] + rng.choice(beside(word[at]) + word[at]) + word[at:]


LETTERS: dict[str, Callable[[str, Random], str]] = {
    "two letters exchanged": _transposed,
    "a neighbouring key": _neighbouring,
    "a letter missed": _missed,
    "a letter added": _added,
}
SPACES = ("a space missed", "a space added")


def misspelt(query: str, kind: str, lexicon: Lexicon, rng: Random) -> str | None:
    """A query of known words with one error that leaves a word without evidence; None if it fails to."""
    parts = words(query)
    if not parts or not lexicon.document_frequencies(parts).all():
        return None
    long = [number for number, word in enumerate(parts) if len(word) >= _MIN_LENGTH and _plain(word)]
    if kind == "a space missed":
        pairs = [number for number in long if number + 1 in long]
        if not pairs:
            return None
        at = rng.choice(pairs)
        typed = [*parts[:at], parts[at] + parts[at + 1], *parts[at + 2 :]]
    elif not long:
        return None
    else:
        at = rng.choice(long)
        if kind == "a space added":
            cut = rng.randrange(2, len(parts[at]) - 1)
            replaced = [parts[at][:cut], parts[at][cut:]]
        else:
            replaced = [LETTERS[kind](parts[at], rng)]
        typed = [*parts[:at], *replaced, *parts[at + 1 :]]
    known = lexicon.document_frequencies(typed)
    return None if known.all() or len(typed[at]) < 2 else " ".join(typed)


def _plain(word: str) -> bool:
    return word.isascii() and word.isalpha()
