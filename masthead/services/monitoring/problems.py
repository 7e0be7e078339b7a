"""Problems that need an operator, as sentences with their solution."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from masthead.services.monitoring.state import State

BACKGROUND = "background"
OVERDUE = timedelta(minutes=2)  # of a lease: a worker renews it every few seconds
LATE = timedelta(hours=1)  # of an email
UNVERIFIED = timedelta(days=8)  # since a verified backup was made: one is made each week or day
OWED = timedelta(days=21)  # since an issue was released whose copies are not all sent


def find_problems(state: State, moment: datetime) -> Iterator[str]:
    """The problems at a moment. The alert rules in `ops/` have the same limits."""
    lease = state.leases.get(BACKGROUND)
    if state.accounts and (lease is None or moment - lease > OVERDUE):
        yield "No worker does the background work. Start masthead, or look at its log."
    if state.daily_pass and moment.date() - state.daily_pass > timedelta(days=1):
        yield (
            f"The last daily pass was for {state.daily_pass}. The log says why; if the clock is "
            "right, run `masthead daily --confirm`."
        )
    if state.emails_waiting and state.emails_due_at and moment - state.emails_due_at > LATE:
        yield "Emails wait for more than an hour. Check the email server and `MASTHEAD_SMTP_HOST`."
    if state.emails_failed:
        yield f"{state.emails_failed} emails failed. Staff can send them again on the desk."
    if state.copies_owed and state.owed_since and moment.date() - state.owed_since > OWED:
        yield (
            f"{state.copies_owed} copies of released issues are not marked as sent; the first "
            f"issue was released on {state.owed_since}."
        )
    if state.verified_backup is None:
        yield "No backup was verified yet. Run `masthead backup --verify`."
    elif moment - state.verified_backup > UNVERIFIED:
        yield (
            f"The last verified backup is of {state.verified_backup:%Y-%m-%d}. Run `masthead "
            "backup --verify`, each day at best."
        )
    if state.failed_backup and (
        state.verified_backup is None or state.failed_backup > state.verified_backup
    ):
        yield (
            f"A backup failed or was found damaged on {state.failed_backup:%Y-%m-%d}, and no later "
            "one was verified. Run `masthead backup --verify`; it says why."
        )
