"""Search engines elsewhere: what they have in common, whatever they are asked for and answer."""

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.corpus.corpus import Corpus
from querykin.counted_nouns import counted
from querykin.errors import ServiceUnavailable
from querykin.io.characters import SUSPECT, sanitize_json
from querykin.opensearch.settings import OpenSearchSettings
from querykin.progress import SILENT, Progress
from querykin.search.engine import SearchEngine
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.budget import BudgetSpent, RequestBudget
from querykin.search.external.reply_cache import Reply, ReplyCache
from querykin.text.normalization import normalize_query
from querykin.types import Hit
from querykin.untrusted_json import InvalidJson, parse_json

_OPERATORS = re.compile(r'["()\[\]{}*?~:^\\/|<>!]|(?<!\S)[-+]+')  # of query languages; a text has none
_SHOWN = 3  # queries in a message
_MAX_DOCUMENTS = 10**12
_FREQUENCIES = -1  # the page under which document frequencies of words are stored
T = TypeVar("T")


def relaxations(query: str) -> list[str]:
    """The query with fewer and fewer of its words; the longest are kept, which are the rarest.

    Of an engine that needs all words this finds something for a text that no page has as a whole.

    >>> relaxations("how to fix a bicycle chain"), relaxations("nasa")
    (['how fix bicycle chain', 'bicycle chain', 'bicycle'], [])
    """
    words, found = query.split(), []
    longest = sorted(range(len(words)), key=lambda at: -len(words[at]))
    count = len(words) * 2 // 3
    while count:
        found.append(" ".join(words[at] for at in sorted(longest[:count])))
        count = count * 2 // 3
    return found


class ExternalEngine(SearchEngine):
    """An engine elsewhere. Replies are stored in the workspace, and asked for once.

    A subclass gives the reply for a page of results (`fetch`), reads it (`parse`), and names the settings
    that its replies depend on (`reply_settings`). A text is sent without the operators of query languages.
    """

    page_size: ClassVar[int]  # results of a full page: a smaller one is the last
    max_pages: ClassVar[int] = 1
    max_query: ClassVar[int] = 300  # characters
    needs_all_words: ClassVar[bool] = False  # whether a result has all words of a text, or is none
    words_together: ClassVar[int] = 256  # whose document frequencies are asked at once
    reply_settings: ClassVar[tuple[str, ...]] = ("kind", "url", "results")

    def __init__(self, settings: EngineSettings, cache: ReplyCache, progress: Progress = SILENT) -> None:
        self.settings, self.cache, self.progress = settings, cache, progress
        self.budget = RequestBudget(0 if settings.offline else settings.max_requests)
        self._reported = set[str]()  # queries without a stored reply, which are named once
        values = {name: getattr(settings, name) for name in self.reply_settings}
        self.description = " ".join(f"{name}={value}" for name, value in values.items())
        self.fingerprint = blake2b(self.description.encode(), digest_size=8).hexdigest()

    @classmethod
    def for_settings(
        cls,
        corpus: Corpus,
        settings: EngineSettings,
        opensearch: OpenSearchSettings,
        folder: Path,
        progress: Progress = SILENT,
    ) -> Self:
        """The engine that the settings name; its replies are stored in the folder."""
        return cls(settings, ReplyCache(folder), progress)

    def __str__(self) -> str:
        return f"{self.settings.kind} at {self.settings.url}"

    @abstractmethod
    def fetch(self, query: str, page: int) -> bytes:
        """The reply for a page of results, as JSON; every attempt takes a request of the budget."""

    @abstractmethod
    def parse(self, reply: Any) -> list[Hit]:
        """The hits of a reply, best first; a ServiceUnavailable if it is an error."""

    def search(self, query: str, limit: int) -> list[Hit]:
        """The best hits, from the stored reply if there is one."""
        return self.search_many([query], limit)[0]

    def search_many(self, queries: Sequence[str], limit: int) -> list[list[Hit]]:
        """The best hits of several queries; says before how many requests that may take."""
        asked = [self._as_asked(query) for query in queries]
        found = self._each(asked, self._hits)
        return [found[query][:limit] if query else [] for query in asked]

    def prefetch(self, queries: Sequence[str]) -> None:
        """Store the replies to queries."""
        self._each([self._as_asked(query) for query in queries], lambda query: bool(self._hits(query)))

    def _each(self, asked: Sequence[str], work: Callable[[str], T]) -> dict[str, T]:
        """The outcome for each query, several at the same time."""
        distinct = list(dict.fromkeys(filter(None, asked)))
        missing = [query for query in distinct if not self._is_answered(query)]
        if self.settings.offline:
            self._report_missing(missing, len(distinct))
        if self.settings.offline or not missing:
            return {query: work(query) for query in distinct}
        self._announce(missing, len(distinct))
        pool = ThreadPoolExecutor(self.settings.concurrency)
        with self.progress.task(f"asking {self.settings.kind}", len(distinct)) as advance:

            def one(query: str) -> T:
                found = work(query)
                advance(1)
                return found

            try:
                return dict(zip(distinct, pool.map(one, distinct), strict=True))
            except BudgetSpent as error:
                pool.shutdown(cancel_futures=True)  # what others still receive is stored, too
                stored = sum(map(self._is_answered, distinct))
                raise BudgetSpent(
                    f"{error}: {self} has answered {stored:,} of {counted(len(distinct), 'query')}, and the "
                    "replies are stored; next: run the command again, or with a larger --max-requests"
                ) from error
            finally:
                pool.shutdown(cancel_futures=True)

    def document_frequencies(self, words: Sequence[str]) -> tuple[int, Int64Array]:
        """The number of documents, and of those with each word; offline 0 for what is not stored."""
        documents, found = 0, [np.zeros(0, np.int64)]
        for begin in range(0, len(words), self.words_together):
            batch = words[begin : begin + self.words_together]
            found.append(np.zeros(len(batch), np.int64))
            if reported := self._reported_frequencies(batch):
                documents, found[-1][:] = max(documents, reported[0]), reported[1]
        return documents, np.concatenate(found)

    def _reported_frequencies(self, words: Sequence[str]) -> tuple[int, list[int]] | None:
        key = " ".join(words)

        def parse(reply: Any) -> tuple[int, list[int]]:
            return _checked_frequencies(*self.parse_frequencies(reply), len(words))

        if stored := self.cache.get(self.fingerprint, key, _FREQUENCIES):
            return self._parsed(stored.content, parse)
        if self.settings.offline:
            return None
        reply = self.fetch_frequencies(words)
        reported = self._parsed(reply, parse)
        self.cache.put(self.fingerprint, key, _FREQUENCIES, reply, self.description)
        return reported

    def fetch_frequencies(self, words: Sequence[str]) -> bytes:
        """The reply with the document frequencies of words, of an engine that reports them."""
        raise NotImplementedError

    def parse_frequencies(self, reply: Any) -> tuple[int, list[int]]:
        """The number of documents, and of those with each word."""
        raise NotImplementedError

    def info(self) -> dict[str, Any]:
        """The number of stored replies, and when the oldest was received."""
        replies, oldest = self.cache.info(self.fingerprint)
        return {"replies": replies, "oldest_reply": oldest}

    def missing(self, queries: Sequence[str]) -> list[str]:
        """The queries without a stored reply."""
        return [
            query for query in queries if (asked := self._as_asked(query)) and not self._is_answered(asked)
        ]

    def _as_asked(self, text: str) -> str:
        """The text as it is sent: its words, without operators, as far as the engine takes them."""
        words = " ".join(_OPERATORS.sub(" ", normalize_query(text).lower()).split())
        if len(words) <= self.max_query:
            return words
        return words[: self.max_query + 1].rpartition(" ")[0] or words[: self.max_query]

    def _announce(self, missing: Sequence[str], total: int) -> None:
        pages = min(self.max_pages, -(-self.settings.results // self.page_size))
        most = sum(pages + len(self._attempts(query)) - 1 for query in missing)
        stored = f", {total - len(missing):,} have stored replies" if total > len(missing) else ""
        words = " and those for document frequencies" if self.settings.frequencies == "engine" else ""
        self.progress.message(
            f"asking {self} for {counted(len(missing), 'query')}{stored}: up to "
            f"{counted(most, 'request')}{words}, and not more than {self.budget.left:,}"
        )

    def _report_missing(self, missing: Sequence[str], total: int) -> None:
        if not self._reported.issuperset(missing):
            self._reported.update(missing)
            shown = ", ".join(map(repr, missing[:_SHOWN])) + (", ..." if len(missing) > _SHOWN else "")
            self.progress.message(
                f"offline: no stored reply of {self} for {len(missing):,} of {counted(total, 'query')} "
                f"({shown}), which have no results"
            )

    def _stored(self, query: str, page: int) -> Reply | None:
        reply = self.cache.get(self.fingerprint, query, page)
        too_old = reply and 0 < self.settings.max_age < reply.age and not self.settings.offline
        return None if too_old else reply

    def _attempts(self, query: str) -> list[str]:
        """What is asked for a query, one after another, until there are results."""
        return [query, *relaxations(query)] if self.needs_all_words else [query]

    def _is_answered(self, query: str) -> bool:
        """Whether all is stored that is asked for a query."""
        for attempt in self._attempts(query):
            if (reply := self._stored(attempt, 0)) is None:
                return False
            if self.needs_all_words and self.read(reply.content):
                break
        return True

    def _hits(self, query: str) -> list[Hit]:
        found = (hits for attempt in self._attempts(query) if (hits := self._results(attempt)))
        return next(found, [])

    def _results(self, query: str) -> list[Hit]:
        found: dict[str, Hit] = {}
        for page in range(self.max_pages):
            hits = self._page(query, page)
            for hit in hits:
                found.setdefault(hit.document_id, hit)
            if len(hits) < self.page_size or len(found) >= self.settings.results:
                break
        return list(found.values())[: self.settings.results]

    def _page(self, query: str, page: int) -> list[Hit]:
        if stored := self._stored(query, page):
            return self.read(stored.content)
        if self.settings.offline:
            return []
        reply = self.fetch(query, page)
        hits = self.read(reply)  # before it is stored: errors are not
        self.cache.put(self.fingerprint, query, page, reply, self.description)
        return hits

    def read(self, reply: bytes) -> list[Hit]:
        """The hits of a reply; a ServiceUnavailable if it is none of this engine."""
        found = self._parsed(reply, lambda content: _checked_hits(self.parse(content)))
        return [hit for hit in found if hit.document_id]

    def _parsed(self, reply: bytes, parse: Callable[[Any], T]) -> T:
        try:
            content = parse_json(reply)
            return parse(sanitize_json(content, is_stored=True) if SUSPECT.search(reply) else content)
        except (InvalidJson, LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise ServiceUnavailable(
                f"{self} does not answer as expected ({type(error).__name__}: {str(error)[:100]}); next: "
                "correct kind and url of [engine]"
            ) from error


def _checked_hits(hits: list[Hit]) -> list[Hit]:
    """Hits of the types that they are declared with; a TypeError for others, which a server may send."""
    for hit in hits:
        if not all(isinstance(text, str) for text in (hit.document_id, hit.title, hit.snippet, hit.url)):
            raise TypeError("a result whose id, title or address is no text")
        if not math.isfinite(hit.score):
            raise ValueError(f"the score {hit.score}")
    return hits


def _checked_frequencies(documents: int, found: list[int], words: int) -> tuple[int, list[int]]:
    """Document frequencies of so many words; a ValueError for what cannot be that."""
    if len(found) != words or not all(
        type(count) is int and 0 <= count <= _MAX_DOCUMENTS for count in (documents, *found)
    ):
        raise ValueError("not a number of documents for each word")
    return documents, found
