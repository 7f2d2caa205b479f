"""The response cache evicts the least recently used entry and is safe to share between threads."""

from concurrent.futures import ThreadPoolExecutor

from querykin.server.response_cache import ResponseCache


def test_a_stored_response_is_returned_and_others_are_none():
    cache = ResponseCache(2)
    cache.keep(("NASA", 5), {"covered": True})
    assert cache.get(("NASA", 5)) == {"covered": True}
    assert cache.get(("NASA", 6)) is None


def test_the_least_recently_used_entry_is_evicted():
    cache = ResponseCache(2)
    cache.keep("a", 1)
    cache.keep("b", 2)
    cache.get("a")
    cache.keep("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_size_zero_disables_the_cache():
    cache = ResponseCache(0)
    cache.keep("a", 1)
    assert cache.get("a") is None


def test_concurrent_threads_get_only_what_was_stored():
    cache = ResponseCache(10)

    def use(number):
        cache.keep(number % 30, number % 30)
        return all(cache.get(key) in (None, key) for key in range(30))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(2000)))
