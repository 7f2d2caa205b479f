"""Parts of a word on one side of an apostrophe that are not part of its stem: l'eau, women's, İstanbul'da."""

from collections.abc import Mapping

# What is elided before the apostrophe, as in Lucene's analyzers of these languages.
_ELIDED: Mapping[str, frozenset[str]] = {
    code: frozenset(articles.split())
    for code, articles in {
        "fr": "l m t qu n s j d c jusqu quoiqu lorsqu puisqu",
        "it": "c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d quest quell",
        "ca": "d l m n s t",
        "pt": "d",
        "eo": "l",
        "ga": "d m b",
    }.items()
}
# Languages whose genitive or plural may be an s after an apostrophe, and those with any suffix after one.
_WITH_S = frozenset({"en", "de", "nl", "da", "sv", "no"})
_WITH_SUFFIXES = frozenset({"tr"})


def without_article(word: str, language: str) -> str:
    """A word without an elided article or pronoun before it.

    >>> without_article("l'eau", "fr"), without_article("aujourd'hui", "fr")
    ('eau', "aujourd'hui")
    """
    before, apostrophe, after = word.partition("'")
    return after if apostrophe and before in _ELIDED.get(language, ()) else word


def without_elision(word: str, language: str) -> str:
    """The part of a word that is stemmed.

    >>> without_elision("dell'acqua", "it"), without_elision("women's", "en")
    ('acqua', 'women')
    """
    if "'" not in word:
        return word
    word = without_article(word, language)
    if language in _WITH_SUFFIXES:
        return word.partition("'")[0]
    return word.removesuffix("'s") if language in _WITH_S and len(word) > 2 else word
