"""Create the ASGI application: the API, the pages and the background work."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any

from starlette.applications import Starlette
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import BaseRoute, Route

from masthead.api import health
from masthead.api.http.errors import method_not_allowed_response, path_not_found_response
from masthead.api.http.middleware import ApiMiddleware
from masthead.api.http.rate_limit import RateLimiter
from masthead.api.monitoring.metrics import Metrics, show_metrics
from masthead.api.monitoring.reports import RequestReports, name_endpoints
from masthead.api.openapi import docs
from masthead.api.router import Router
from masthead.api.routes import ROUTES
from masthead.background.worker import Background
from masthead.logs import configure_logging
from masthead.mail import Mailer
from masthead.metrics.memory import MEMORY
from masthead.model.emails import Site
from masthead.model.errors import Unavailable
from masthead.model.identity.ip_addresses import TrustedProxies
from masthead.services.identity.security_log import SecurityLog
from masthead.services.identity.server_secrets import get_secret
from masthead.services.key_usage import KeyUsage
from masthead.serving.connections import enforce_limit
from masthead.serving.requests import ActiveRequests
from masthead.serving.shared_times import MEMORY as LIMITS
from masthead.serving.worker import begin_worker, drain_on_sigterm
from masthead.settings import Settings, from_env
from masthead.store.engine.database import connect, require_version
from masthead.store.engine.interface import Database
from masthead.web.kit.client_request import WebDependencies
from masthead.web.kit.cookies import Cookies
from masthead.web.kit.rendering import warm_up
from masthead.web.routes import ROUTES as WEB_ROUTES, unknown_path_app

# Starlette expects its own Response class here, but only calls it; a JsonResponse can be called too
EXCEPTION_HANDLERS: Mapping[Any, Any] = {405: method_not_allowed_response}


def create_app(
    settings: Settings, *, background: bool = True, stop: Callable[[], None] | None = None
) -> Starlette:
    """The application. Its lifespan opens the database as `app.state.db`.

    background: whether to run the background work. stop: stops the server; SIGTERM first drains it.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        db = await connect(
            settings.database_url,
            seconds=settings.database_timeout,
            read_url=settings.database_read_url,
        )
        if tracing is not None:
            db = tracing.traced(db)
        usage = KeyUsage()
        try:
            await require_version(db)
            limit = RateLimiter(
                settings.rate_limit, settings.account_rate_limit, os.environ.get(LIMITS, "")
            )
            security_log = SecurityLog()
            proxies = TrustedProxies(settings.trusted_proxies)
            app.state.router = Router(
                ROUTES,
                db,
                usage,
                limit,
                Site(settings.public_url, settings.placeholder_domain),
                security_log,
                proxies,
                allow_private_webhooks=settings.webhook_allow_private,
            )
            app.state.web = await _web(db, settings, security_log, proxies)
            app.state.db, app.state.probe = db, health.DatabaseProbe(db)
            async with (
                _watching(metrics, db),
                _running(_background(db, usage, settings) if background else None),
                _meanwhile(app.state.web.uploads.watch(db)),
            ):
                if stop is not None:
                    drain_on_sigterm(active_requests.drain, stop)
                yield
            with suppress(Unavailable):  # if this fails, only the latest uses of API keys are lost
                await usage.flush(db)
        finally:
            await db.close()
            if tracing is not None:
                await tracing.stop()

    tracing = _load_traces().Tracing() if settings.traces else None
    active_requests = ActiveRequests(settings.max_connections)
    is_https = settings.public_url.startswith("https:")
    routes = [
        Route("/health", health.health),
        Route("/ready", health.ready),
        *docs.PATHS,
        *WEB_ROUTES,
    ]
    if settings.metrics_token:
        routes.insert(0, Route("/metrics", show_metrics))
    metrics = _metrics(settings, routes, active_requests)
    report = None
    if metrics or tracing or settings.access_log:
        report = RequestReports(
            name_endpoints(routes),
            metrics,
            is_logged=settings.access_log,
            describe=tracing and tracing.describe,
        ).report
    app = Starlette(routes=routes, lifespan=lifespan)
    # Without Starlette's `ServerErrorMiddleware`: ours answers each error, and outermost
    pages = ExceptionMiddleware(app.router, EXCEPTION_HANDLERS)
    app.middleware_stack = ApiMiddleware(pages, active_requests, is_https=is_https, report=report)
    if tracing is not None:
        traced = _load_traces().TracingMiddleware(app.middleware_stack, tracing)
        app.middleware_stack = traced
    app.state.active_requests, app.state.metrics = active_requests, metrics
    app.router.redirect_slashes = False
    app.router.default = unknown_path_app(path_not_found_response())
    return app


def _load_traces() -> Any:
    """The module with the traces. OpenTelemetry is an extra, and loads slowly."""
    return import_module("masthead.api.monitoring.traces")


def _metrics(
    settings: Settings, routes: Sequence[BaseRoute], active_requests: ActiveRequests
) -> Metrics | None:
    """The metrics of this worker, if there is a token for them."""
    if not settings.metrics_token:
        return None
    pages = name_endpoints(routes).values()
    operations = sorted({route.name for route in ROUTES} | set(pages))
    return Metrics(settings.metrics_token, operations, active_requests, os.environ.get(MEMORY, ""))


async def _web(
    db: Database, settings: Settings, security_log: SecurityLog, proxies: TrustedProxies
) -> WebDependencies:
    """The objects that all pages share."""
    is_secure = settings.public_url.startswith("https:")
    return WebDependencies(
        db=db,
        database_url=settings.database_url,
        cookies=Cookies(await get_secret(db), is_secure=is_secure),
        placeholder_domain=settings.placeholder_domain,
        public_url=settings.public_url,
        has_mail=bool(settings.smtp_host),
        trusted_proxies=proxies,
        security_log=security_log,
        allow_private_webhooks=settings.webhook_allow_private,
        subscriber_hosts=settings.hosts_of_subscribers,
    )


def _background(db: Database, usage: KeyUsage, settings: Settings) -> Background:
    mailer = None
    if settings.smtp_host:
        mailer = Mailer(
            host=settings.smtp_host,
            port=settings.smtp_port,
            security=settings.smtp_security,
            user=settings.smtp_user,
            password=settings.smtp_password,
        )
    return Background(
        db,
        usage,
        mailer=mailer,
        mail_from=settings.mail_from,
        database_url=settings.database_url,
        read_url=settings.database_read_url,
        site=Site(settings.public_url, settings.placeholder_domain),
        event_days=settings.event_days,
        allow_private_webhooks=settings.webhook_allow_private,
    )


@asynccontextmanager
async def _watching(metrics: Metrics | None, db: Database) -> AsyncIterator[None]:
    """Note the numbers of this worker during the block."""
    if metrics is None:
        yield
        return
    metrics.open(db)
    async with _meanwhile(metrics.watch()):
        yield


@asynccontextmanager
async def _meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine during the block."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def _running(background: Background | None) -> AsyncIterator[None]:
    """Run the background work during the block, and compile the templates."""
    if background is None:
        yield
        return
    async with _meanwhile(warm_up()), _meanwhile(background.run()):
        yield


def create_worker() -> Starlette:
    """The application of a worker of `masthead serve`, configured by its environment."""
    stop = begin_worker()
    settings = from_env()
    configure_logging(settings.log_level)
    app = create_app(settings, stop=stop)
    active_requests: ActiveRequests = app.state.active_requests
    enforce_limit(settings.max_connections, active_requests.peers, active_requests.peers_to_drop)
    return app
