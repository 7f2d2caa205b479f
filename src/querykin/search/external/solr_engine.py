"""Apache Solr, by its JSON request handler (https://solr.apache.org/guide/solr/latest/)."""

from typing import Any

from querykin.search.engine import engines
from querykin.search.external.http_client import Request
from querykin.search.external.http_engine import HttpEngine, plain_text, required_url
from querykin.types import Hit

_SNIPPETS, _SNIPPET_SIZE = 3, 300  # highlights of a document, and characters of each


@engines.register("solr")
class SolrEngine(HttpEngine):
    """Asks a collection of Solr, with its analysis; highlights are the snippets."""

    page_size = 200
    reply_settings = ("kind", "url", "results", "title_field", "text_field", "url_field")

    @property
    def address(self) -> str:
        """The collection."""
        return required_url(self.settings, "http://solr.example.com:8983/solr/pages")

    def request(self, query: str, page: int) -> Request:
        """A search in the fields of titles and texts, with highlights of the text."""
        settings = self.settings
        parameters: dict[str, str | int] = {
            "q": query,
            "defType": "dismax",
            "qf": f"{settings.title_field} {settings.text_field}",
            "fl": f"id,score,{settings.title_field},{settings.url_field}",
            "rows": settings.results,
            "wt": "json",
            "hl": "true",
            "hl.fl": settings.text_field,
            "hl.method": "unified",
            "hl.snippets": _SNIPPETS,
            "hl.fragsize": _SNIPPET_SIZE,
            "hl.defaultSummary": "true",  # of a document that matches in its title only
        }
        return Request(f"{self.address}/select", parameters)

    def parse(self, reply: Any) -> list[Hit]:
        """Documents by descending score."""
        highlights = reply.get("highlighting", {})
        return [
            Hit(
                str(each["id"]),
                plain_text(each.get(self.settings.title_field)),
                plain_text(highlights.get(str(each["id"]), {}).get(self.settings.text_field)),
                plain_text(each.get(self.settings.url_field)),
                float(each["score"]),
            )
            for each in reply["response"]["docs"]
        ]
