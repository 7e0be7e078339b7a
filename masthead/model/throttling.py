"""How long to wait after so many failures: longer and longer, but never for ever."""

import ipaddress
from datetime import datetime, timedelta

from msgspec import Struct


class Throttle(Struct, frozen=True):
    """free: failures without a wait; cap: the longest wait."""

    free: int
    cap: timedelta

    def wait(self, failures: int, failed_at: datetime, now: datetime) -> timedelta:
        """How long to wait from now on: 1, 2, 4 … seconds after the last failure.

        failed_at may lie ahead, if the clock was put back; nobody waits longer for that.
        """
        if failures < self.free:
            return timedelta()
        span = min(timedelta(seconds=2 ** min(failures - self.free, 30)), self.cap)
        return min(failed_at + span - now, span)


# Whoever guesses at one person from many networks keeps that person waiting for a minute at most;
# many people may share one address, so that has more for free.
BY_PERSON = Throttle(free=5, cap=timedelta(minutes=1))
BY_NETWORK = Throttle(free=20, cap=timedelta(minutes=15))
HALVED_EVERY = timedelta(hours=1)
FORGOTTEN_AFTER = timedelta(days=1)  # when nothing is left of any number


def failures_left(failures: int, since: timedelta) -> int:
    """What counts of so many failures, so long after the last: half of them for every hour."""
    return failures >> min(max(int(since / HALVED_EVERY), 0), 64)


def network_of(address: str) -> str:
    """Whom an address stands for: itself, or for IPv6 the network of 2^64 that a client has."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed), 64), strict=False))
    return str(parsed)
