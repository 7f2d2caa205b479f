"""Common words of a language, for lists of keywords that no corpus knows the words of."""

from functools import cache


@cache
def common_words(language: str) -> frozenset[str]:
    """Correctly spelled words of a language given by its code; none for a language without a word list.

    The lists are those of pyspellchecker, about 100,000 words each.

    >>> "keyboard" in common_words("en"), "keybord" in common_words("en"), common_words("ja")
    (True, False, frozenset())
    """
    from spellchecker import SpellChecker  # reads a list of several megabytes

    if language not in SpellChecker.languages():
        return frozenset()
    return frozenset(SpellChecker(language=language).word_frequency.words())
