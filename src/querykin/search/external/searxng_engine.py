"""SearXNG, a metasearch engine, by its JSON (https://docs.searxng.org/dev/search_api.html)."""

from typing import Any

from querykin.search.engine import engines
from querykin.search.external.http_client import Request
from querykin.search.external.http_engine import HttpEngine, plain_text, required_url
from querykin.types import Hit


@engines.register("searxng")
class SearxngEngine(HttpEngine):
    """Asks a SearXNG instance; `json` must be one of the `formats` of its settings."""

    page_size = 1  # pages differ in size: only an empty one is the last
    max_pages = 10

    @property
    def address(self) -> str:
        """The start page of the instance."""
        return required_url(self.settings, "https://searx.example.org")

    def request(self, query: str, page: int) -> Request:
        """A page of the merged results; pages are counted from 1."""
        return Request(f"{self.address}/search", {"q": query, "format": "json", "pageno": page + 1})

    def parse(self, reply: Any) -> list[Hit]:
        """Results in the order of SearXNG; its scores do not always fall, so all are 1."""
        return [
            Hit(each["url"], plain_text(each["title"]), plain_text(each.get("content")), each["url"], 1.0)
            for each in reply["results"]
            if each.get("url")
        ]
