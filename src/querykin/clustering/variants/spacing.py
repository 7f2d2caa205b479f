"""Adjacent words of a query that other queries of the list write as one."""

from collections.abc import Iterator, Sequence

from querykin.clustering.variants.listed_words import ListedWords
from querykin.spelling.word_breaks import runs

MAX_JOINS = 4  # of one query
MIN_LAST_PART = 3  # letters, unless the list has the very word


def joined_words(words: Sequence[int], query: str, listed: ListedWords) -> Iterator[list[int]]:
    """The words of a query with some adjacent ones joined, for each way that has a known word.

    >>> from querykin.text.analyzer import Analyzer
    >>> queries = ["wireless key boards", "keyboard"]
    >>> listed = ListedWords(queries, [1, 1], Analyzer.of("en"))
    >>> [[listed.texts[word] for word in words] for words in joined_words(listed.of(0), queries[0], listed)]
    [['wireless', 'keyboards']]
    """
    texts = [listed.texts[word] for word in words]
    places = [place for place in runs(texts) if _may_be_one(texts, place, words, query, listed)]
    joined = ((begin, end, "".join(texts[begin:end])) for begin, end in places)
    likely = [each for each in joined if listed.has_beginning(each[2])][:MAX_JOINS]
    stems = listed.stems_of([text for _, _, text in likely]) if likely else []
    for (begin, end, text), stem in zip(likely, stems, strict=True):
        if listed.has(text) or _is_form(stem, text, texts[end - 1], listed):
            yield [*words[:begin], listed.number(text, stem), *words[end:]]


def _is_form(stem: str, text: str, last_part: str, listed: ListedWords) -> bool:
    """Whether a joined word is a form of a listed one, not only by its last part: "color red" is no color."""
    reaches_last_part = len(stem) > len(text) - len(last_part)
    return listed.has_stem(stem) and reaches_last_part and len(last_part) >= MIN_LAST_PART


def _may_be_one(
    texts: Sequence[str], place: tuple[int, int], words: Sequence[int], query: str, listed: ListedWords
) -> bool:
    """Whether words may be parts of one: no digits side by side, and "the rapist" is no therapist."""
    begin, end = place
    if any(texts[at - 1][-1].isdigit() and texts[at][0].isdigit() for at in range(begin + 1, end)):
        return False
    if not listed.can_be_left_out[words[begin]]:
        return True
    return f"{texts[begin]}-{texts[begin + 1]}" in query.casefold()
