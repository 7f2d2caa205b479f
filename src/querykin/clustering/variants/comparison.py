"""In what a query differs from another one that has the same key; or that it is no variant after all."""

from collections import Counter
from enum import StrEnum

from querykin.clustering.variants.forms import Form
from querykin.clustering.variants.inflection import are_forms_of_one_word
from querykin.clustering.variants.listed_words import ListedWords


class Kind(StrEnum):
    """A kind of variation between two spellings of one query, in the order in which reasons name them."""

    REPEATED = "repeated"
    CASE = "case"
    PUNCTUATION = "punctuation"
    ACCENTS = "accents"
    SPACING = "spacing"
    WORD_ORDER = "word order"
    INFLECTION = "inflection"
    FUNCTION_WORDS = "function words"
    SPELLING = "spelling"


def differences(form: Form, other: Form, listed: ListedWords) -> set[Kind] | None:
    """The kinds of variation between two forms with the same key; None if they are different queries.

    >>> from querykin.clustering.variants.forms import form_of
    >>> from querykin.text.analyzer import Analyzer
    >>> listed = ListedWords(["garden hose", "hoses for garden"], [1, 1], Analyzer.of("en"))
    >>> first, second = (form_of(listed.of(number), (), listed) for number in range(2))
    >>> sorted(map(str, differences(first, second, listed)))
    ['function words', 'inflection', 'word order']
    """
    stems, others = ([listed.stems[word] for word in each.words] for each in (form, other))
    if sorted(stems) != sorted(others) or form.signs != other.signs:
        return None  # two keys that are equal by chance
    kinds = {Kind(change) for change in (*form.changes, *other.changes)}
    left_out, left_out_of_other = Counter(form.left_out), Counter(other.left_out)
    if left_out != left_out_of_other:
        if not (left_out <= left_out_of_other or left_out_of_other <= left_out):
            return None  # "drive in" and "drive by": a word was replaced
        kinds.add(Kind.FUNCTION_WORDS)
    if stems != others:
        if left_out and left_out == left_out_of_other:
            return None  # "history of music" and "music of history"
        kinds.add(Kind.WORD_ORDER)
    for first, second in zip(_by_stem(form, listed), _by_stem(other, listed), strict=True):
        if first != second:
            kind = _word_difference(listed.texts[first], listed.texts[second], listed)
            if kind is None:
                return None
            kinds.add(kind)
    if len(form.words) == 1 and {Kind.SPELLING, Kind.INFLECTION} <= kinds:
        return None  # "brewsters" and "browser": nothing else says that they are the same
    return kinds


def _by_stem(form: Form, listed: ListedWords) -> list[int]:
    return sorted(form.words, key=lambda word: (listed.stems[word], word))


def _word_difference(first: str, second: str, listed: ListedWords) -> Kind | None:
    plain = [listed.analyzer.fold(word).replace("'", "") for word in (first, second)]
    if plain[0] == plain[1]:
        return Kind.PUNCTUATION if first.replace("'", "") == second.replace("'", "") else Kind.ACCENTS
    language = listed.analyzer.languages[0].code
    return Kind.INFLECTION if are_forms_of_one_word(plain[0], plain[1], language) else None
