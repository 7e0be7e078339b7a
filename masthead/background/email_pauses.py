"""When emails wait because the email server does not take them now."""

import time
from collections.abc import Iterator

from masthead.background.failures import Pauses
from masthead.mail import Phase, Progress, SendFailed
from masthead.store.background.outbox import QueuedEmail

FIRST_PAUSE, LONGEST_PAUSE = 60.0, 300.0  # seconds between attempts to reach the email server
SHORT_PAUSE = 10.0  # if it can be reached, but broke off
REFUSALS = 10  # recipients in a row, after which the other emails of an account wait


class ServerPause:
    """The time in which no email is tried, because the email server did not take the last one."""

    def __init__(self) -> None:
        self._until, self._seconds = 0.0, FIRST_PAUSE

    def is_on(self) -> bool:
        """Whether all emails wait."""
        return self._until > time.monotonic()

    def end(self) -> None:
        """Record that the email server answered."""
        self._until, self._seconds = 0.0, FIRST_PAUSE

    def begin(self, failure: SendFailed) -> float:
        """Let all emails wait; returns for how many seconds: longer each time if it is away."""
        seconds = SHORT_PAUSE
        if failure.is_away:
            seconds = self._seconds
            self._seconds = min(2 * seconds, LONGEST_PAUSE)
        self._until = time.monotonic() + seconds
        return seconds


class RefusalPauses:
    """The accounts whose emails the server refuses for now, to any recipient.

    Each of them waits as all emails do while the server is away, so that not every email is tried.
    Other accounts do not wait: the reason may be what the emails of this one contain.
    """

    def __init__(self) -> None:
        self._pauses = Pauses()
        self._recipients: dict[int, set[str]] = {}  # refused in a row, by account
        self._seconds: dict[int, float] = {}

    def __iter__(self) -> Iterator[int]:
        """The accounts that wait."""
        return iter(self._pauses)

    def __contains__(self, account_id: int) -> bool:
        """Whether the account waits."""
        return account_id in self._pauses

    def list_tested(self) -> set[int]:
        """The accounts of which one email is to be tried now."""
        return {id for id in self._seconds if id not in self._pauses}

    def record(self, email: QueuedEmail, failure: SendFailed | None, progress: Progress) -> float:
        """Record the outcome of an email; returns for how many seconds its account waits."""
        if failure is None or failure.is_final:
            self._recipients.pop(email.account_id, None)
            self._seconds.pop(email.account_id, None)
            return 0.0
        if not _is_refusal(email, failure, progress):
            return 0.0
        recipients = self._recipients.setdefault(email.account_id, set())
        recipients.add(email.recipient)
        if len(recipients) < REFUSALS:
            return 0.0
        seconds = self._seconds.get(email.account_id, FIRST_PAUSE)
        self._seconds[email.account_id] = min(2 * seconds, LONGEST_PAUSE)
        self._pauses.begin(email.account_id, seconds)
        return seconds


def _is_refusal(email: QueuedEmail, failure: SendFailed, progress: Progress) -> bool:
    """Whether the server refused an email that it will perhaps take later.

    The first refusal of a recipient does not count: many servers greylist them.
    """
    if not progress.has_begun or failure.is_general or failure.is_unknown:
        return False
    return progress.phase is Phase.TRANSFERRING or email.attempts > 0
