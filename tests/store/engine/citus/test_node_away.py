"""While a node of Citus is away, masthead serves the accounts of the others."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from functools import partial
from typing import NamedTuple

import pytest
from structlog.testing import capture_logs

from masthead.background.worker import Background
from masthead.metrics.job_failures import NAME, job_failures
from masthead.metrics.text import sample
from masthead.model.audit_entries import EntryType
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.errors import Unavailable
from masthead.model.identity.sign_ins import Client
from masthead.model.pagination import PageRequest
from masthead.model.webhooks.signatures import new_keys
from masthead.services.accounts import create_account
from masthead.services.identity.sessions import (
    begin_session,
    find_signed_in_user,
    sign_out,
    sign_out_everywhere,
)
from masthead.services.identity.sign_in import create_link, sign_in, use_link
from masthead.services.key_usage import KeyUsage
from masthead.store.accounts import find_account, get_account, list_accounts, update_daily_date
from masthead.store.audit.log import AuditFilter, list_log
from masthead.store.background.idle_accounts import list_with_right_trend, list_without_pass
from masthead.store.engine import migrate
from masthead.store.engine.citus.present import PresentAccounts
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_json import list_outdated_accounts
from masthead.store.reports import trends
from masthead.store.webhooks.endpoints import insert_endpoint, list_due_endpoints
from tests.conftest import BY
from tests.store.engine.citus.test_distribute import execute, run
from tests.support import citus
from tests.support.databases import opened

# On Citus, a node for which the coordinator has a wrong port. Elsewhere, a view that fails, and
# what masthead reads of Citus: there, each account has a node of its own.
NO_NODE = """
    UPDATE pg_dist_node SET nodeport = 1 WHERE groupid = (
        SELECT groupid
        FROM pg_dist_placement
        WHERE shardid = get_shard_id_for_distribution_column('account_state', {id})
    )
"""
NO_ROW = """
    CREATE FUNCTION answers(account_id bigint) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
        IF account_id = {id} THEN RAISE 'connection refused' USING ERRCODE = '08006'; END IF;
        RETURN true;
    END $$;
    ALTER TABLE account_state RENAME TO kept;
    CREATE VIEW account_state AS SELECT * FROM kept WHERE answers(account_id);
    CREATE TABLE pg_dist_partition (logicalrelid regclass, partkey text);
    INSERT INTO pg_dist_partition VALUES ('account_state', 'account_id');
    CREATE FUNCTION get_shard_id_for_distribution_column(text, id bigint) RETURNS bigint
    LANGUAGE sql AS 'SELECT id';
    CREATE VIEW pg_dist_placement AS SELECT id AS shardid, id AS groupid FROM account;
"""
PASSWORD, OTHER = "a long enough password", "another long password"
HERE = Client(address="192.0.2.1", browser="Firefox")
POST = Site("https://masthead.test", "masthead.test")


class Outage(NamedTuple):
    """A node is away, with some accounts; Ann is in all accounts, Bob only in one that is away."""

    db: Database
    away: list[int]
    there: list[int]


@pytest.fixture
async def outage(backend: str, empty_database: Callable[[], str]) -> AsyncIterator[Outage]:
    """A database without one of its nodes."""
    if backend == "sqlite":
        pytest.skip("Citus is an extension of PostgreSQL")
    url = empty_database()
    await asyncio.to_thread(migrate.migrate, url)
    if citus.has(url):
        await run(url)
    async with opened(url) as db:
        for name in "abcdef":  # on Citus, they are on both nodes
            await create_account(
                db, name=name, subdomain=name * 3, currency="EUR", owner="ann@acme.test", by=BY
            )
        await create_account(
            db, name="g", subdomain="ggg", currency="EUR", owner="bob@acme.test", by=BY
        )
        await execute(url, "UPDATE account_user SET is_pending = false")
        for email in ("ann@acme.test", "bob@acme.test"):
            await use_link(db, await create_link(db, email, by=BY), PASSWORD)
        accounts = [each.id for each in await list_accounts(db)]
        for each in accounts:
            insert = partial(insert_endpoint, account_id=each, url="https://a.test/", types=())
            await db.write(partial(insert, keys=new_keys(), last_number=9))
        await execute(url, (NO_NODE if citus.has(url) else NO_ROW).format(id=accounts[-1]))
        away = []
        for account_id in accounts:
            try:
                await get_account(db, account_id)
            except Unavailable:
                away.append(account_id)
        yield Outage(db, away, [each for each in accounts if each not in away])


async def list_events(db: Database, account_id: int) -> list[str]:
    """The newest events of the audit log of an account, newest first."""
    page = await list_log(db, account_id, AuditFilter(), PageRequest(5, None, b""))
    return [entry.action for entry in page.items]


async def test_people_sign_in_and_out_and_reset_their_password(outage: Outage) -> None:
    db, _away, there = outage
    proof = await sign_in(db, email="ann@acme.test", password=PASSWORD, client=HERE, site=POST)
    session = await begin_session(db, proof, HERE, site=POST)
    found = await find_signed_in_user(db, session.token)
    assert found is not None
    assert len(found.memberships) == 6
    await sign_out(db, found.user_id, session.token)
    assert await find_signed_in_user(db, session.token) is None
    names = [each.subdomain for each in found.memberships if each.account_id in there]
    assert [each and each.id for each in [await find_account(db, name) for name in names]] == there
    for account_id in there:
        events = await list_events(db, account_id)
        assert events[:2] == [EntryType.USER_SIGN_OUT, EntryType.USER_SIGN_IN]

    link = await create_link(db, "ann@acme.test", by=BY)
    session = await use_link(db, link, OTHER, client=HERE, site=POST)
    await sign_out_everywhere(db, found.user_id)
    assert await find_signed_in_user(db, session.token) is None
    events = await list_events(db, there[-1])
    assert events[:2] == [EntryType.USER_SIGN_OUT_EVERYWHERE, EntryType.USER_SET_PASSWORD]


async def test_people_whose_accounts_are_all_away_have_to_wait(outage: Outage) -> None:
    db, _away, _there = outage
    proof = await sign_in(db, email="bob@acme.test", password=PASSWORD, client=HERE)
    with pytest.raises(Unavailable):
        await begin_session(db, proof, HERE)
    with pytest.raises(Unavailable):
        await find_account(db, "ggg")


async def test_a_read_of_some_accounts_asks_no_other_node(outage: Outage) -> None:
    db, away, there = outage
    connection, today = PresentAccounts(db, there), now().date()
    found = await list_accounts(connection)
    assert [each.id for each in found] == there
    assert await trends.list_due(connection, settled=now()) == there
    assert await list_outdated_accounts(connection) == []
    assert await list_due_endpoints(connection) == []
    idle = await list_without_pass(connection, today + timedelta(days=1), ["UTC"])
    assert idle.keys() == set(there)
    assert await list_with_right_trend(connection, today) == {}
    with pytest.raises(Unavailable):
        await list_accounts(PresentAccounts(db, away))


async def test_background_jobs_work_on_the_accounts_of_other_nodes(outage: Outage) -> None:
    db, _away, there = outage
    day = now().date() - timedelta(days=1)
    for account_id in there:
        await db.write(partial(update_daily_date, account_id=account_id, day=day))
    worker = Background(db, KeyUsage(), mailer=None, mail_from="", database_url="", site=POST)
    before = job_failures()
    with capture_logs() as logs:
        assert await worker._lease.renew()
        for name, job in worker._jobs.items():
            await worker._attempt(name, job.run_once)
    waiting = [each["job"] for each in logs if each["event"] == "background work waits"]
    assert waiting == []
    for account_id in there:
        assert (await get_account(db, account_id)).daily_date == now().date()
        assert await trends.list_trend(db, account_id)
    counted = sample(NAME, work="daily pass")
    assert job_failures()[counted] > before[counted]
