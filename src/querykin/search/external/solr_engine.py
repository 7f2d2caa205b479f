"""Apache Solr, by its JSON request handler (https://solr.apache.org/guide/solr/latest/)."""

import json
from collections.abc import Sequence
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
    reports_frequencies = True
    words_together = 40  # in an address of at most 8 kB
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

    def fetch_frequencies(self, words: Sequence[str]) -> bytes:
        """Facets that count the documents with each word, by the analysis of the fields."""
        fields = f"{self.settings.title_field} {self.settings.text_field}"
        facets = {
            str(number): {"type": "query", "q": f"{{!dismax qf='{fields}' v=$w{number}}}"}
            for number in range(len(words))
        }
        given = {f"w{number}": word for number, word in enumerate(words)}
        parameters: dict[str, str | int] = {
            "q": "*:*",
            "rows": 0,
            "wt": "json",
            "json.facet": json.dumps(facets),
            **given,
        }
        return self._client.get(Request(f"{self.address}/select", parameters))

    def parse_frequencies(self, reply: Any) -> tuple[int, list[int]]:
        """The counts of the facets, which are numbered."""
        facets = reply["facets"]
        return facets["count"], [facets[str(number)]["count"] for number in range(len(facets) - 1)]

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
