"""Brave Search, a web search engine, by its API (https://api-dashboard.search.brave.com/app/documentation)."""

from typing import Any

from querykin.search.engine import engines
from querykin.search.external.http_client import Request
from querykin.search.external.http_engine import HttpEngine, plain_text
from querykin.search.external.keys import require_key
from querykin.types import Hit

_ADDRESS = "https://api.search.brave.com/res/v1/web/search"


@engines.register("brave")
class BraveEngine(HttpEngine):
    """Asks Brave Search with the key of a subscription."""

    page_size = 20  # the most that the API gives at once
    max_pages = 10

    @property
    def address(self) -> str:
        """That of the service, unless the settings name another."""
        return self.settings.url or _ADDRESS

    def request(self, query: str, page: int) -> Request:
        """A page of web results; pages are counted from 0."""
        key = require_key(self.settings, "Brave Search")
        parameters: dict[str, str | int] = {
            "q": query,
            "count": self.page_size,
            "offset": page,
            "result_filter": "web",
        }
        return Request(
            self.address,
            parameters,
            {"x-subscription-token": key, "accept": "application/json"},
        )

    def parse(self, reply: Any) -> list[Hit]:
        """Web pages with their descriptions and further snippets."""
        if reply.get("type") != "search":
            raise ValueError(f"type {reply.get('type')!r}, not 'search'")
        return [
            Hit(
                each["url"],
                plain_text(each["title"]),
                plain_text([each.get("description"), *each.get("extra_snippets", ())]),
                each["url"],
                1.0,
            )
            for each in reply.get("web", {}).get("results", ())
        ]
