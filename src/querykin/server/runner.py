"""How does it run? One process, or a parent and several workers that share a socket."""

import os
import signal
import socket
from collections.abc import Iterator
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
from querykin.server import json_logging as logs
from querykin.server.auth import LOCAL
from querykin.server.metrics import FOLDER
from querykin.settings import ServerSettings, Settings
from querykin.workspace import Workspace

_HUNG = 60  # seconds without a sign of life after which a worker is replaced
_FOLDER = "querykin-workers-"
_BACKLOG = 2048  # connections that wait to be accepted


@dataclass(frozen=True)
class Address:
    """Where the service listens, and by how many processes it answers."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1


def listen(address: Address) -> socket.socket:
    """Take the port, or say in one line why not."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind, protocol)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(place)
        taken.listen(_BACKLOG)  # now, so that a second service on this port fails here
    except OSError as error:
        where = f"{address.host}:{address.port}"
        raise InputError(
            f"cannot listen on {where}: {error.strerror}; choose another --port or --host"
        ) from None
    taken.set_inheritable(True)
    return taken


def run(workspace: Workspace, settings: ServerSettings, address: Address, taken: socket.socket) -> None:
    """Serve until a signal says stop; requests in flight are finished."""
    from querykin.server.app import create_app

    if settings.hosts or address.host in LOCAL:
        settings = settings.model_copy(update={"hosts": (*settings.hosts, *LOCAL)})
    factory = partial(create_worker, str(workspace.path), workspace.settings, settings)
    server = uvicorn.Config(
        factory,
        factory=True,
        workers=address.workers,
        backlog=_BACKLOG,
        log_config=logs.configuration(),
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        proxy_headers=True,
        forwarded_allow_ips=list(settings.proxies),
        timeout_graceful_shutdown=settings.shutdown,
        timeout_worker_healthcheck=_HUNG,
    )
    if address.workers == 1:
        server.app = partial(create_app, workspace, settings)
        _alone(server, taken)
    else:
        with _together():
            _several(server, taken)


def create_worker(path: str, workspace_settings: Settings, settings: ServerSettings) -> object:
    """The application of one worker process."""
    from querykin.server.app import create_app

    Thread(target=_end_with_parent, daemon=True).start()
    return create_app(Workspace.open(path, workspace_settings), settings)


def _end_with_parent() -> None:
    """A worker whose parent was killed would hold the port for ever."""
    if parent := parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _alone(server: uvicorn.Config, taken: socket.socket) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # uvicorn raises the signal again once all is finished
    running = uvicorn.Server(server)
    running.run([taken])
    if not running.started:
        raise WorkspaceError("the service could not start; the lines above say why")


def _several(server: uvicorn.Config, taken: socket.socket) -> None:
    parent = Multiprocess(server, [taken])
    parent.run()
    if any(process.exitcode == STARTUP_FAILURE for process in parent.processes):
        raise WorkspaceError("the workers could not start; the lines above say why")


def _sweep() -> None:
    """Take away the folders of services that were killed."""
    for folder in Path(gettempdir()).glob(f"{_FOLDER}*-*"):
        try:
            os.kill(int(folder.name.removeprefix(_FOLDER).partition("-")[0]), 0)
        except ProcessLookupError:
            rmtree(folder, ignore_errors=True)
        except (OSError, ValueError):
            continue


@contextmanager
def _together() -> Iterator[None]:
    """A fresh folder in which workers put their numbers together; gone when they are."""
    _sweep()
    with TemporaryDirectory(prefix=f"{_FOLDER}{os.getpid()}-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]
