"""Tokenization one character at a time: the reference for `text.tokenizer` and its word hashes."""

import unicodedata
from typing import NamedTuple

import Stemmer

MAX_TOKEN_LENGTH = 64
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
    """The class of a character; letters and digits are classified by what they fold to."""
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
    sentence_start, i = True, 0
    while i < len(text):
        if kinds[i] == "end" and (kinds[i + 1] != "word" or text[i] in LINE_BREAKS):
            sentence_start = True
        if kinds[i] not in ("word", "single"):
            i += 1
            continue
        end = i + 1
        if kinds[i] == "word":
            while end - i < MAX_TOKEN_LENGTH and (
                kinds[end] in ("word", "mark") or (kinds[end] == "apostrophe" and kinds[end + 1] == "word")
            ):
                end += 1
        word = "".join(fold(character) for character in text[i:end])
        capitalised = unicodedata.category(text[i]) in ("Lu", "Lt")
        tokens.append(Token(word, i, end - i, capitalised, sentence_start))
        sentence_start, i = False, end
    return tokens


def words(text: str) -> list[str]:
    return [token.word for token in tokenize(text)]


def stem(word: str) -> str:
    """Porter's stem; words of two letters, and words whose stem is not one token, are their own."""
    bare = word.removesuffix("'s") or word
    tokens = words(PORTER.stemWord(bare) if len(bare) > 2 else bare)
    return tokens[0] if len(tokens) == 1 else word


def feature(word: str) -> int:
    """64-bit FNV-1a over code points, folded to 63 bits."""
    value = 14695981039346656037
    for character in word:
        value = ((value ^ ord(character)) * 1099511628211) % 2**64
    return (value ^ (value >> 31)) % 2**63
