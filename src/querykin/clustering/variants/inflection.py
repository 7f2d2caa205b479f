"""Whether two words of one stem are forms of one word; stems also join "organ" and "organization"."""

from itertools import takewhile

# What may follow the common beginning of two English forms: box, boxes, boxed; city, cities. Words in -ing
# are others than those they come from, as often as not: bed and bedding, ocean fish and ocean fishing.
_ENGLISH = frozenset({"", "s", "es", "d", "ed"}), frozenset({"y", "ies", "ied"})
_MIN_BASE = 3  # letters that both begin with: "ios" is no plural of "io"
_MAX_SUFFIX = 3  # letters after the common beginning, in languages without a list of endings here


def are_forms_of_one_word(first: str, second: str, language: str) -> bool:
    """Whether two words that have the same stem differ in number, case or tense only.

    >>> are_forms_of_one_word("house", "houses", "en"), are_forms_of_one_word("organ", "organization", "en")
    (True, False)
    """
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    if shared < _MIN_BASE:
        return False
    endings = first[shared:], second[shared:]
    if language != "en":
        return max(map(len, endings)) <= _MAX_SUFFIX
    plain = [_undoubled(ending, first[shared - 1]) for ending in endings]
    return any(known.issuperset(plain) for known in _ENGLISH)


def _undoubled(ending: str, before: str) -> str:
    """An ending without the consonant that is doubled before it: stopped, buses and busses."""
    return ending[1:] if len(ending) > 2 and ending[0] == before else ending
