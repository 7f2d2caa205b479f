"""The service as an ASGI application: the API, the pages, and what stands around them."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from querykin.server import api, login, openapi, pages, problems
from querykin.server import health as probes
from querykin.server.limits import Rates
from querykin.server.metrics import FOLDER, Metrics
from querykin.server.middleware import AdmissionMiddleware, RequestMiddleware
from querykin.server.schemas import Bounds
from querykin.server.service import Service
from querykin.settings import ServerSettings
from querykin.version import __version__
from querykin.workspace import Workspace


def create_app(workspace: Workspace, settings: ServerSettings) -> FastAPI:
    """The service over a workspace."""
    app = FastAPI(
        title="querykin",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=_living,
        description="Similarity of short texts and related queries, explained.",
    )
    app.state.service = Service(workspace, settings)
    app.state.settings, app.state.bounds, app.state.metrics = settings, Bounds(settings), Metrics()
    app.openapi = partial(openapi.describe, app, settings)  # type: ignore[method-assign]
    problems.register(app)
    for router in (api.router, probes.router, openapi.router, login.router, pages.router):
        app.include_router(router)
    app.add_middleware(AdmissionMiddleware, settings=settings, rates=Rates(settings, os.environ.get(FOLDER)))
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
async def _living(app: FastAPI) -> AsyncIterator[None]:
    """Warm before the first request, follow the workspace, finish what is under way."""
    service: Service = app.state.service
    await asyncio.to_thread(service.start)
    renewing = asyncio.create_task(service.watch())
    yield
    renewing.cancel()
    with suppress(asyncio.CancelledError):
        await renewing
    await asyncio.to_thread(service.close)
