"""The state of the work: copies owed, emails, the daily pass, backups, leases and documents."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import pytest

from masthead.metrics.text import Samples
from masthead.model.clock import now
from masthead.services.background.read_model import BATCH
from masthead.services.monitoring import state as monitoring
from masthead.services.monitoring.state import State, describe_backfill, find_problems, read_state
from masthead.services.monitoring.state_metrics import state_samples
from masthead.store.background.leases import take_lease
from masthead.store.background.monitoring import write_verified_backup
from masthead.store.engine.interface import Transaction
from tests.conftest import make_account
from tests.support.days import count_trend
from tests.support.factories import make_issue, make_subscription
from tests.support.own_service import OwnService, open_own_service

NOON = datetime(2026, 6, 30, 12, tzinfo=UTC)


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A separate service with an email server."""
    async with open_own_service(scratch_url) as opened:
        yield opened


async def test_copies_of_released_issues_are_owed_until_they_are_sent(own: OwnService) -> None:
    cast = await make_account(own.cast.client, own.cast.db, "Rival")
    for number, day in enumerate(["2026-01-31", "2026-02-28", None, "2026-04-30"], start=1):
        await make_issue(cast, number, release_date_actual=day)
    await make_subscription(cast)
    await make_subscription(cast)
    await count_trend(cast, date(2026, 3, 15))
    found = await read_state(cast.db)
    assert (found.copies_owed, str(found.owed_since)) == (4, "2026-01-31")

    await own.execute("UPDATE copy SET status = 'Sent' WHERE issue_number = 1")
    await count_trend(cast, date(2026, 3, 15))
    found = await read_state(cast.db)
    assert (found.copies_owed, str(found.owed_since)) == (2, "2026-02-28")


async def test_emails_are_counted_up_to_a_limit(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await own.welcome(f"{number}@example.test")
    first, *_ = await own.outbox()
    await own.execute("UPDATE outbox SET status = 'failed' WHERE id = :id", id=first["id"])
    found = await read_state(own.cast.db)
    assert (found.emails_waiting, found.emails_failed) == (2, 1)
    assert found.emails_due_at is not None
    assert abs(found.emails_due_at - now()) < timedelta(minutes=5)
    assert found.documents_outdated == 3
    monkeypatch.setattr(monitoring, "MOST", 1)
    found = await read_state(own.cast.db)
    assert (found.emails_waiting, found.emails_failed, found.documents_outdated) == (1, 1, 1)


async def test_the_oldest_lease_of_each_kind_is_told(own: OwnService) -> None:
    async def work(tx: Transaction) -> None:
        for name, minutes in [("background", 1), ("import A", 9), ("import B", 2)]:
            duration = timedelta(minutes=minutes)
            await take_lease(tx, name=name, holder="me", duration=duration)

    await own.cast.db.probe_write()
    await own.cast.db.write(work)
    found = await read_state(own.cast.db)
    assert set(found.leases) == {"background", "import"}
    assert timedelta(0) < found.leases["import"] - now() < timedelta(minutes=2, seconds=1)


async def test_the_newest_verified_backup_counts_unless_it_is_of_the_future(
    own: OwnService,
) -> None:
    moments = now() + timedelta(days=9), now() - timedelta(days=2), now() - timedelta(days=3)
    found = []
    for moment in moments:

        async def work(tx: Transaction, moment: datetime = moment) -> None:
            await write_verified_backup(tx, moment)

        await own.cast.db.write(work)
        found.append((await read_state(own.cast.db)).verified_backup)
    assert found == [moments[0], moments[1], moments[1]]


async def test_inactive_accounts_do_not_count(own: OwnService) -> None:
    await own.execute("UPDATE account_state SET owed_copies = 5")
    assert (await read_state(own.cast.db)).copies_owed == 5
    await own.execute("UPDATE account SET is_active = :no", no=False)
    found = await read_state(own.cast.db)
    assert (found.accounts, found.copies_owed, found.daily_pass) == (0, 0, None)


# --- As metrics, and as sentences -----------------------------------------------------------------

FINE = State(
    accounts=1,
    copies_owed=3,
    owed_since=datetime(2026, 6, 20, tzinfo=UTC).date(),
    emails_waiting=1,
    emails_failed=0,
    webhooks_waiting=0,
    webhooks_failed=0,
    emails_due_at=NOON - timedelta(minutes=5),
    daily_pass=NOON.date(),
    verified_backup=NOON - timedelta(days=1),
    failed_backup=NOON - timedelta(days=2),
    leases={"background": NOON + timedelta(seconds=20)},
    documents_outdated=0,
)
EMPTY = State(
    accounts=0,
    copies_owed=0,
    owed_since=None,
    emails_waiting=0,
    emails_failed=0,
    webhooks_waiting=0,
    webhooks_failed=0,
    emails_due_at=None,
    daily_pass=None,
    verified_backup=NOON,
    failed_backup=None,
    leases={},
    documents_outdated=0,
)


def changed(**fields: object) -> State:
    """The state when all is well, with some fields changed."""
    known = {name: getattr(FINE, name) for name in FINE.__struct_fields__}
    return State(**{**known, **fields})


@pytest.mark.parametrize(
    "documents, told",
    [
        (BATCH, None),
        (BATCH + 1, f"documents of subscriptions: {BATCH + 1} left"),
        (monitoring.MOST, "documents of subscriptions: 100000 left or more"),
    ],
)
def test_more_outdated_documents_than_one_batch_are_a_backfill(
    documents: int, told: str | None
) -> None:
    assert describe_backfill(changed(documents_outdated=documents)) == told


def samples_of(state: State) -> Samples:
    return {name: value for _, each in state_samples(state, NOON) for name, value in each.items()}


def test_ages_are_seconds_and_moments_are_unix_times() -> None:
    samples = samples_of(FINE)
    assert samples["masthead_copies_owed_age_seconds"] == 10.5 * 86400
    assert samples["masthead_emails_waiting_age_seconds"] == 300
    assert samples["masthead_daily_pass_timestamp_seconds"] == NOON.timestamp() - 43200
    assert samples["masthead_verified_backup_timestamp_seconds"] == NOON.timestamp() - 86400
    assert samples["masthead_failed_backup_timestamp_seconds"] == NOON.timestamp() - 2 * 86400
    assert samples['masthead_lease_age_seconds{work="background"}'] == 0
    late = samples_of(changed(leases={"background": NOON - timedelta(minutes=4)}))
    assert late['masthead_lease_age_seconds{work="background"}'] == 240


def test_the_archive_of_the_log_has_unix_times() -> None:
    archived, failed = (
        f"masthead_log_{each}_timestamp_seconds" for each in ("archived", "archive_failed")
    )
    samples = samples_of(changed(log_archived=NOON, log_not_archived=NOON - timedelta(hours=1)))
    assert (samples[archived], samples[failed]) == (NOON.timestamp(), NOON.timestamp() - 3600)
    assert not {archived, failed} & samples_of(FINE).keys()


def test_what_is_unknown_has_no_sample() -> None:
    samples = samples_of(changed(verified_backup=None, owed_since=None, daily_pass=None))
    assert "masthead_verified_backup_timestamp_seconds" not in samples
    assert "masthead_copies_owed_age_seconds" not in samples
    assert "masthead_daily_pass_timestamp_seconds" not in samples
    assert samples["masthead_copies_owed"] == 3
    assert samples_of(EMPTY)["masthead_copies_owed_age_seconds"] == 0


@pytest.mark.parametrize("state", [FINE, EMPTY])
def test_all_is_well(state: State) -> None:
    assert list(find_problems(state, NOON)) == []


@pytest.mark.parametrize(
    "fields, expected",
    [
        ({"leases": {}}, "No worker does the background work"),
        ({"leases": {"background": NOON - timedelta(minutes=3)}}, "No worker does the background"),
        ({"daily_pass": NOON.date() - timedelta(days=2)}, "The last daily pass was for 2026-06-28"),
        ({"emails_due_at": NOON - timedelta(hours=2)}, "Emails wait for more than an hour"),
        ({"emails_failed": 2}, "Emails that failed: 2."),
        ({"webhooks_failed": 3}, "Messages to webhooks that failed: 3. Owners can"),
        (
            {"owed_since": NOON.date() - timedelta(days=30)},
            "Copies of released issues that are not marked as sent: 3. The first",
        ),
        ({"verified_backup": None, "failed_backup": None}, "No backup was verified yet"),
        (
            {"verified_backup": NOON - timedelta(days=9), "failed_backup": None},
            "The last verified backup is of 2026-06-2",
        ),
        ({"failed_backup": NOON}, "A backup failed or was found damaged on 2026-06-30"),
    ],
)
def test_a_problem_is_told_with_what_to_do(fields: dict[str, object], expected: str) -> None:
    (problem,) = find_problems(changed(**fields), NOON)
    assert expected in problem
