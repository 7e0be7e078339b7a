"""New connections to PostgreSQL: which server they lead to, their settings and their deadlines."""

import asyncio
import contextlib
import socket
from datetime import date
from typing import Any
from urllib.parse import urlsplit

import asyncpg
from asyncpg.connect_utils import SessionAttribute
from msgspec import Struct

CONNECT_SECONDS = 3.0  # for each server of the address
LONG_SECONDS = 600.0  # for statements that are known to take long
LOCK_MILLISECONDS = 500  # that a statement waits for a lock before its write is put back
IDLE_MILLISECONDS = 60_000  # that a transaction may be idle, as when its process was stopped
_FIRST_DAY = date(2000, 1, 1).toordinal()  # day 0 of PostgreSQL

Settings = dict[str, str]


# Errors of a server that cannot be used; InternalClientError: a standby, or shutting down
REFUSALS = OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError


class Limits(Struct, frozen=True, kw_only=True):
    """How many seconds a statement may take.

    statement: one of a request; aside: one of a page that may take longer; lock: how long a write
    waits for other writes to what it changes.
    """

    statement: float = 5.0
    aside: float = 20.0
    lock: float = 10.0


SESSION = {"jit": "off", "random_page_cost": "1.1", "datestyle": "ISO"}
# A reader refuses writes, even outside a transaction, and uses indexes: a plan made while a
# table is empty, as `subscription_change` mostly is, would scan it
READER = {
    "default_transaction_read_only": "on",
    "enable_seqscan": "off",
    # one plan for all values: planning a page takes as long as reading it
    "plan_cache_mode": "force_generic_plan",
}
WRITER = {"lock_timeout": str(LOCK_MILLISECONDS)}

KEEPALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 2}  # seconds, seconds, probes


class Server:
    """The PostgreSQL server of an address; of several, the one that is the primary.

    settings: of each session, besides the common ones.
    """

    def __init__(self, url: str, limits: Limits, settings: Settings) -> None:
        self._urls, self._limits = _each_server(url), limits
        self._settings = {**SESSION, **_deadlines(limits), **settings}

    async def connect(self) -> Any:
        """A new connection. Raises: errors of asyncpg and of the network."""
        reason: Exception | None = None
        for url in list(self._urls):
            try:
                connection = await self._connect(url)
            except REFUSALS as refusal:
                reason = reason or refusal
            else:
                self._urls.remove(url)
                self._urls.insert(0, url)  # the first to be tried next time
                return connection
        assert reason is not None
        raise reason

    async def _connect(self, url: str) -> Any:
        async with asyncio.timeout(CONNECT_SECONDS):
            connection = await asyncpg.connect(
                url,
                command_timeout=self._limits.statement,
                server_settings=self._settings,
                # a standby has old data; our readers do not count as `read-write`
                target_session_attrs=SessionAttribute.primary,
            )
            try:
                _watch(connection, self._limits)
                await _take_days_literally(connection)
            except BaseException:
                connection.terminate()
                raise
        return connection


def _each_server(url: str) -> list[str]:
    """An address for each of the servers that an address names.

    They are tried one by one, so that each has a deadline of its own.
    """
    netloc = urlsplit(url).netloc
    user, at, servers = netloc.rpartition("@")
    return [url.replace(netloc, f"{user}{at}{server}", 1) for server in servers.split(",")]


def _deadlines(limits: Limits) -> Settings:
    """Deadlines that the server enforces itself, also if it has lost contact with us."""
    milliseconds = int(limits.statement * 1000)
    return {
        # a little earlier than our own deadline, so that the connection can be reused
        "statement_timeout": str(milliseconds * 9 // 10),
        "idle_in_transaction_session_timeout": str(IDLE_MILLISECONDS),
        "tcp_keepalives_idle": str(KEEPALIVE["TCP_KEEPIDLE"]),
        "tcp_keepalives_interval": str(KEEPALIVE["TCP_KEEPINTVL"]),
        "tcp_keepalives_count": str(KEEPALIVE["TCP_KEEPCNT"]),
        "tcp_user_timeout": str(milliseconds),
    }


def _watch(connection: Any, limits: Limits) -> None:
    """Let the operating system end a connection whose other end does not answer."""
    wanted = {**KEEPALIVE, "TCP_USER_TIMEOUT": int(limits.statement * 1000)}
    # macOS lacks some
    options = [(getattr(socket, name), wanted[name]) for name in wanted if hasattr(socket, name)]
    line = connection._transport.get_extra_info("socket")
    with contextlib.suppress(OSError):  # a Unix socket has no such options
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in options:
            line.setsockopt(socket.IPPROTO_TCP, option, value)


async def _take_days_literally(connection: Any) -> None:
    """Write the calendar's last day as it is; by default the driver makes it `infinity`."""
    await connection.set_type_codec(
        "date",
        schema="pg_catalog",
        encoder=lambda day: (day.toordinal() - _FIRST_DAY).to_bytes(4, "big", signed=True),
        decoder=lambda data: date.fromordinal(
            int.from_bytes(data, "big", signed=True) + _FIRST_DAY
        ),
        format="binary",
    )
