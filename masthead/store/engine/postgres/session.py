"""New connections to PostgreSQL: the choice of server, session settings and timeouts."""

import asyncio
import contextlib
import re
import socket
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg
from asyncpg.connect_utils import SessionAttribute
from msgspec import Struct

CONNECT_SECONDS = 3.0  # for each server of the address
LONG_SECONDS = 600.0  # for statements that are known to take long
LOCK_MILLISECONDS = 500  # that a statement waits for a lock before its write is retried
IDLE_MILLISECONDS = 60_000  # that a transaction may be idle, as when its process was stopped
PORT = "5432"  # of PostgreSQL, if a URL names none
_FIRST_DAY = date(2000, 1, 1).toordinal()  # day 0 of PostgreSQL

Settings = dict[str, str]

# Errors of a server that cannot be used; InternalClientError: a standby, or shutting down
REFUSALS = OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError


class Limits(Struct, frozen=True, kw_only=True):
    """Timeouts in seconds.

    statement: for a statement of a request; aside: for a statement of a page that may take longer;
    lock: for a write that waits for other writes to the same rows.
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
}
# One plan for all values: planning a page takes as long as reading it. Citus must see the account
# to plan a statement; the server tells whether it is there.
PLAN_ONCE = """
    SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
    WHERE to_regclass('pg_dist_partition') IS NULL
"""
# A GIN index lists new texts, and adds many of them together. With 16 MB, not 4, large imports take
# a twelfth less time, and a search that reads the list takes up to 6 ms longer. decision 0050
WRITER = {
    "lock_timeout": str(LOCK_MILLISECONDS),
    "gin_pending_list_limit": "16MB",
    "work_mem": "32MB",  # in which it sorts the list
}
# Citus: the nodes get what a transaction sets with SET LOCAL, such as its `lock_timeout`
SET_ON_ALL_NODES = """
    SELECT set_config('citus.propagate_set_commands', 'local', false)
    WHERE to_regclass('pg_dist_partition') IS NOT NULL
"""

# Into a table that on Citus only the coordinator has: if another node is away, masthead serves the
# accounts of the others. The row waits for no lock of a migration.
PROBE = (
    "INSERT INTO schema_support (version, oldest_user) VALUES ('probe', 'probe')",
    "DELETE FROM schema_support WHERE version = 'probe'",
)
BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# Long statements are planned for their values, and may scan a table
ASIDE = "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on"
STATEMENTS = 100  # that a connection keeps prepared; the server needs some 50 kB for each
KEEPALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 2}  # seconds, seconds, probes


def begin_read(limits: Limits, *, aside: bool, is_long: bool) -> tuple[str, float | None]:
    """The statement that begins a snapshot, and its seconds for a statement, if they differ."""
    if not aside and not is_long:
        return BEGIN_READ, None
    seconds = LONG_SECONDS if is_long else limits.aside
    return f"{BEGIN_READ}; {statement_timeout(seconds)}; {ASIDE}", seconds


def statement_timeout(seconds: float) -> str:
    """The statement that sets it: a little less than our own, so that the connection is kept."""
    return f"SET LOCAL statement_timeout = {int(seconds * 900)}"


class Server:
    """The PostgreSQL server of a URL; if it names several, the primary one.

    settings: for each session, in addition to the common ones. begin: a statement that each session
    starts with, if any. role: what the server must be; a standby has old data, and our readers do
    not count as `read-write`.
    """

    def __init__(
        self,
        url: str,
        limits: Limits,
        settings: Settings,
        begin: str = "",
        role: SessionAttribute = SessionAttribute.primary,
    ) -> None:
        self._urls, self._limits, self._begin = _each_server(url), limits, begin
        self._role = role
        self._settings = {**SESSION, **_timeouts(limits), **settings}

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
                statement_cache_size=STATEMENTS,
                server_settings=self._settings,
                target_session_attrs=self._role,
            )
            try:
                _enable_keepalive(connection, self._limits)
                await _set_date_codec(connection)
                if self._begin:
                    await connection.execute(self._begin)
            except BaseException:
                connection.terminate()
                raise
        return connection


def _each_server(url: str) -> list[str]:
    """A URL for each of the servers that a URL names.

    They are tried one by one, so that each has its own timeout.
    """
    netloc = urlsplit(url).netloc
    user, at, servers = netloc.rpartition("@")
    return [url.replace(netloc, f"{user}{at}{server}", 1) for server in servers.split(",")]


def name_servers(url: str) -> str:
    """The hosts and ports that a URL names, for messages; empty if it names none.

    Also empty if the URL may be misread: before a `/` in a password, its beginning looks like a
    port.
    """
    parts = urlsplit(url)
    if "@" in parts.path + parts.query + parts.fragment:
        return ""
    options = parse_qs(parts.query)
    (port,) = options.get("port", [PORT])[:1]
    hosts = parts.netloc.rpartition("@")[2] or options.get("host", [""])[0]
    has_port = re.compile("/|%2F|.*:[0-9]+$", re.IGNORECASE)  # or is the folder of a Unix socket
    named = filter(None, hosts.split(","))
    return ", ".join(host if has_port.match(host) else f"{host}:{port}" for host in named)


def _timeouts(limits: Limits) -> Settings:
    """Timeouts that the server enforces, even if it has lost contact with us."""
    milliseconds = int(limits.statement * 1000)
    return {
        # a little less than our own timeout, so that the connection can be reused
        "statement_timeout": str(milliseconds * 9 // 10),
        "idle_in_transaction_session_timeout": str(IDLE_MILLISECONDS),
        "tcp_keepalives_idle": str(KEEPALIVE["TCP_KEEPIDLE"]),
        "tcp_keepalives_interval": str(KEEPALIVE["TCP_KEEPINTVL"]),
        "tcp_keepalives_count": str(KEEPALIVE["TCP_KEEPCNT"]),
        "tcp_user_timeout": str(milliseconds),
    }


def _enable_keepalive(connection: Any, limits: Limits) -> None:
    """Let the operating system close a connection whose server does not answer."""
    wanted = {**KEEPALIVE, "TCP_USER_TIMEOUT": int(limits.statement * 1000)}
    # macOS lacks some
    options = [(getattr(socket, name), wanted[name]) for name in wanted if hasattr(socket, name)]
    transport = connection._transport.get_extra_info("socket")
    with contextlib.suppress(OSError):  # a Unix socket has no such options
        transport.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in options:
            transport.setsockopt(socket.IPPROTO_TCP, option, value)


async def _set_date_codec(connection: Any) -> None:
    """Send the last day of the calendar as it is; the driver's own codec sends `infinity`."""
    await connection.set_type_codec(
        "date",
        schema="pg_catalog",
        encoder=lambda day: (day.toordinal() - _FIRST_DAY).to_bytes(4, "big", signed=True),
        decoder=lambda data: date.fromordinal(
            int.from_bytes(data, "big", signed=True) + _FIRST_DAY
        ),
        format="binary",
    )
