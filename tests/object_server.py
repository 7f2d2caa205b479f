"""An S3 server (moto) on a free port of this process, which records its requests."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from uuid import uuid4

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}


class _Silent(WSGIRequestHandler):
    def log(self, type, message, *args):
        pass


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    received: int  # bytes of the body
    sent: int
    status: int


@dataclass
class ObjectServer:
    """`before` and `after` are called with the method and path of each request.

    A status that they return is the answer, in place of the work or of its result.
    """

    requests: list[Request] = field(default_factory=list)
    before: Callable[[str, str], int | None] = lambda method, path: None
    after: Callable[[str, str], int | None] = lambda method, path: None
    url: str = ""

    def count(self, method: str, part: str = "") -> int:
        """The number of requests whose path contains a text."""
        return sum(each.method == method and part in each.path for each in self.requests)

    def create_bucket(self) -> str:
        """Create a bucket of a new name."""
        import boto3

        name = f"bucket-{uuid4().hex[:8]}"
        boto3.client("s3", endpoint_url=self.url).create_bucket(Bucket=name)
        return name

    def environment(self) -> dict[str, str]:
        """For other processes."""
        return {**os.environ, **CREDENTIALS, "AWS_ENDPOINT_URL": self.url}


@contextmanager
def running() -> Iterator[ObjectServer]:
    """Start the server, and stop it at the end of the block."""
    server = ObjectServer()
    moto = DomainDispatcherApplication(create_backend_app)

    def application(environ, start_response):
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        answer = ["", [("Content-Length", "0")]]

        def start(status, headers, *rest):
            answer[:] = [status, headers]

        status = server.before(method, path)
        body = [] if status else list(moto(environ, start))
        if status := status or server.after(method, path):
            answer, body = [f"{status} refused", [("Content-Length", "0")]], []
        received, sent = int(environ.get("CONTENT_LENGTH") or 0), sum(map(len, body))
        server.requests.append(Request(method, path, received, sent, int(answer[0].split()[0])))
        start_response(*answer)
        return body

    http = make_server("127.0.0.1", 0, application, threaded=True, request_handler=_Silent)
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
