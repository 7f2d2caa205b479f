"""Tokenization one character at a time: the reference for `text.tokenizer` and its word hashes.

Stems are those of English.
"""

import unicodedata
from typing import NamedTuple

import Stemmer

MAX_TOKEN_LENGTH = 64
PORTER = Stemmer.Stemmer("porter")
LINE_BREAKS = "\n\r\u2028\u2029"
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")
LIGATURES = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h"}
LIGATURES |= {"ı": "i", "ŋ": "n", "ŧ": "t", "ſ": "s", "ĳ": "ij", "ŀ": "l", "ĸ": "k", "ς": "σ", "ё": "е"}


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
    if character in "เแโใไເແໂໃໄ":
        return "leading vowel"
    if category[0] == "M" or character in "ะาำๅະາຳ":
        return "mark"
    if category in ("Lo", "Lm", "Nl") and unicodedata.name(folded, "").startswith(UNSPACED):
        return "unspaced"
    return "word"


def cluster_end(kinds: list[str], start: int) -> int:
    """The end of a cluster of at most 32 characters: leading vowels, a letter, marks."""
    pattern, end = ["leading vowel", "unspaced", "mark"], start
    for expected in pattern:
        while end - start < MAX_TOKEN_LENGTH // 2 and kinds[end] == expected:
            end += 1
            if expected == "unspaced":
                break
    return end


def tokenize(raw: str) -> list[Token]:
    text = unicodedata.normalize("NFC", raw)
    kinds = [kind(character) for character in text] + ["other"]
    tokens: list[Token] = []
    sentence_start, i, last_cluster = True, 0, None
    while i < len(text):
        if kinds[i] == "end" and (kinds[i + 1] != "word" or text[i] in LINE_BREAKS):
            sentence_start = True
        if kinds[i] not in ("word", "unspaced", "leading vowel"):
            i += 1
            continue
        end = i + 1
        if kinds[i] == "word":
            while end - i < MAX_TOKEN_LENGTH and (
                kinds[end] in ("word", "mark") or (kinds[end] == "apostrophe" and kinds[end + 1] == "word")
            ):
                end += 1
        else:
            end = cluster_end(kinds, i)
            if last_cluster is not None and last_cluster.start + last_cluster.length == i:
                start = last_cluster.start
                bigram = "".join(fold(character) for character in text[start:end])
                tokens.append(Token(bigram, start, end - start, False, False))
        word = "".join(fold(character) for character in text[i:end])
        capitalised = kinds[i] == "word" and unicodedata.category(text[i]) in ("Lu", "Lt")
        tokens.append(Token(word, i, end - i, capitalised, sentence_start))
        last_cluster = None if kinds[i] == "word" else tokens[-1]
        sentence_start, i = False, end
    return tokens


def words(text: str) -> list[str]:
    return [token.word for token in tokenize(text)]


def written(text: str) -> str:
    """The words of a text, with spaces where it has something between them, without bigrams."""
    joined, end = "", 0
    for token in tokenize(text):
        if token.start >= end:
            joined += " " * (joined != "" and token.start > end) + token.word
            end = token.start + token.length
    return joined


def without_diacritics(word: str) -> str:
    """Latin and Greek letters without marks, ligatures as two letters."""
    folded = ""
    for character in unicodedata.normalize("NFC", word):
        base = unicodedata.normalize("NFD", character)[0]
        latin = unicodedata.name(base, "").startswith(("LATIN", "GREEK"))
        simple = base if latin else character
        optional = any(a <= character <= b for a, b in (("\u0300", "\u036f"), ("֑", "ׇ"), ("ً", "ٟ")))
        folded += "" if optional or character in "\u0670\u0640" else LIGATURES.get(simple, simple)
    return folded or word


def stem(word: str) -> str:
    """Porter's stem without diacritics; words of two letters are their own."""
    bare = word.removesuffix("'s") or word
    stemmed = PORTER.stemWord(bare) if len(bare) > 2 else bare
    return unicodedata.normalize("NFC", without_diacritics(stemmed or bare)).strip("'") or word


def feature(word: str) -> int:
    """64-bit FNV-1a over code points, folded to 63 bits."""
    value = 14695981039346656037
    for character in word:
        value = ((value ^ ord(character)) * 1099511628211) % 2**64
    return (value ^ (value >> 31)) % 2**63
