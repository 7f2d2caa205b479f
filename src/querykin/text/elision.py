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


def without_elision(word: str, language: str) -> str:
    """The part of a word that is stemmed.

    >>> without_elision("l'eau", "fr"), without_elision("dell'acqua", "it"), without_elision("women's", "en")
    ('eau', 'acqua', 'women')
    """
    if "'" not in word:
        return word
    before, _, after = word.partition("'")
    if before in _ELIDED.get(language, ()):
        return after
    if language in _WITH_S and len(word) > 2:
        return word.removesuffix("'s")
    return before if language in _WITH_SUFFIXES else word
