"""The state of the work of all accounts, for `/metrics` and `masthead status`."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from msgspec import Struct

from masthead.services.background.read_model import BATCH
from masthead.store.background import leases, monitoring
from masthead.store.engine.citus.placement import count_nodes, measure_database
from masthead.store.engine.interface import Connection, Database

MOST = 100_000  # rows that a count reads


class State(Struct, frozen=True, kw_only=True):
    """The state of the work. Counts of emails and documents end at `MOST`.

    accounts: active ones. copies_owed: unsent copies of released issues, counted a short time ago;
    owed_since: the earliest release date of such an issue. daily_pass: of the account whose last
    one is the oldest. emails_due_at: since when the first email waits, even if it was tried
    meanwhile. webhooks_waiting: events, for each webhook, and messages that are tried again.
    verified_backup: when the newest backup was made that was found sound. failed_backup: when one
    failed last, or was found damaged. leases: when the oldest lease of each kind ends.
    documents_outdated: of the read model. log_archived: when PostgreSQL last archived a file of its
    log; log_not_archived: when that failed last; None unless it archives it.
    citus_nodes: by state; empty without Citus. replica_lag: in seconds; None if it is unknown.
    database_bytes: on PostgreSQL, if it is known.
    """

    accounts: int
    copies_owed: int
    owed_since: date | None
    emails_waiting: int
    emails_failed: int
    emails_due_at: datetime | None
    webhooks_waiting: int
    webhooks_failed: int
    daily_pass: date | None
    verified_backup: datetime | None
    failed_backup: datetime | None
    leases: dict[str, datetime]
    documents_outdated: int
    citus_nodes: dict[str, int] = {}
    replica_lag: float | None = None
    database_bytes: int | None = None
    log_archived: datetime | None = None
    log_not_archived: datetime | None = None


async def read_state(db: Database) -> State:
    """The state now. Queries: at most nine, which read some hundred thousand rows of indexes.

    With a replica, two or more to find out how far it is behind, for at most some seconds.
    """
    replica_lag = await db.replica.lag()
    # on PostgreSQL, a read that is not aside prefers indexes, and blocks no event loop either
    async with db.read(aside=db.dialect == "sqlite") as connection:
        totals = await monitoring.sum_accounts(connection)
        backlogs = await monitoring.count_backlogs(connection, most=MOST)
        backups = await monitoring.find_backup_notes(connection)
        archive = await monitoring.find_archive_notes(connection)
        return State(
            accounts=totals.accounts,
            copies_owed=totals.owed_copies,
            owed_since=totals.owed_date,
            emails_waiting=backlogs.emails_waiting,
            emails_failed=backlogs.emails_failed,
            emails_due_at=min(filter(None, (backlogs.due_at, backlogs.retried_at)), default=None),
            webhooks_waiting=backlogs.webhooks_waiting,
            webhooks_failed=backlogs.webhooks_failed,
            daily_pass=totals.daily_date,
            verified_backup=backups.verified_at,
            failed_backup=backups.failed_at,
            leases=await _oldest_leases(connection),
            documents_outdated=backlogs.documents,
            citus_nodes=await count_nodes(connection),
            replica_lag=replica_lag,
            database_bytes=await measure_database(connection),
            log_archived=archive.archived_at,
            log_not_archived=archive.failed_at,
        )


def describe_backfill(state: State) -> str | None:
    """The rows that the background work still fills in after a migration or an import.

    None if it fills nothing; the documents of a single batch are only those of recent writes.
    """
    left = state.documents_outdated
    if left <= BATCH:
        return None
    return f"documents of subscriptions: {left} left" + (" or more" if left == MOST else "")


async def _oldest_leases(db: Connection) -> dict[str, datetime]:
    """When the oldest lease of each kind ends; its kind is the first word of its name."""
    oldest = dict[str, datetime]()
    for lease in await leases.list_leases(db):
        kind = lease.name.partition(" ")[0]
        oldest[kind] = min(lease.until_at, oldest.get(kind, lease.until_at))
    return oldest


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
        yield (
            "Emails wait for more than an hour. Check the email server and `MASTHEAD_SMTP_HOST`; "
            "the log says why it did not take them."
        )
    if state.emails_failed:
        yield f"Emails that failed: {state.emails_failed}. Staff can send them again on the desk."
    if state.webhooks_failed:
        yield (
            f"Messages to webhooks that failed: {state.webhooks_failed}. Owners can send them "
            "again."
        )
    if state.copies_owed and state.owed_since and moment.date() - state.owed_since > OWED:
        yield (
            f"Copies of released issues that are not marked as sent: {state.copies_owed}. The "
            f"first issue was released on {state.owed_since}."
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
