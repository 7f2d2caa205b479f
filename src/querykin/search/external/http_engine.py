"""Search engines with an HTTP API that answers GET requests with JSON."""

from abc import abstractmethod
from functools import cached_property

from querykin.errors import InputError
from querykin.io.markup import strip_html
from querykin.progress import SILENT, Progress
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.addresses import parse_url
from querykin.search.external.external_engine import ExternalEngine
from querykin.search.external.http_client import HttpClient, Request
from querykin.search.external.reply_cache import ReplyCache


class HttpEngine(ExternalEngine):
    """An engine that is one request a page: a subclass gives the request and reads the reply."""

    def __init__(self, settings: EngineSettings, cache: ReplyCache, progress: Progress = SILENT) -> None:
        super().__init__(settings, cache, progress)
        parse_url(self.address)

    @property
    @abstractmethod
    def address(self) -> str:
        """The address that is asked."""

    def __str__(self) -> str:
        return f"{self.settings.kind} at {self.address}"

    @abstractmethod
    def request(self, query: str, page: int) -> Request:
        """The request for a page of results."""

    @cached_property
    def _client(self) -> HttpClient:
        return HttpClient(self.settings, self.budget, str(self))

    def fetch(self, query: str, page: int) -> bytes:
        """The body of the reply."""
        return self._client.get(self.request(query, page), check=self.read)


def required_url(settings: EngineSettings, example: str) -> str:
    """The address of an engine without a trailing slash; an error if there is none."""
    if not settings.url:
        raise InputError(f'the engine {settings.kind} needs its address: [engine] url = "{example}"')
    return settings.url.rstrip("/")


def plain_text(value: object) -> str:
    """The text of a value that may be missing, a list, or marked up.

    >>> plain_text("the <b>first</b>  man"), plain_text(None), plain_text(["one", "two"])
    ('the first man', '', 'one two')
    """
    if isinstance(value, list):
        return " ".join(map(plain_text, value))
    return " ".join(strip_html(str(value)).split()) if isinstance(value, str | int | float) else ""
