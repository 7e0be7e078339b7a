"""How long to wait after failed sign-ins: longer each time, up to a limit. decision 0032."""

from datetime import datetime, timedelta

from msgspec import Struct


class Throttle(Struct, frozen=True):
    """A limit. free: failures without a wait. step: the first wait. cap: the longest wait."""

    free: int
    cap: timedelta
    step: timedelta = timedelta(seconds=1)

    def wait(self, failures: int, failed_at: datetime, now: datetime) -> timedelta:
        """The wait from now on: the step, doubled with each failure after the free ones.

        failed_at may be in the future if the clock was set back; this never makes a wait longer.
        """
        if failures < self.free:
            return timedelta()
        doublings: int = min(failures - self.free, 30)
        span = min(self.step * (1 << doublings), self.cap)
        return min(failed_at + span - now, span)


# All failures from one network, for any user. Many people may share a network.
BY_NETWORK = Throttle(free=20, cap=timedelta(minutes=5))
# Failures for one user from one network: normally, and while the user is under attack.
BY_PAIR = Throttle(free=5, cap=timedelta(minutes=1))
BY_PAIR_UNDER_ATTACK = Throttle(free=2, cap=timedelta(hours=1), step=timedelta(seconds=15))
# Requests for a link to set a new password, from one network, and for one user
LINKS_BY_NETWORK = Throttle(free=10, cap=timedelta(hours=1), step=timedelta(seconds=15))
LINKS_BY_PERSON = Throttle(free=1, cap=timedelta(hours=6), step=timedelta(minutes=5))
ATTACK = 20  # failures for one user, from all networks, that make the stricter limit apply
BROWSER_FAILURES = 10  # in a user's known browsers, before they count as unknown

HALVED_EVERY = timedelta(hours=1)
FORGOTTEN_AFTER = timedelta(days=1)  # after this time, no failure counts


def failures_left(failures: int, since: timedelta) -> int:
    """How many failures still count: half of them for every hour since the last one."""
    return failures >> min(max(int(since / HALVED_EVERY), 0), 64)
