"""Thread-safe LRU cache of API responses."""

from collections.abc import Hashable
from threading import Lock
from typing import Any

from cachetools import LRUCache


class ResponseCache:
    """The most recently used responses; size 0 disables the cache.

    A cache belongs to one snapshot, so entries need no invalidation.

    >>> cache = ResponseCache(2)
    >>> for key in "abc":
    ...     cache.keep(key, key.upper())
    >>> cache.get("a"), cache.get("c")
    (None, 'C')
    """

    def __init__(self, size: int) -> None:
        self._entries: LRUCache[Hashable, Any] = LRUCache(size)
        self._lock = Lock()

    def get(self, key: Hashable) -> Any:
        """The cached response, now the most recently used one; None if there is none."""
        with self._lock:
            return self._entries.get(key)

    def keep(self, key: Hashable, response: Any) -> None:
        """Store a response; evicts the least recently used one from a full cache."""
        with self._lock:
            if self._entries.maxsize:  # LRUCache raises ValueError for any entry if its size is 0
                self._entries[key] = response
