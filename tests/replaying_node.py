"""An HTTP server that replays replies of an OpenSearch 2.19.6 node, and records the requests."""

import json
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

INFO = {
    "name": "node-0",
    "version": {"distribution": "opensearch", "number": "2.19.6", "lucene_version": "9.12.3"},
    "tagline": "The OpenSearch Project: https://opensearch.org/",
}
MISSING_INDEX = {"type": "index_not_found_exception", "reason": "no such index [missing]"}
BUSY = {
    "type": "opensearch_rejected_execution_exception",
    "reason": "rejected execution of coordinating operation [coordinating_and_primary_bytes=0]",
}


def refused(status, error):
    return status, {"error": {"root_cause": [error], **error}, "status": status}


class Node:
    """The address of the server, its replies by request line, and the requests it received."""

    def __init__(self, url, replies):
        self.url, self.replies, self.requests = url, replies, []

    def reply(self, method, path, headers, body):
        self.requests.append((method, path.partition("?")[0], headers, body))
        reply = self.replies[f"{method} {path.partition('?')[0]}"]
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        return reply(body) if callable(reply) else reply


@contextmanager
def replaying_node(replies, certificate=None, content_type="application/json"):
    """Replies are (status, content), a list of them in order, or a function of the request's body."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, content = node.reply(self.command, self.path, dict(self.headers), body)
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):  # handshakes that the client breaks off
            pass

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        scheme = "https"
    node = Node(f"{scheme}://127.0.0.1:{server.server_port}", {"GET /": (200, INFO), **replies})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield node
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
