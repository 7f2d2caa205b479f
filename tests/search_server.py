"""A search engine for tests: an HTTP server with MediaWiki's search API that can be slow, busy or hostile."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from topics import DOCUMENTS

Answer = tuple[int, bytes, dict[str, str]]


def mediawiki_reply(query: str, offset: int = 0, size: int = 50) -> bytes:
    """The documents of the test corpus that have a word of the query, as MediaWiki 1.39 answers."""
    words = query.lower().split()
    found = [
        {
            "ns": 0,
            "title": each.title,
            "pageid": number + 1,
            "snippet": each.text.replace(words[0], f'<span class="searchmatch">{words[0]}</span>')[:300],
        }
        for number, each in enumerate(DOCUMENTS)
        if any(word in f"{each.title} {each.text}".lower() for word in words)
    ]
    return json.dumps({"batchcomplete": True, "query": {"search": found[offset : offset + size]}}).encode()


class SearchServer:
    """The address of the server, what it was asked, and `answer`, which tests replace."""

    def __init__(self, url: str) -> None:
        self.url, self.requests = url, list[dict[str, str]]()
        self.headers = list[dict[str, str]]()
        self.answer: Callable[[dict[str, str]], Answer] = self.search

    @property
    def api(self) -> str:
        return f"{self.url}/api.php"

    @property
    def queries(self) -> list[str]:
        return [each.get("srsearch", "") for each in self.requests]

    @staticmethod
    def search(asked: dict[str, str]) -> Answer:
        reply = mediawiki_reply(asked["srsearch"], int(asked["sroffset"]), int(asked["srlimit"]))
        return 200, reply, {"content-type": "application/json"}


@contextmanager
def search_server() -> Iterator[SearchServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            server.requests.append(asked)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, body, headers = server.answer(asked)
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    server = SearchServer(f"http://localhost:{running.server_address[1]}")
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


def slowly(seconds: float, answer: Callable[[dict[str, str]], Answer]) -> Callable[[dict[str, str]], Answer]:
    """The same answer, later."""

    def later(asked: dict[str, str]) -> Answer:
        time.sleep(seconds)
        return answer(asked)

    return later
