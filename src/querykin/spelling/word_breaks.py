"""Spaces that are missing or too many: "lawnmower" and "lawn mower", "TN2110" and "TN 2110"."""

from collections.abc import Iterator
from itertools import groupby

from querykin.spelling.context import Context
from querykin.spelling.edit_costs import MISSING
from querykin.spelling.lexicon import Candidate, Lexicon

MIN_PART = 3  # letters of each half: any two letters are a word of a large corpus
_MIN_JOINED = 4  # letters of a word joined from parts
_MAX_PARTS = 3  # words joined to one
_MAX_SPLITS = 4  # splits that are looked for in documents, the ones of frequent words first


def has_digit(word: str) -> bool:
    """Whether a word has a digit: a number, or a model number.

    >>> has_digit("tn2110"), has_digit("toner")
    (True, False)
    """
    return any(map(str.isdigit, word))


def runs(words: list[str]) -> Iterator[tuple[int, int]]:
    """The runs of adjacent words that may be one, the longest first.

    >>> list(runs(["a", "lawn", "mower"]))
    [(0, 3), (0, 2), (1, 3)]
    """
    for size in range(min(_MAX_PARTS, len(words)), 1, -1):
        for begin in range(len(words) - size + 1):
            if len("".join(words[begin : begin + size])) >= _MIN_JOINED:
                yield begin, begin + size


def splits(word: str) -> list[str]:
    """The ways to write a word as two, and a model number also as its letters and digits.

    >>> splits("bluetooth")
    ['blu etooth', 'blue tooth', 'bluet ooth', 'blueto oth']
    >>> splits("x50b"), splits("2026")
    (['x 50b', 'x50 b', 'x 50 b'], [])
    """
    least = 1 if has_digit(word) else MIN_PART
    cuts = [at for at in range(least, len(word) - least + 1) if not word[at - 1 : at + 1].isdigit()]
    found = [f"{word[:at]} {word[at:]}" for at in cuts if "'" not in word]
    if has_digit(word):
        pieces = ["".join(letters) for _, letters in groupby(word, str.isdigit)]
        found += [" ".join(pieces)] if len(pieces) > 2 else []
    return found


def is_one_word(parts: list[str], with_evidence: int, lexicon: Lexicon, context: Context) -> bool:
    """Whether the documents have adjacent words of a query as one word, and not as it was typed."""
    joined = "".join(parts)
    if not lexicon.document_frequencies([joined])[0]:
        return False
    if with_evidence < len(parts):
        return True
    # The letters and the digits of a model number occur elsewhere, too: they prove nothing apart.
    model_number = has_digit(joined) and not joined.isdigit()
    return model_number and not context.side_by_side([" ".join(parts)])[0]


def split_candidates(word: str, lexicon: Lexicon, context: Context) -> list[Candidate]:
    """The ways to write a word as known words that documents or past queries have side by side."""
    texts = splits(word)
    pieces = [text.split() for text in texts]
    frequencies = iter(lexicon.document_frequencies([piece for text in pieces for piece in text]).tolist())
    rarest = [min(next(frequencies) for _ in text) for text in pieces]
    known = sorted((-least, text) for least, text in zip(rarest, texts, strict=True) if least)
    chosen = [text for _, text in known[:_MAX_SPLITS]]
    counts = context.side_by_side(chosen).tolist() if chosen else []
    shares = [
        max(count / lexicon.documents, lexicon.asked_side_by_side(text))
        for text, count in zip(chosen, counts, strict=True)
    ]
    return [
        Candidate(text, share, MISSING, hash(text))
        for text, share in zip(chosen, shares, strict=True)
        if share
    ]
