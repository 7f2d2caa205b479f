"""Running the service with uvicorn: one process, or a parent process and workers that share a socket."""

import logging
import os
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import parent_process
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir
from threading import Thread

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from querykin.errors import InputError, WorkspaceError
from querykin.index.shard import Shard
from querykin.server.auth import LOOPBACK_HOSTS
from querykin.server.connections import BACKLOG, Connections, FileLimit
from querykin.server.http_protocol import LimitedProtocol, TimeLimits
from querykin.server.json_logging import log_config
from querykin.server.metrics import MULTIPROCESS_DIR
from querykin.settings import Settings
from querykin.settings_sections import ServerSettings
from querykin.workspace import Workspace

_WORKER_TIMEOUT = 60  # seconds without a heartbeat after which a worker is replaced
_FOLDER_PREFIX = "querykin-workers-"
_log = logging.getLogger("querykin.server")


@dataclass(frozen=True)
class ListenAddress:
    """Host and port to listen on, and the number of worker processes."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1


def listen(address: ListenAddress) -> socket.socket:
    """Open the listening socket; InputError if the address is not available."""
    try:
        family, kind, protocol, _, socket_address = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(socket_address)
        sock.listen(BACKLOG)  # here, so that a second service on the port fails before it starts
    except OSError as error:
        where = f"{address.host}:{address.port}"
        raise InputError(
            f"cannot listen on {where}: {error.strerror}; choose another --port or --host"
        ) from None
    sock.set_inheritable(True)
    return sock


def run(
    workspace: Workspace,
    settings: ServerSettings,
    address: ListenAddress,
    sock: socket.socket,
    shards: Sequence[Sequence[str]] = (),
) -> None:
    """Serve until a signal stops the process; requests in progress are finished.

    With the URLs of shards, the service is their router.
    """
    from querykin.server.app import create_app

    if settings.hosts or address.host in LOOPBACK_HOSTS:
        settings = settings.model_copy(update={"hosts": (*settings.hosts, *LOOPBACK_HOSTS)})
    open_files = FileLimit.raised(settings.connections)
    connections = Connections(open_files.connections, settings.connections_per_client, settings.proxies)
    time_limits = TimeLimits(settings.header_timeout, settings.write_timeout)
    config = uvicorn.Config(
        partial(create_worker, str(workspace.path), workspace.settings, settings, workspace.shard, shards),
        factory=True,
        workers=address.workers,
        http=partial(LimitedProtocol, time_limits, connections),  # type: ignore[arg-type]
        backlog=open_files.backlog,
        log_config=log_config(),
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        proxy_headers=True,
        forwarded_allow_ips=list(settings.proxies),
        timeout_keep_alive=settings.keep_alive,
        timeout_graceful_shutdown=settings.shutdown,
        timeout_worker_healthcheck=_WORKER_TIMEOUT,
    )
    if open_files.connections < settings.connections:
        _log.warning(
            "fewer connections than set, because of the limit of open files (ulimit -Hn)",
            extra={"connections": open_files.connections, "wanted": settings.connections},
        )
    if address.workers == 1:
        config.app = partial(create_app, workspace, settings, shards)
        _run_single(config, sock)
    else:
        with _shared_folder():
            _run_workers(config, sock)


def create_worker(
    path: str,
    workspace_settings: Settings,
    settings: ServerSettings,
    shard: Shard | None,
    shards: Sequence[Sequence[str]],
) -> object:
    """Application of one worker process."""
    from querykin.server.app import create_app

    Thread(target=_stop_with_parent, daemon=True).start()
    workspace = Workspace.open(path, workspace_settings)
    return create_app(workspace.of_shard(shard) if shard else workspace, settings, shards)


def _stop_with_parent() -> None:
    """Stop this worker when its parent dies; otherwise it would keep the port open."""
    if parent := parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _run_single(config: uvicorn.Config, sock: socket.socket) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # uvicorn raises the signal again after its shutdown
    server = uvicorn.Server(config)
    server.run([sock])
    if not server.started:
        raise WorkspaceError("the service could not start; see the log above")


def _run_workers(config: uvicorn.Config, sock: socket.socket) -> None:
    supervisor = Multiprocess(config, [sock])
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise WorkspaceError("the workers could not start; see the log above")


@contextmanager
def _shared_folder() -> Iterator[None]:
    """Temporary folder for the metrics and the rate limits that workers share."""
    _remove_stale_folders()
    with TemporaryDirectory(prefix=f"{_FOLDER_PREFIX}{os.getpid()}-") as folder:
        os.environ[MULTIPROCESS_DIR] = folder
        try:
            yield
        finally:
            del os.environ[MULTIPROCESS_DIR]


def _remove_stale_folders() -> None:
    """Remove the folders of services that were killed."""
    for folder in Path(gettempdir()).glob(f"{_FOLDER_PREFIX}*-*"):
        try:
            os.kill(int(folder.name.removeprefix(_FOLDER_PREFIX).partition("-")[0]), 0)
        except ProcessLookupError:
            rmtree(folder, ignore_errors=True)
        except (OSError, ValueError):
            continue
