"""The search of a wiki: MediaWiki's API (https://www.mediawiki.org/wiki/API:Search)."""

from typing import Any

from querykin.errors import ServiceUnavailable
from querykin.search.engine import engines
from querykin.search.external.http_client import Request, TemporaryFailure
from querykin.search.external.http_engine import HttpEngine, plain_text, required_url
from querykin.types import Hit

_BUSY = ("ratelimited", "maxlag", "readonly", "search-error")


@engines.register("mediawiki")
class MediaWikiEngine(HttpEngine):
    """Asks a wiki, Wikipedia or one's own; `url` is its api.php."""

    page_size = 50  # the most that a client without an account gets at once
    max_pages = 4
    needs_all_words = True

    @property
    def address(self) -> str:
        """The api.php of the wiki."""
        return required_url(self.settings, "https://en.wikipedia.org/w/api.php")

    def request(self, query: str, page: int) -> Request:
        """A full-text search in the articles."""
        size = min(self.page_size, self.settings.results)
        parameters: dict[str, str | int] = {
            "action": "query",
            "list": "search",
            "srsearch": query,
            "srlimit": size,
            "sroffset": page * self.page_size,
            "srwhat": "text",  # the search of MediaWiki itself looks at titles only by default
            "srprop": "snippet",
            "srinfo": "",
            "format": "json",
            "formatversion": 2,
            "maxlag": 5,
        }
        return Request(self.address, parameters)

    def parse(self, reply: Any) -> list[Hit]:
        """Pages with their snippets; links are by page number, which any wiki answers."""
        if error := reply.get("error"):
            kind = TemporaryFailure if error.get("code") in _BUSY else ServiceUnavailable
            raise kind(f"{self} answered {error.get('code')}: {error.get('info')}")
        base = self.address.removesuffix("api.php")
        return [
            Hit(
                str(each["pageid"]),
                plain_text(each["title"]),
                plain_text(each["snippet"]),
                f"{base}index.php?curid={each['pageid']}",
                1.0,
            )
            for each in reply.get("query", {}).get("search", ())
        ]
