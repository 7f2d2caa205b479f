"""100,000 requests to all routes, valid and invalid, over several connections: memory stays flat, nothing fails.

Anonymous memory is measured after a fifth of the requests, when caches are full, and at the end. At smaller scales
than 1 the caches are not full by then, and the memory is printed only.
"""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from random import Random
from urllib.parse import quote, urlencode

from torture.figures import Figures
from torture.service import WORDS, Service, running_service

REQUESTS = 100_000
CONNECTIONS = 6
PER_CONNECTION = 200  # requests before a client connects again
MAX_GROWTH = 32 << 20  # bytes between the warm-up and the end
# The largest cache keeps the search results of 8,192 texts, some 60 MB: after fewer requests it still grows.
MIN_WARM_UP = 20_000
Request = tuple[str, str, str | None, str]  # method, path, body, content type


def run(scale: float, seed: int) -> Figures:
    """Send the requests in two rounds, and compare the memory after each."""
    figures, total = Figures(), max(2000, round(REQUESTS * scale))
    with running_service() as service:
        _round(service, figures, total // 5, seed)
        before = service.memory()
        _round(service, figures, total - total // 5, seed + 1)
        growth = service.memory() - before
        is_warm = total // 5 >= MIN_WARM_UP
        grown = f"{growth / 2**20:+.1f} MiB since the warm-up"
        outcome = "over limit" if is_warm and growth > MAX_GROWTH else grown
        figures.record(f"memory after {total} requests", outcome, grown)
        for line in service.errors():
            figures.record("log", "traceback", line[:500])
    return figures


def _round(service: Service, figures: Figures, number: int, seed: int) -> None:
    with ThreadPoolExecutor(CONNECTIONS) as clients:
        shares = [
            (service.port, len(range(n, number, CONNECTIONS)), seed * CONNECTIONS + n)
            for n in range(CONNECTIONS)
        ]
        for statuses in clients.map(lambda share: _client(*share), shares):
            for (request, status), count in statuses.items():
                outcome = "traceback" if status >= 500 else "crash" if not status else f"{status // 100}xx"
                for _ in range(count):
                    figures.record(request, outcome, f"status {status}")


def _client(port: int, number: int, seed: int) -> Counter[tuple[str, int]]:
    draw, statuses = Random(seed), Counter[tuple[str, int]]()
    drawn = requests(draw)
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    for count in range(1, number + 1):
        method, path, body, content_type = next(drawn)
        headers = {"Content-Type": content_type} if body is not None else {}
        if draw.random() < 0.3:
            headers["Accept"] = "text/html"
        try:
            connection.request(method, path, body.encode() if body is not None else None, headers)
            response = connection.getresponse()
            response.read()
            status = response.status
        except (OSError, HTTPException):
            status = 0
            connection.close()
        statuses[f"{method} {path.partition('?')[0]}", status] += 1
        if count % PER_CONNECTION == 0:
            connection.close()  # the next request connects again
    connection.close()
    return statuses


def requests(draw: Random) -> Iterator[Request]:
    """Requests without end: most of them valid, every text different."""
    json_type, form_type = "application/json", "application/x-www-form-urlencoded"
    while True:
        a, b = _text(draw), _text(draw)
        k = draw.choice([1, 3, 10, 10, 1000, 0, -1, "x", 10**30])
        measure = draw.choice(["hybrid", "jaccard", "web-kernel", "hybrid-static", "no such measure", a[:50]])
        pairs = {"pairs": [{"a": a, "b": b}], "measures": [measure]}
        judged = {"query": "rose", "candidate": f"c{draw.randrange(50)}", "rater": "Ann", "task": "soak"}
        job = f"/jobs/{quote(a[:30], safe='')}"
        choices: list[Request] = [
            ("GET", f"/v1/suggest?{urlencode({'q': a, 'k': k, 'measure': measure})}", None, ""),
            ("GET", f"/v1/suggest?{urlencode({'q': a, 'explain': 'true', 'filter': 'none'})}", None, ""),
            ("GET", f"/v1/search?{urlencode({'q': a})}", None, ""),
            ("GET", f"/v1/clusters?{urlencode({'list': a[:16]})}", None, ""),
            ("POST", "/v1/similarity", json.dumps(pairs), json_type),
            ("POST", "/v1/explain", json.dumps(pairs), json_type),
            ("POST", "/v1/match", json.dumps({"queries": [a, b], "k": k}), json_type),
            ("POST", "/v1/match", "{" + a, json_type),
            ("GET", f"/?{urlencode({'q': a, 'measure': measure, 'k': k})}", None, ""),
            ("GET", f"/search?{urlencode({'q': a, 'k': k})}", None, ""),
            ("GET", f"/compare?{urlencode({'a': a, 'b': b})}", None, ""),
            ("GET", f"/compare/why?{urlencode({'a': a, 'b': b, 'measure': measure})}", None, ""),
            ("GET", f"/suggestions.tsv?{urlencode({'q': a})}", None, ""),
            ("GET", f"/why?{urlencode({'a': a, 'b': b})}", None, ""),
            ("GET", f"/{quote(a, safe='')}", None, ""),
            ("GET", f"/?{quote(a, safe='')}=1", None, ""),
            (
                "GET",
                draw.choice(["/healthz", "/readyz", "/docs", "/openapi.json", "/static/pages.css"]),
                None,
                "",
            ),
            (
                "GET",
                draw.choice(["/judge", "/report", "/jobs", "/clusters", job, f"{job}/progress"]),
                None,
                "",
            ),
            ("GET", f"/judge/task?{urlencode({'name': draw.choice(['soak', a])})}", None, ""),
            ("GET", f"/report/run?{urlencode({'id': a})}", None, ""),
            ("POST", "/judge/rate", urlencode({**judged, "grade": draw.choice("01x")}), form_type),
            ("POST", "/v1/judgements", json.dumps({**judged, "grade": draw.randrange(3)}), json_type),
            ("DELETE", "/v1/suggest", None, ""),
            ("GET", "/metrics", None, ""),
        ]
        yield draw.choices(choices, [1] * (len(choices) - 4) + [0.2] * 4)[0]


def _text(draw: Random) -> str:
    """Words of the corpus, made-up ones, and now and then what is no text at all."""
    if draw.random() < 0.05:
        return draw.choice(
            ["", " ", "\0", "ß" * 500, "a" * 1001, "<b>&\"'", "日本語 テスト", "a\u202eb", "%s%n"]
        )
    return " ".join(
        draw.choice(WORDS) if draw.random() < 0.8 else f"w{draw.randrange(10**9)}"
        for _ in range(draw.randrange(1, 5))
    )
