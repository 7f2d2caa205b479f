"""Hostile HTTP requests, as raw bytes: whatever is sent, no response has status 500 and the log has no traceback.

Valid requests are changed in several ways: bytes flipped, deleted, repeated and inserted; odd methods, paths,
headers and encodings; JSON that is deep, huge, or no JSON; multipart bodies that are none.
"""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

from torture.figures import Figures
from torture.service import Service, running_service

REQUESTS = 50_000
CLIENTS = 6
TIMEOUT = 2.0  # seconds without an answer: the request was incomplete, and the server waits for the rest
PATHS = (
    "/", "/search", "/compare", "/compare/why", "/why", "/clusters", "/clusters/clusters.tsv", "/judge", "/judge/task",
    "/judge/export", "/judge/rate", "/report", "/report/run", "/jobs", "/jobs/x", "/model", "/login", "/docs",
    "/healthz", "/readyz", "/metrics", "/openapi.json", "/static/pages.css", "/suggestions.tsv", "/v1/suggest",
    "/v1/search", "/v1/clusters", "/v1/similarity", "/v1/explain", "/v1/match", "/v1/judgements", "/clusters/lists",
    "/clusters/move", "/judge/needs", "/judge/undo", "/judge/remove",
)  # fmt: skip
NAMES = (
    "q",
    "k",
    "a",
    "b",
    "measure",
    "threshold",
    "filter",
    "min_count",
    "list",
    "name",
    "task",
    "id",
    "page",
    "item",
)
OWN_NAMES = {  # parameters that a path has
    "/": ("q", "measure", "k", "threshold", "filter", "min_count", "min_probability", "exact", "versus"),
    "/suggestions.tsv": ("q", "measure", "k", "threshold", "filter", "min_count"),
    "/search": ("q", "k", "exact"),
    "/compare": ("a", "b", "sort"),
    "/compare/why": ("a", "b", "measure"),
    "/why": ("a", "b", "measure"),
    "/clusters": ("list", "measure", "threshold", "find", "page", "group", "moving"),
    "/clusters/clusters.tsv": ("list", "measure", "threshold"),
    "/judge/task": ("name",),
    "/judge/export": ("task", "form"),
    "/judge/rate": ("task", "rater", "after", "item"),
    "/report/run": ("id",),
    "/model": ("name",),
    "/login": ("next",),
    "/static/pages.css": ("v",),
    "/v1/suggest": ("q", "k", "measure", "threshold", "filter", "min_count", "min_probability", "explain"),
    "/v1/search": ("q", "k", "exact"),
    "/v1/clusters": ("list", "measure", "threshold", "k"),
}
TEXTS = (
    "", "rose", "rose garden", "\0", "%00", "%ff%fe", "%ED%A0%80", "../../etc/passwd", "..%2f..%2f", "' OR 1=1 --", "1e999",
    "NaN", "-1", "9" * 400, "9" * 5000, "0x10", "١٢", "<script>", "{{7*7}}", "%s%n", "\u202e", "a" * 1001, "é" * 900,
)  # fmt: skip
METHODS = (
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "PATCH",
    "TRACE",
    "CONNECT",
    "G\0T",
    "get",
    "X" * 300,
)
HEADERS = (
    "Accept: text/html", "Accept: */*", "Accept: \xff\xfe", "Cookie: querykin=" + "x" * 5000, "Cookie: a=b; ; =; \xff",
    "Authorization: Bearer \xff", "Origin: null", "Origin: http://[::1", "Host: [", "Host: a\\b", "Connection: upgrade",
    "Upgrade: websocket", "X-Forwarded-For: 1.2.3.4, \xff", "Forwarded: for=x", "Expect: 100-continue", "Range: bytes=0-",
    "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Content-Length: -1", "Content-Length: 9" + "9" * 30,
    "Content-Encoding: gzip", "If-None-Match: *", "Sec-Fetch-Site: cross-site", "Accept-Language: " + "a" * 3000,
    "Access-Control-Request-Method: POST", "X: " + "y" * 20_000,
)  # fmt: skip
TYPES = (
    "application/json", "application/json; charset=utf-16", "application/x-www-form-urlencoded", "text/plain", "",
    "multipart/form-data", "multipart/form-data; boundary=x", "multipart/form-data; boundary=\xff", "application/json;" * 50,
)  # fmt: skip
VALUES: tuple[object, ...] = (
    None, True, 0, -1, 1e308, 10**400, float("nan"), float("inf"), "", "\ud800", "\0", "a" * 2000, [], {}, [[]], {"a": 1},
)  # fmt: skip
BODIES = (
    b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe{", b"\xef\xbb\xbf{}", b"null", b"NaN", b'{"pairs":[],"pairs":[]}',
    b'{"queries": ["\\ud800"]}', b'{"queries": ["\\u0000"], "k": 1e400}', b"--x\r\n" * 5000, b"a=1&" * 5000, b"%" * 1000,
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="\xff\0.csv"\r\n\r\nq\n=1+1\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\nPK\x03\x04zip\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="pasted"\r\n\r\nrose\r\n--x\r\nContent-Disposition: form-data; name="measure"'
    b"\r\n\r\nhybrid\r\n--x--\r\n", b"\x1f\x8b" + b"\0" * 1000,
)  # fmt: skip


def run(scale: float, seed: int) -> Figures:
    """Send the requests, then read the log."""
    figures = Figures()
    total = max(200, round(REQUESTS * scale))
    with running_service() as service:
        with ThreadPoolExecutor(CLIENTS) as clients:
            for results in clients.map(
                lambda n: list(_attack(service, len(range(n, total, CLIENTS)), seed * CLIENTS + n)),
                range(CLIENTS),
            ):
                for attempt, status in results:
                    outcome = "traceback" if status >= 500 else f"{status // 100}xx" if status else "closed"
                    figures.record(attempt, outcome, f"status {status}")
        if service.process.poll() is not None:
            figures.record("the process", "crash", f"it ended with {service.process.returncode}")
        for line in service.errors():
            figures.record("log", "traceback", line[:500])
    return figures


def _attack(service: Service, number: int, seed: int) -> Iterator[tuple[str, int]]:
    draw = Random(seed)
    for _ in range(number):
        content = hostile_request(draw)
        status = _send(service.port, content)
        yield (repr(content[:300]) if status >= 500 else "request"), status


def _send(port: int, content: bytes) -> int:
    """The status of the first response; 0 if there is none."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        try:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)  # an incomplete request is at its end, too
            connection.settimeout(60)
            received = b""
            while len(received) < 12 and (data := connection.recv(4096)):
                received += data
        except OSError:
            return 0
    return int(received[9:12]) if received.startswith(b"HTTP/1.1 ") else 0


def hostile_request(draw: Random) -> bytes:
    """One request, of which at least something is wrong, most of the time."""
    path = draw.choice(PATHS)
    names = OWN_NAMES.get(path, NAMES) if draw.random() < 0.8 else NAMES
    chosen = draw.sample(names, draw.randrange(min(5, len(names) + 1)))
    fields = "&".join(f"{name}={draw.choice(TEXTS)}" for name in chosen)
    target = f"{path}?{fields}" if fields and draw.random() < 0.8 else path
    if draw.random() < 0.1:
        target = draw.choice(
            ["*", "//", "http://x/", "/" + "a/" * 4000, f"{path}/..;/", f"{path}%2f", "\0", path.upper()]
        )
    has_body = draw.random() < 0.5
    method = draw.choice(METHODS) if draw.random() < 0.2 else "POST" if has_body else "GET"
    headers = draw.sample(HEADERS, draw.choice([0, 0, 0, 0, 1, 1, 2, 4]))
    if draw.random() < 0.9:
        headers.insert(0, "Host: localhost")
    body = _body(draw, fields) if has_body else b""
    if has_body:
        headers += [f"Content-Type: {draw.choice(TYPES)}"]
        headers += (
            [f"Content-Length: {len(body) + draw.choice([0] * 12 + [-1, 5])}"] if draw.random() < 0.95 else []
        )
    end = draw.choice(["\r\n"] * 9 + ["\n"])
    head = f"{method} {target} HTTP/{draw.choice(['1.1'] * 8 + ['1.0', '2.0', '9'])}{end}" + end.join(
        [*headers, "", ""]
    )
    content = head.encode("utf-8" if draw.random() < 0.2 else "latin-1", "replace") + body
    return _mutated(content, draw) if draw.random() < 0.2 else content


def _body(draw: Random, fields: str) -> bytes:
    kind = draw.random()
    if kind < 0.3:
        return draw.choice(BODIES)
    if kind < 0.45:
        return fields.encode("utf-8", "replace")
    templates = (
        {"pairs": [{"a": "rose", "b": "tulip"}], "measures": ["jaccard"]},
        {"queries": ["rose", "moon"], "k": 3, "measure": "hybrid"},
        {
            "query": "rose",
            "candidate": "tulip",
            "grade": 1,
            "rater": "Ann",
            "task": "fuzz",
            "note": "n",
            "need": "d",
        },
    )
    content = json.loads(json.dumps(draw.choice(templates)))
    for _ in range(draw.randrange(3)):
        content[draw.choice([*content, "extra"])] = draw.choice(VALUES)
    return json.dumps(content).encode()


def _mutated(content: bytes, draw: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.randrange(1, 8)):
        position = draw.randrange(len(changed) + 1)
        kind = draw.randrange(4)
        if kind == 0 and position < len(changed):
            changed[position] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del changed[position : position + draw.randrange(1, 20)]
        elif kind == 2:
            changed[position:position] = changed[position : position + 50] * draw.randrange(1, 4)
        else:
            changed[position:position] = draw.randbytes(draw.randrange(1, 10))
    return bytes(changed)
