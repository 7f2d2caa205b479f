"""An index of OpenSearch or Elasticsearch that others fill, searched as it is."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from querykin.corpus.corpus import Corpus
from querykin.opensearch.connection import Connection
from querykin.opensearch.settings import OpenSearchSettings
from querykin.progress import SILENT, Progress
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.addresses import parse_url, resolve
from querykin.search.external.external_engine import ExternalEngine
from querykin.search.external.http_client import Pace
from querykin.search.external.http_engine import plain_text
from querykin.search.external.reply_cache import ReplyCache
from querykin.types import Hit

_SNIPPETS, _SNIPPET_SIZE = 3, 300  # highlights of a document, and characters of each


class OpenSearchIndex(ExternalEngine):
    """Asks an index at the hosts of [opensearch], with its analysis; highlights are the snippets."""

    page_size = 200
    reports_frequencies = True
    reply_settings = ("kind", "url", "index", "results", "title_field", "text_field", "url_field")

    def __init__(
        self,
        settings: EngineSettings,
        opensearch: OpenSearchSettings,
        cache: ReplyCache,
        progress: Progress = SILENT,
    ) -> None:
        super().__init__(settings.model_copy(update={"url": ",".join(opensearch.hosts)}), cache, progress)
        opensearch.check_hosts()
        self._opensearch, self._pace = opensearch, Pace(settings.rate)

    @classmethod
    def for_settings(
        cls,
        corpus: Corpus,
        settings: EngineSettings,
        opensearch: OpenSearchSettings,
        folder: Path,
        progress: Progress = SILENT,
    ) -> "OpenSearchIndex":
        """The index that the settings name; replies are stored in the folder."""
        return cls(settings, opensearch, ReplyCache(folder), progress)

    def __str__(self) -> str:
        return f"the index {self.settings.index} at {self.settings.url}"

    @cached_property
    def _connection(self) -> Connection:
        connection = Connection(self._opensearch)
        for host in self._opensearch.hosts:
            resolve(parse_url(host, "hosts of [opensearch]"), self.settings.private_hosts)
        return connection

    def _search(self, body: dict[str, Any]) -> bytes:
        """The reply to a search; every attempt is counted and paced."""
        path = f"/{self.settings.index}/_search?allow_partial_search_results=false"
        reply = self._connection.request(
            "POST", path, body, retries=self.settings.retries, before=self._take_turn
        )
        return json.dumps(reply).encode()

    def _take_turn(self) -> None:
        self.budget.spend()
        self._pace.wait()

    def fetch(self, query: str, page: int) -> bytes:
        """A search in the fields of titles and texts, with highlights of the text."""
        settings = self.settings
        highlight = {
            "fragment_size": _SNIPPET_SIZE,
            "number_of_fragments": _SNIPPETS,
            "no_match_size": _SNIPPET_SIZE,  # of a document that matches in its title only
        }
        body = {
            "size": settings.results,
            "query": {"multi_match": {"query": query, "fields": [settings.title_field, settings.text_field]}},
            "_source": [settings.title_field, settings.url_field],
            "highlight": {"pre_tags": [""], "post_tags": [""], "fields": {settings.text_field: highlight}},
            "track_total_hits": False,
        }
        return self._search(body)

    def fetch_frequencies(self, words: Sequence[str]) -> bytes:
        """A search that counts the documents with each word, by the analysis of the fields."""
        fields = [self.settings.title_field, self.settings.text_field]
        filters = [{"multi_match": {"query": word, "fields": fields}} for word in words]
        body = {"size": 0, "track_total_hits": True, "aggs": {"words": {"filters": {"filters": filters}}}}
        return self._search(body)

    def parse_frequencies(self, reply: Any) -> tuple[int, list[int]]:
        """The counts of the buckets, which are in the order of the words."""
        buckets = reply["aggregations"]["words"]["buckets"]
        return reply["hits"]["total"]["value"], [each["doc_count"] for each in buckets]

    def parse(self, reply: Any) -> list[Hit]:
        """Documents by descending score."""
        settings = self.settings
        return [
            Hit(
                str(each["_id"]),
                plain_text(each["_source"].get(settings.title_field)),
                plain_text(each.get("highlight", {}).get(settings.text_field)),
                plain_text(each["_source"].get(settings.url_field)),
                float(each["_score"]),
            )
            for each in reply["hits"]["hits"]
        ]
