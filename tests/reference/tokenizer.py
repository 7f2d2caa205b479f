"""Characters to tokens, one character at a time: proves `text._scan` and the hash behind its features."""

import unicodedata
from typing import NamedTuple

import Stemmer

LONGEST = 64
PORTER = Stemmer.Stemmer("porter")
LINE_BREAKS = "\n\r\u2028\u2029"


class Token(NamedTuple):
    word: str
    start: int
    length: int
    capitalised: bool
    sentence_start: bool


def fold(character: str) -> str:
    if character in "'’＇":
        return "'"
    folded = unicodedata.normalize("NFKC", character).lower()
    return folded if len(folded) == 1 else character.lower()[0]


def kind(character: str) -> str:
    """What a character is; letters and digits are judged by what they fold to."""
    if character in "'’＇":
        return "apostrophe"
    if character in ".!?…。！？" + LINE_BREAKS:
        return "end"
    if unicodedata.category(character)[0] not in "LMN":
        return "other"
    folded = fold(character)
    category = unicodedata.category(folded)
    if category[0] == "M":
        return "mark"
    if category == "Lo" and unicodedata.name(folded, "").startswith(("CJK", "HIRAGANA", "KATAKANA")):
        return "single"
    return "word"


def tokenize(raw: str) -> list[Token]:
    text = unicodedata.normalize("NFC", raw)
    kinds = [kind(character) for character in text] + ["other"]
    tokens: list[Token] = []
    fresh, i = True, 0
    while i < len(text):
        if kinds[i] == "end" and (kinds[i + 1] != "word" or text[i] in LINE_BREAKS):
            fresh = True
        if kinds[i] not in ("word", "single"):
            i += 1
            continue
        end = i + 1
        if kinds[i] == "word":
            while end - i < LONGEST and (
                kinds[end] in ("word", "mark") or (kinds[end] == "apostrophe" and kinds[end + 1] == "word")
            ):
                end += 1
        word = "".join(fold(character) for character in text[i:end])
        capitalised = unicodedata.category(text[i]) in ("Lu", "Lt")
        tokens.append(Token(word, i, end - i, capitalised, fresh))
        fresh, i = False, end
    return tokens


def words(text: str) -> list[str]:
    return [token.word for token in tokenize(text)]


def stem(word: str) -> str:
    """Porter's stem; two letters stay, and what is no word of its own after cutting stays too."""
    bare = word.removesuffix("'s") or word
    cut = words(PORTER.stemWord(bare) if len(bare) > 2 else bare)
    return cut[0] if len(cut) == 1 else word


def feature(word: str) -> int:
    """FNV-1a with 64 bits over code points, the top bit folded away."""
    value = 14695981039346656037
    for character in word:
        value = ((value ^ ord(character)) * 1099511628211) % 2**64
    return (value ^ (value >> 31)) % 2**63
