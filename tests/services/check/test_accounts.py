"""Each invariant is broken by a statement, and `check` reports it with the row.

The tables of this database have no constraints, so that only `check` finds the broken rows.
"""

import inspect
import re
from collections.abc import AsyncIterator, Callable

import pytest

from masthead.model.ids import first_copy_id
from masthead.services.check import accounts as service
from masthead.settings import Settings
from masthead.store.check.invariants import INVARIANTS
from masthead.store.check.orders import LIFECYCLE_INVARIANTS
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.subscribers.records import STATS
from tests.conftest import Cast, Client, make_account, serving
from tests.support import citus
from tests.support.checks import execute, faults, faults_after, rolled_back
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_membership,
    make_subscription,
)
from tests.support.read_model import render_all

TABLES = "account_state subscriber source product issue subscription period copy".split()
TABLES += ["subscription_document"]
# these refer to the tables above, which lose their keys
TABLES += "dispatch dispatch_line dispatch_file dispatch_file_part claim delivery_report".split()
TABLES += "product_price refund cancellation".split()
TABLES += "billed_order payer invoice invoice_line payment settlement bank_line".split()
TABLES += "subscription_hold reminder_item reminder_term reminder".split()
RISE = "the numbers of {}s rise with their ids"
SEARCHED = "the search index matches the fields"
OWNED = "a row of the search index has the number of its record"
RECOUNT = "matches a recount"
DISJOINT = "the periods of a subscription do not overlap"
REFERENCES = "a subscription's subscriber, source and product are its account's"
AGREES = "a copy agrees with its subscription, period and issue"
COUNTER = "an id is not above the account's counter"
FOLLOWS = "the status of a subscription follows from its data"
UNION = "the issue list of a subscription is the union of its periods"
INCLUDED = "a copy is of an issue that its period includes"
NEWER = "no stored JSON and no change is newer than the account's last write"
REFUNDED = "what was refunded of an order is the sum of its refunds"
ENDED_ONCE = "a cancelled subscription has one open cancellation, others have none"
ADDRESS = "an email address has one subscriber"
SKIPPED = "a skipped issue is one of its subscription, which has no copy of it"
CREDITED = "the money for a skipped issue is a refund of its subscription"
SKIP = (
    "INSERT INTO skipped_issue (account_id, subscription_id, issue_number, instead, refund_id,"
    " created_at, actor_kind, actor_id) VALUES"
)
BY_TEST = "'2026-01-01 00:00:00+00:00', 'command', 'test'"

# invariants that the read model needs
KEY = "CREATE UNIQUE INDEX loose_document ON subscription_document (account_id, id)"

# each invariant with a statement that breaks it and the row that is reported
BREAKS = [
    ("an order id is used once", "UPDATE period SET order_id = 'X' WHERE {own}", "X"),
    ("an issue number is used once", "UPDATE issue SET number = 1 WHERE {own}", "1"),
    (REFERENCES, "UPDATE subscription SET subscriber_id = 'X' WHERE id = :sub", "sub"),
    (REFERENCES, "UPDATE subscription SET source_id = 'X' WHERE id = :sub", "sub"),
    (REFERENCES, "UPDATE subscription SET product_id = 'X' WHERE id = :sub", "sub"),
    (
        "a period's subscription is its account's",
        "UPDATE period SET subscription_id = 'X' WHERE {own} AND id = :period",
        "period",
    ),
    ("a subscription has a period", "DELETE FROM period WHERE subscription_id = :sub", "sub"),
    (AGREES, "UPDATE copy SET country = 'FR' WHERE id = :copy", "copy"),
    (AGREES, "UPDATE copy SET subscriber_id = 'X' WHERE id = :copy", "copy"),
    (AGREES, "UPDATE copy SET subscription_id = 'X' WHERE id = :copy", "copy"),
    (AGREES, "UPDATE copy SET subscription_id = :member WHERE id = :copy", "copy"),
    (AGREES, "UPDATE copy SET period_id = 0 WHERE id = :copy", "copy"),
    (AGREES, "UPDATE copy SET issue_id = 'X' WHERE id = :copy", "copy"),
    (AGREES, "UPDATE copy SET issue_number = 2 WHERE id = :copy", "copy"),
    ("a copy exists once", "UPDATE copy SET issue_number = 2 WHERE id = :copy", "copy"),
    (INCLUDED, "UPDATE copy SET issue_number = 0 WHERE id = :copy", "copy"),
    (INCLUDED, "UPDATE copy SET issue_number = 9 WHERE id = :copy", "copy"),
    ("no copy is missing", "DELETE FROM copy WHERE id = :copy", "sub"),
    ("no copy is missing", "DELETE FROM copy WHERE subscription_id = :member", "member"),
    (SKIPPED, f"{SKIP} (:account, :sub, 1, 'added', NULL, {BY_TEST})", "sub"),
    (SKIPPED, f"{SKIP} (:account, :sub, 99, 'added', NULL, {BY_TEST})", "sub"),
    (CREDITED, f"{SKIP} (:account, :ended, 2, 'credited', 'X', {BY_TEST})", "ended"),
    (CREDITED, f"{SKIP} (:account, :ended, 2, 'added', 'X', {BY_TEST})", "ended"),
    (
        "only a sent copy has a date",
        "UPDATE copy SET date_sent = '2026-01-01' WHERE id = :copy",
        "copy",
    ),
    (
        "a cancelled subscription has no copies to send",
        "UPDATE copy SET status = 'Not sent' WHERE subscription_id = :ended",
        "ended_copy",
    ),
    (
        "only a cancelled subscription has cancelled copies",
        "UPDATE copy SET status = 'Cancelled' WHERE id = :copy",
        "copy",
    ),
    (
        "a period's length is the number of its issues",
        "UPDATE period SET length = 9 WHERE {own} AND id = :period",
        "period",
    ),
    (
        "the total length of a subscription is that of its periods",
        "UPDATE subscription SET total_length = 3 WHERE id = :sub",
        "sub",
    ),
    (
        "the total length of a membership is the number of its copies",
        "UPDATE subscription SET total_length = 3 WHERE id = :member",
        "member",
    ),
    (
        "the stored JSON of a subscription matches its tables",
        "UPDATE subscription SET notes = 'by hand' WHERE id = :sub",
        "sub",
    ),
    (
        "the stored JSON of a subscription matches its tables",
        "UPDATE subscription SET source_id = 'X' WHERE id = :sub",
        "sub",
    ),
    (
        "a subscription has stored JSON or is marked as outdated",
        "DELETE FROM subscription_document WHERE id = :sub",
        "sub",
    ),
    (
        "what is marked as outdated is a subscription of its account",
        "INSERT INTO subscription_change (account_id, id, revision) VALUES (:account, 'X', 1)",
        "X",
    ),
    (NEWER, "UPDATE subscription_document SET revision = 9999 WHERE id = :sub", "sub"),
    (
        NEWER,
        "INSERT INTO subscription_change (account_id, id, revision) VALUES (:account, :sub, 9999)",
        "sub",
    ),
    (COUNTER, "UPDATE account_state SET last_period = 1 WHERE {own}", "account"),
    (COUNTER, "UPDATE account_state SET last_copy = 1 WHERE {own}", "account"),
    (COUNTER, "UPDATE account_state SET last_entry = 1 WHERE {own}", "account"),
    (ADDRESS, "UPDATE subscriber SET email_key = 'X' WHERE id = :ada", "ada"),
    (
        ADDRESS,
        "UPDATE subscriber SET email = 'ADA@acme.test', email_key = 'ada@acme.test'"
        " WHERE id = :bob",
        "bob",
    ),
    (
        f"subscription_count of a subscriber {RECOUNT}",
        "UPDATE subscriber SET subscription_count = 7 WHERE id = :ada",
        "ada",
    ),
    (
        f"has_active_subscription of a subscriber {RECOUNT}",
        "UPDATE subscriber SET has_active_subscription = false WHERE id = :ada",
        "ada",
    ),
    (
        f"latest_order_date of a subscriber {RECOUNT}",
        "UPDATE subscriber SET latest_order_date = NULL WHERE id = :ada",
        "ada",
    ),
    (
        f"latest_country of a subscriber {RECOUNT}",
        "UPDATE subscriber SET latest_country = 'FR' WHERE id = :ada",
        "ada",
    ),
    (
        f"ltv of a subscriber {RECOUNT}",
        "UPDATE subscriber SET ltv = ltv + 1 WHERE id = :ada",
        "ada",
    ),
    (
        f"is_complete of a period {RECOUNT}",
        "UPDATE period SET is_complete = true WHERE {own} AND id = :period",
        "period",
    ),
    (FOLLOWS, "UPDATE subscription SET status = 'Complete' WHERE id = :sub", "sub"),
    (FOLLOWS, "UPDATE account_state SET daily_date = '2999-01-01' WHERE {own}", "member"),
    (
        "only a recurring subscription can be past due or have its renewals stopped",
        "UPDATE subscription SET status = 'Past due' WHERE id = :sub",
        "sub",
    ),
    (
        "only a recurring subscription can be past due or have its renewals stopped",
        "UPDATE subscription SET status = 'Active - Renewals stopped' WHERE id = :member",
        "member",
    ),
    (DISJOINT, "UPDATE period SET first_issue = 1 WHERE {own} AND first_issue = 2", "sub"),
    (
        DISJOINT,
        "UPDATE period SET period_start = '2099-12-31'"
        " WHERE subscription_id = :member AND period_start > '2099-12-31'",
        "member",
    ),
    (UNION, "UPDATE subscription SET last_issue = 9 WHERE id = :sub", "sub"),
    (UNION, "UPDATE subscription SET start_issue = 2 WHERE id = :sub", "sub"),
    (RISE.format("subscriber"), "UPDATE subscriber SET n = n + 9 WHERE id = :ada", "bob"),
    (RISE.format("subscription"), "UPDATE subscription SET n = n + 9 WHERE id = :sub", "member"),
    (OWNED, "UPDATE searchable SET subscriber_id = NULL, subscription_id = NULL WHERE n = :n", "n"),
    (OWNED, "UPDATE searchable SET subscriber_id = 'X' WHERE n = :n", "n"),
    (OWNED, "UPDATE searchable SET subscription_id = 'X' WHERE n = :n", "n"),
    (
        "who renewed within some issues is counted within more issues, too",
        "INSERT INTO retention VALUES (:account, 21, 'Print', 'S', 9, 3, 2, 4, NULL)",
        "21",
    ),
    (REFUNDED, "UPDATE period SET refunded = 1 WHERE {own} AND id = :period", "period"),
    (REFUNDED, "DELETE FROM refund WHERE {own}", "ended_period"),
    (
        "a refund is more than nothing, and of an order of its subscription",
        "UPDATE refund SET amount = 0 WHERE {own}",
        "refund",
    ),
    (
        "a refund is more than nothing, and of an order of its subscription",
        "UPDATE refund SET subscription_id = :sub WHERE {own}",
        "refund",
    ),
    (
        "no more is refunded than was paid",
        "UPDATE period SET refunded = price + 1 WHERE {own} AND id = :period",
        "period",
    ),
    (ENDED_ONCE, "UPDATE subscription SET status = 'Cancelled' WHERE id = :sub", "sub"),
    (ENDED_ONCE, "DELETE FROM cancellation WHERE {own}", "ended"),
    (ENDED_ONCE, "INSERT INTO cancellation SELECT * FROM cancellation WHERE {own}", "ended"),
    (
        "a cancellation that was reopened has the moment too",
        "UPDATE cancellation SET reopened_date = '2026-01-01' WHERE {own}",
        "cancellation",
    ),
    (SEARCHED, "UPDATE subscription SET city = 'Faro' WHERE id = :sub", "ada"),
    (SEARCHED, "UPDATE subscription SET notes = 'Faro' WHERE id = :ended", "ended"),
    (SEARCHED, "DELETE FROM searchable WHERE n = :n", "ada"),
]


@pytest.fixture(scope="module")
def database_of_its_own(migrated_database: Callable[[], str]) -> str:
    """The address of a database that these tests share."""
    return migrated_database()


@pytest.fixture(scope="module")
async def loose(backend: str, database_of_its_own: str) -> AsyncIterator[tuple[Client, Database]]:
    """A service whose tables have no constraints."""
    if citus.WORKERS:
        pytest.skip("Citus would keep such tables on the coordinator")
    cascade = " CASCADE" if backend == "postgres" else ""

    async def work(tx: Transaction) -> None:
        for table in TABLES:
            for statement in (
                f"CREATE TABLE loose AS SELECT * FROM {table}",  # noqa: S608 - our own names
                f"DROP TABLE {table}{cascade}",
                f"ALTER TABLE loose RENAME TO {table}",
            ):
                await tx.execute_many(statement, [{}])

    async with serving(Settings(database_url=database_of_its_own)) as (app, client):
        await app.state.db.write(work)
        await app.state.db.write(lambda tx: tx.execute_many(KEY, [{}]))
        yield client, app.state.db


@pytest.fixture(scope="module")
async def acme(loose: tuple[Client, Database]) -> Cast:
    """An account in that service, which tests share: they roll back what they break."""
    return await make_account(*loose, "Acme")


async def rows_of(cast: Cast, sql: str) -> list[Row]:
    """The rows of a query about the account."""
    return await cast.db.fetch_all(sql, {"account": cast.account_id})


@pytest.fixture(scope="module")
async def scene(acme: Cast) -> dict[str, object]:
    """Subscriptions of every kind, by the names that the statements above use."""
    await make_issue(acme, number=1, release_date_actual="2099-06-01")
    await make_issue(acme, number=2)
    ada = {"email": "ada@acme.test"}
    sub = await make_subscription(acme, order_id="1001", length=1, **ada)
    sub = await import_row(acme, renews="1001", length="3")
    member = await make_membership(acme, order_id="MEMBER-1", email="bob@acme.test")
    member = await make_membership(
        acme, renews="MEMBER-1", period_start="2100-01-01", period_end="2100-12-31"
    )
    ended = await import_row(
        acme, start_issue="1", length="1", status="Cancelled", refunded="2.00", **ada
    )
    await render_all(acme)
    [refund] = await rows_of(acme, "SELECT id, period_id FROM refund WHERE account_id = :account")
    [cancellation] = await rows_of(acme, "SELECT id FROM cancellation WHERE account_id = :account")
    return {
        "account": acme.account_id,
        "n": first_copy_id(acme.account_id) + 1,
        "sub": sub["id"],
        "period": sub["periods"][1]["id"],
        "copy": (await copies_of(acme, sub["id"]))[0]["id"],
        "member": member["id"],
        "ended": ended["id"],
        "ended_copy": (await copies_of(acme, ended["id"]))[0]["id"],
        "ended_period": refund["period_id"],
        "refund": refund["id"],
        "cancellation": cancellation["id"],
        "ada": sub["subscriber"]["id"],
        "bob": member["subscriber"]["id"],
    }


@pytest.mark.usefixtures("scene")
async def test_data_written_by_the_services_breaks_no_invariant(acme: Cast) -> None:
    assert await faults(acme) == []


@pytest.mark.parametrize("invariant, sql, culprit", BREAKS)
async def test_a_broken_row_is_reported_with_its_invariant(
    acme: Cast, scene: dict[str, object], invariant: str, sql: str, culprit: str
) -> None:
    found = await faults_after(acme, sql, **scene)
    assert (invariant, str(scene.get(culprit, culprit))) in found


async def test_the_tests_break_every_invariant() -> None:
    source = inspect.getsource(service)
    for each in (
        service.check_dispatches,
        service.check_documents,
        service.check_erasures,
        service.check_merges,
    ):
        source = source.replace(inspect.getsource(each), "")  # these have tests of their own
    yielded = re.findall(r'yield "([^"]+)", ', source)
    assert len(yielded) >= 6
    figures = {f"{column} of a subscriber {RECOUNT}" for column in STATS}
    assert {invariant for invariant, _, _ in BREAKS} == {
        *INVARIANTS,
        *LIFECYCLE_INVARIANTS,
        *yielded,
        *figures,
    }


async def test_a_fault_is_reported_for_its_account(loose: tuple[Client, Database]) -> None:
    broken, rival = await make_account(*loose, "Acme"), await make_account(*loose, "Rival")
    await make_issue(rival)
    await make_subscription(rival)
    await make_issue(broken)
    made = [await make_subscription(broken) for _ in range(2)]
    await execute(broken, "UPDATE subscriber SET ltv = 1 WHERE {own}")
    found = [fault async for fault in service.check(broken.db)]
    ids = {fault.id for fault in found if fault.account == broken.subdomain}
    assert ids >= {subscription["subscriber"]["id"] for subscription in made}
    assert rival.subdomain not in {fault.account for fault in found}


async def test_faults_are_found_in_all_batches_of_rows(
    acme: Cast, scene: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PAGE", 1)
    assert await faults(acme) == []

    async def work(acme: Cast) -> list[tuple[str, str]]:
        await execute(acme, "UPDATE subscriber SET ltv = 1 WHERE {own}")
        await execute(acme, "UPDATE subscription SET status = 'Past due' WHERE {own}")
        return await faults(acme)

    found = {id for _, id in await rolled_back(acme, work)}
    assert found >= {scene[name] for name in ("ada", "bob", "sub", "member", "ended")}


async def test_a_gap_between_the_periods_of_a_membership_is_allowed(
    loose: tuple[Client, Database],
) -> None:
    acme = await make_account(*loose, "Acme")
    await make_membership(acme, order_id="2001")
    await make_membership(acme, renews="2001", period_start="2105-01-01", period_end="2105-12-31")
    assert await faults(acme) == []
