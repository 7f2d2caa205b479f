"""Block lists: words, queries and patterns that are never suggested."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property

from querykin.errors import InputError
from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.text.normalization import MAX_QUERY_LENGTH, normalize_query
from querykin.text.tokenizer import starts_cluster, words
from querykin.types import SkippedRecord

MAX_PATTERNS = 1000  # every candidate is matched against all of them
_CHARACTER_CLASS = re.compile(r"\[!?\]?[^]]*\]")

Stems = tuple[str, ...]  # of the words of an entry or a query, in their order


@dataclass(frozen=True)
class BlockList:
    """What is never suggested: `entries` are words and queries, `patterns` are globs over whole queries.

    An entry of one word blocks every query with a word of the same stem; in scripts without spaces between
    words, every query that contains it. An entry of several words blocks that query, whatever its case,
    punctuation, inflections and diacritics. In a pattern `*` matches any characters, `?` one, and `[abc]` one
    of these; case does not matter. Globs, unlike regular expressions, are matched in bounded time.

    >>> block_list = BlockList.of(["mower", "Garden hose"], ["cheap *"])
    >>> queries = "lawn mowers", "GARDEN-HOSES", "garden hose reel", "Cheap tea"
    >>> [block_list.blocks(query, words(query)) for query in queries]
    [True, True, False, True]
    """

    entries: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    analyzer: Analyzer = field(default=DEFAULT, compare=False)

    @classmethod
    def of(
        cls, entries: Iterable[str], patterns: Iterable[str] = (), analyzer: Analyzer = DEFAULT
    ) -> "BlockList":
        """The block list of these entries and patterns, each once; an InputError names what is invalid."""
        distinct: dict[Stems, str] = {}
        for entry in map(check_entry, entries):
            distinct.setdefault(_stems(_words(entry, analyzer), analyzer), entry)
        globs = tuple(dict.fromkeys(map(check_pattern, patterns)))
        if len(globs) > MAX_PATTERNS:
            raise InputError(f"a block list may have {MAX_PATTERNS:,} patterns, got {len(globs):,}")
        return cls(tuple(distinct.values()), globs, analyzer)

    def __len__(self) -> int:
        return len(self.entries) + len(self.patterns)

    def __or__(self, other: "BlockList") -> "BlockList":
        """What either of two lists blocks."""
        if not len(other):
            return self
        entries, patterns = (*self.entries, *other.entries), (*self.patterns, *other.patterns)
        return BlockList.of(entries, patterns, self.analyzer)

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
            self.analyzer,
        )

    def blocks(self, query: str, tokens: Sequence[str]) -> bool:
        """Whether a query, given with its tokens, must not be suggested."""
        if self.entries:
            for stems, blocked in zip(_all_stems(tokens, self.analyzer), self._blocked, strict=True):
                if stems in blocked or any((each,) in blocked for each in stems):
                    return True
        if self._unspaced:
            text = _run(tokens)
            if any(entry in text for entry in self._unspaced.values()):
                return True
        return self._glob is not None and self._glob.match(_folded(query)) is not None

    def kinds(self) -> list[tuple[str, str]]:
        """Every entry and pattern after its kind: word, query or pattern."""
        found = [
            ("word" if len(key) == 1 or entry in self._unspaced else "query", entry)
            for key, entry in self._keyed
        ]
        return found + [("pattern", pattern) for pattern in self.patterns]

    @cached_property
    def _keyed(self) -> list[tuple[Stems, str]]:
        return [(_stems(_words(entry, self.analyzer), self.analyzer), entry) for entry in self.entries]

    @cached_property
    def _keys(self) -> frozenset[Stems]:
        return frozenset(key for key, _ in self._keyed)

    @cached_property
    def _blocked(self) -> list[frozenset[Stems]]:
        """The stems of the entries, as `_all_stems` gives them."""
        stems = [_all_stems(_words(entry, self.analyzer), self.analyzer) for entry in self.entries]
        return [frozenset(column) for column in zip(*stems, strict=True)]

    @cached_property
    def _unspaced(self) -> dict[str, str]:
        """Entries that are a word of a script without spaces, and the clusters and bigrams of each."""
        found = {}
        for entry in self.entries if self.analyzer.bigrams else ():
            tokens = self.analyzer.tokenize([entry])
            if starts_cluster(tokens.codepoints).any() and " " not in tokens.joined()[0]:
                found[entry] = _run(tokens.words())
        return found

    @cached_property
    def _glob(self) -> re.Pattern[str] | None:
        return re.compile("|".join(map(translate, self.patterns))) if self.patterns else None


def _words(text: str, analyzer: Analyzer) -> Sequence[str]:
    return analyzer.tokenize([text]).words()


def _stems(tokens: Iterable[str], analyzer: Analyzer, language: int = 0) -> Stems:
    return tuple(analyzer.stem(token, language) for token in tokens)


def _all_stems(tokens: Sequence[str], analyzer: Analyzer) -> list[Stems]:
    """The stems in each language of the corpus, of the words as written and without diacritics.

    The stem of a word without its diacritics may be another one: French "cafetiere" and "cafetière".
    """
    written = tokens, [analyzer.fold(token) for token in tokens]
    languages = range(len(analyzer.languages))
    return [_stems(each, analyzer, language) for language in languages for each in written]


def _run(tokens: Iterable[str]) -> str:
    return f" {' '.join(tokens)} "


def _folded(text: str) -> str:
    return normalize_query(text).casefold()


def check_entry(given: str) -> str:
    """An entry in the form in which it is stored; one without a word, or too long, is an InputError."""
    entry = normalize_query(given)
    if len(entry) > MAX_QUERY_LENGTH or not words(entry):
        raise InputError(
            f"an entry of a block list is a word or a query of up to {MAX_QUERY_LENGTH:,} characters, "
            f"got {given.strip()[:80]!r}"
        )
    return entry


def check_pattern(given: str) -> str:
    """A pattern in the form in which it is stored; one that is not a glob is an InputError."""
    pattern = _folded(given)
    literal = _CHARACTER_CLASS.sub("", pattern)
    if len(pattern) > MAX_QUERY_LENGTH or "[" in literal:
        raise InputError(
            f"a pattern has up to {MAX_QUERY_LENGTH:,} characters and a ] for every [, got {pattern[:60]!r}; "
            "[[] matches a bracket"
        )
    if not literal.strip("*? "):
        raise InputError(
            f"a pattern needs a character besides wildcards, as in 'cheap *', got {given.strip()[:80]!r}"
        )
    return pattern


def read_entries(source: str, skipped: Callable[[SkippedRecord], None]) -> list[str]:
    """The words and queries of a file, one per line; '-' is standard input. Empty lines are ignored."""
    from querykin.io.lines import open_text

    entries = []
    for number, line in enumerate(open_text(source), start=1):
        if not line.strip():
            continue
        try:
            entries.append(check_entry(line))
        except InputError as error:
            skipped(SkippedRecord(source, number, str(error)))
    return entries
