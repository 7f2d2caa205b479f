"""Shards in threads of the test's process, behind real sockets."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import uvicorn

from querykin import Workspace
from querykin.index.shard import Shard
from querykin.server.app import create_app
from querykin.settings_sections import ServerSettings


class ShardServer:
    """One shard that can be stopped and started again on its port."""

    def __init__(self, path: Path, name: str, **settings) -> None:
        self._path, self._shard = path, Shard.parse(name)
        self._settings = ServerSettings(**{"rate": 0.0, **settings})
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        sock = socket.create_server(("127.0.0.1", self._port))
        self._port = sock.getsockname()[1]
        self.app = create_app(Workspace.open(self._path).of_shard(self._shard), self._settings)
        config = uvicorn.Config(self.app, log_config=None, lifespan="on", ws="none")
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._server.run, args=([sock],), daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()


@contextmanager
def shard_servers(path: Path, count: int, **settings) -> Iterator[list[ShardServer]]:
    """All shards of a workspace."""
    servers = [ShardServer(path, f"{number}/{count}", **settings) for number in range(1, count + 1)]
    try:
        yield servers
    finally:
        for server in servers:
            server.stop()
