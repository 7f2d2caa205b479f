"""Whether two words of one stem are forms of one word; stems also join "organ" and "organization"."""

from itertools import takewhile

# What may follow the common beginning of two English forms: box, boxes, boxed; city, cities. Words in -ing
# are others than those they come from, as often as not: bed and bedding, ocean fish and ocean fishing.
_ENGLISH = frozenset({"", "s", "es", "d", "ed"}), frozenset({"y", "ies", "ied"})
# Plurals that the stemmer does not join with the singular, and their genitives as queries have them.
_SINGULARS = {
    plural: singular
    for singular, plurals in {
        "man": "men mens", "woman": "women womens", "child": "children childrens", "foot": "feet",
        "tooth": "teeth", "goose": "geese", "mouse": "mice", "knife": "knives", "life": "lives",
        "wife": "wives", "half": "halves", "calf": "calves", "elf": "elves", "shelf": "shelves",
        "wolf": "wolves", "leaf": "leaves", "loaf": "loaves", "thief": "thieves", "scarf": "scarves",
        "hoof": "hooves", "pie": "pies", "tie": "ties", "die": "dies",
    }.items()
    for plural in plurals.split()
}  # fmt: skip
_MIN_BASE = 3  # letters that both begin with: "ios" is no plural of "io"
_MAX_SUFFIX = 3  # letters after the common beginning, in languages without a list of endings here


def base_form(word: str, language: str) -> str:
    """The singular of an irregular English plural; any other word as it is.

    >>> base_form("women's", "en"), base_form("pies", "en"), base_form("hoses", "en")
    ('woman', 'pie', 'hoses')
    """
    return _SINGULARS.get(word.removesuffix("'s"), word) if language == "en" else word


def are_forms_of_one_word(first: str, second: str, language: str) -> bool:
    """Whether two words that have the same stem differ in number, case or tense only.

    >>> are_forms_of_one_word("house", "houses", "en"), are_forms_of_one_word("organ", "organization", "en")
    (True, False)
    """
    first, second = base_form(first, language), base_form(second, language)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    endings = first[shared:], second[shared:]
    if shared < _MIN_BASE:
        return not any(endings)
    if language != "en":
        return max(map(len, endings)) <= _MAX_SUFFIX
    plain = [_undoubled(ending, first[shared - 1]) for ending in endings]
    return any(known.issuperset(plain) for known in _ENGLISH)


def _undoubled(ending: str, before: str) -> str:
    """An ending without the consonant that is doubled before it: stopped, buses and busses."""
    return ending[1:] if len(ending) > 2 and ending[0] == before else ending
