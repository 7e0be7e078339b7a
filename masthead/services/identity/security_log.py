"""The security log: lines about access for tools such as fail2ban (decision 0032).

Each line has the id of the request and the network address of the client. Passwords, keys, tokens
and what was entered as an email address are never logged.
"""

import time
from collections.abc import Callable

import structlog

from masthead.model.identity.ip_addresses import network_of

log = structlog.get_logger()

WINDOW_SECONDS = 60.0
PER_NETWORK = 10  # lines about refusals in one window from one network
PER_WORKER = 1_000  # and from all networks


class SecurityLog:
    """The security log of one worker, which limits the lines about refusals."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began_at = clock()
        self._lines: dict[str, int] = {}
        self._written = self._left_out = 0

    def access(self, event: str, *, request_id: str, address: str, **facts: object) -> None:
        """Log an action that was allowed."""
        log.info(event, request_id=request_id, address=address, **facts)

    def refusal(self, event: str, *, request_id: str, address: str, **facts: object) -> None:
        """Log a refusal."""
        self._begin_window()
        network = network_of(address)
        lines = self._lines.get(network, 0)
        if lines >= PER_NETWORK or self._written >= PER_WORKER:
            self._left_out += 1
            return
        self._lines[network] = lines + 1
        self._written += 1
        log.warning(event, request_id=request_id, address=address, **facts)

    def _begin_window(self) -> None:
        """Begin a new window if the current one is over, and log how many lines were left out."""
        moment = self._clock()
        if moment - self._began_at < WINDOW_SECONDS:
            return
        if self._left_out:
            log.warning("security log lines left out", count=self._left_out)
        self._began_at, self._lines = moment, {}
        self._written = self._left_out = 0
