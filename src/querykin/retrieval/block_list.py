"""Block lists: words, queries and patterns that are never suggested."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property

from querykin.errors import InputError
from querykin.io.lines import open_text
from querykin.text.normalization import MAX_QUERY_LENGTH, normalize_query
from querykin.text.stemming import stem
from querykin.text.tokenizer import words
from querykin.types import SkippedRecord

MAX_PATTERNS = 1000  # every candidate is matched against all of them
_CHARACTER_CLASS = re.compile(r"\[!?\]?[^]]*\]")

Stems = tuple[str, ...]  # of the words of an entry or a query, in their order


@dataclass(frozen=True)
class BlockList:
    """What is never suggested: `entries` are words and queries, `patterns` are globs over whole queries.

    An entry of one word blocks every query with a word of the same stem. An entry of several words blocks
    that query, whatever its case, punctuation and inflections. In a pattern `*` matches any characters, `?`
    one, and `[abc]` one of these; case does not matter. Globs, unlike regular expressions, are matched in
    bounded time.

    >>> block_list = BlockList.of(["mower", "Garden hose"], ["cheap *"])
    >>> queries = "lawn mowers", "GARDEN-HOSES", "garden hose reel", "Cheap tea"
    >>> [block_list.blocks(query, words(query)) for query in queries]
    [True, True, False, True]
    """

    entries: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[str], patterns: Iterable[str] = ()) -> "BlockList":
        """The block list of these entries and patterns, each once; an InputError names what is invalid."""
        distinct: dict[Stems, str] = {}
        for entry in map(check_entry, entries):
            distinct.setdefault(_stems(words(entry)), entry)
        globs = tuple(dict.fromkeys(map(check_pattern, patterns)))
        if len(globs) > MAX_PATTERNS:
            raise InputError(f"a block list may have {MAX_PATTERNS:,} patterns, got {len(globs):,}")
        return cls(tuple(distinct.values()), globs)

    def __len__(self) -> int:
        return len(self.entries) + len(self.patterns)

    def __or__(self, other: "BlockList") -> "BlockList":
        """What either of two lists blocks."""
        if not len(other):
            return self
        return BlockList.of((*self.entries, *other.entries), (*self.patterns, *other.patterns))

    def __sub__(self, other: "BlockList") -> "BlockList":
        """The list without the entries and patterns of another, all of which it must have."""
        unknown = [entry for key, entry in other._keyed if key not in self._keys]
        unknown += [pattern for pattern in other.patterns if pattern not in self.patterns]
        if unknown:
            raise InputError(
                f"{unknown[0]!r} is not in the block list; nothing was removed; next: querykin block list"
            )
        return BlockList(
            tuple(entry for key, entry in self._keyed if key not in other._keys),
            tuple(pattern for pattern in self.patterns if pattern not in other.patterns),
        )

    def blocks(self, query: str, tokens: Sequence[str]) -> bool:
        """Whether a query, given with its tokens, must not be suggested."""
        if self.entries:
            stems = _stems(tokens)
            if stems in self._keys or any((each,) in self._keys for each in stems):
                return True
        return self._glob is not None and self._glob.match(_folded(query)) is not None

    def kinds(self) -> list[tuple[str, str]]:
        """Every entry and pattern after its kind: word, query or pattern."""
        found = [("word" if len(key) == 1 else "query", entry) for key, entry in self._keyed]
        return found + [("pattern", pattern) for pattern in self.patterns]

    @cached_property
    def _keyed(self) -> list[tuple[Stems, str]]:
        return [(_stems(words(entry)), entry) for entry in self.entries]

    @cached_property
    def _keys(self) -> frozenset[Stems]:
        return frozenset(key for key, _ in self._keyed)

    @cached_property
    def _glob(self) -> re.Pattern[str] | None:
        return re.compile("|".join(map(translate, self.patterns))) if self.patterns else None


def _stems(tokens: Iterable[str]) -> Stems:
    return tuple(map(stem, tokens))


def _folded(text: str) -> str:
    return normalize_query(text).casefold()


def check_entry(given: str) -> str:
    """An entry in the form in which it is stored; one without a word, or too long, is an InputError."""
    entry = normalize_query(given)
    if len(entry) > MAX_QUERY_LENGTH or not words(entry):
        raise InputError(
            f"an entry of a block list is a word or a query of up to {MAX_QUERY_LENGTH:,} characters, "
            f"got {given[:80]!r}"
        )
    return entry


def check_pattern(given: str) -> str:
    """A pattern in the form in which it is stored; one that is not a glob is an InputError."""
    pattern = _folded(given)
    literal = _CHARACTER_CLASS.sub("", pattern)
    if len(pattern) > MAX_QUERY_LENGTH or "[" in literal:
        raise InputError(
            f"a pattern has up to {MAX_QUERY_LENGTH:,} characters, and a ] for every [, got {given[:80]!r}; "
            "[[] matches a bracket"
        )
    if not literal.strip("*? "):
        raise InputError(
            f"a pattern needs a character besides wildcards, as in 'cheap *', got {given[:80]!r}"
        )
    return pattern


def read_entries(source: str, skipped: Callable[[SkippedRecord], None]) -> list[str]:
    """The words and queries of a file, one per line; '-' is standard input. Empty lines are ignored."""
    entries = []
    for number, line in enumerate(open_text(source), start=1):
        if not line.strip():
            continue
        try:
            entries.append(check_entry(line))
        except InputError as error:
            skipped(SkippedRecord(source, number, str(error)))
    return entries
