"""ASGI application: routers, middleware and lifespan of the service."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

from fastapi import Depends, FastAPI
from starlette.middleware.cors import CORSMiddleware

from querykin.server import api, error_handlers, health, login, openapi, pages, shard_api
from querykin.server.known_parameters import refuse_unknown_parameters
from querykin.server.metrics import MULTIPROCESS_DIR, Metrics
from querykin.server.middleware import AdmissionMiddleware, RequestMiddleware
from querykin.server.rate_limiter import RateLimiter
from querykin.server.request_limits import RequestLimits
from querykin.server.service import Service
from querykin.server.shard_router import ShardRouter
from querykin.settings_sections import ServerSettings
from querykin.version import __version__
from querykin.workspace import Workspace


def create_app(
    workspace: Workspace, settings: ServerSettings, shards: Sequence[Sequence[str]] = ()
) -> FastAPI:
    """Application over a workspace; a router if the URLs of shards are given."""
    app = FastAPI(
        title="querykin",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        dependencies=[Depends(refuse_unknown_parameters)],
        description="Similarity of short texts and related-query suggestions, with explanations.",
    )
    app.state.metrics = metrics = Metrics()
    app.state.service = Service(
        workspace, settings, ShardRouter(shards, settings, metrics) if shards else None
    )
    app.state.settings, app.state.request_limits = settings, RequestLimits(settings)
    app.openapi = partial(openapi.build_document, app, settings)  # type: ignore[method-assign]
    error_handlers.register(app)
    for router in (api.router, health.router, openapi.router, login.router, pages.router):
        app.include_router(router)
    if workspace.shard:
        app.include_router(shard_api.router)
    rate_limiter = RateLimiter(settings, os.environ.get(MULTIPROCESS_DIR))
    app.add_middleware(AdmissionMiddleware, settings=settings, rate_limiter=rate_limiter)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
    app.add_middleware(RequestMiddleware, settings=settings, metrics=app.state.metrics)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Warm up before the first request, watch the workspace, and finish pending work at shutdown."""
    service: Service = app.state.service
    await asyncio.to_thread(service.start)
    watcher = asyncio.create_task(service.watch())
    yield
    watcher.cancel()
    with suppress(asyncio.CancelledError):
        await watcher
    await asyncio.to_thread(service.close)
