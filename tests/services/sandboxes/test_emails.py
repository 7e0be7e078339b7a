"""What a sandbox writes is kept, and what others write goes out; a sandbox is in no figures."""

from dataclasses import replace
from datetime import date

from masthead.model.letters.outcomes import LetterStatus
from masthead.services.account_deletion import delete_sandbox
from masthead.services.emails.welcome import send_test
from masthead.services.monitoring.state import read_state
from masthead.store import accounts
from masthead.store.background import outbox
from masthead.store.engine.interface import Database
from masthead.store.reminders import records
from tests.conftest import BY, Cast, Client
from tests.support.billing import bill_one
from tests.support.factories import made, make_issue, manual
from tests.support.reminders import remind, turn_on_reminders
from tests.support.sandboxes import SITE, make_sandbox
from tests.support.walk import walk

EMAILS = "/v1/sandbox/emails/"


async def test_emails_of_a_sandbox_are_kept_and_those_of_others_go_out(
    client: Client, db: Database, acme: Cast
) -> None:
    sandbox = await make_sandbox(client, db)
    counted = (await read_state(db)).accounts
    [shop] = (await sandbox.get("/v1/sources/")).json()["items"]
    await make_issue(acme)
    for post, source, start in ((sandbox.post, shop["id"], 5), (acme.post, acme.shop, 1)):
        body = manual(acme, source=source, start_issue=start, email="ada@reader.test")
        made(await post("/v1/subscriptions/", {**body, "send_welcome_email": True}))
    for id in (sandbox.account.id, acme.account_id):
        await send_test(
            db,
            id,
            subject="Test",
            text="Text",
            recipient="owner@reader.test",
            placeholder_domain=SITE.domain,
            by=BY,
        )
    due = await outbox.list_due(db, 10_000)
    assert sum(email.account_id == acme.account_id for email in due) == 2
    assert not any(email.account_id == sandbox.account.id for email in due)
    kept = await walk(sandbox, EMAILS, limit=1)
    assert [email["recipient"] for email in kept] == ["owner@reader.test", "ada@reader.test"]
    assert {email["created_at"][:10] for email in kept} == {"2026-01-01"}
    refused = await acme.get(EMAILS)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_a_sandbox")

    assert (await read_state(db)).accounts == counted  # it was made before
    await delete_sandbox(db, sandbox.account.id, by=BY)
    assert (await read_state(db)).accounts == counted
    assert await accounts.find_account(db, sandbox.account.subdomain) is None
    assert (await sandbox.get("/v1/me/")).status_code == 401


async def test_reminders_of_a_sandbox_are_kept_and_count_as_sent(
    client: Client, db: Database, acme: Cast
) -> None:
    copied = await accounts.get_account(db, acme.account_id)
    sandbox = await make_sandbox(client, db, copied)
    [shop] = [each for each in await walk(sandbox, "/v1/sources/") if each["name"] == "Shop"]
    cast = replace(acme, account_id=sandbox.account.id, key=sandbox.key, shop=shop["id"])
    await turn_on_reminders(cast)
    invoice = await bill_one(cast, start_issue=1, due_days=1, email="ada@reader.test")
    await sandbox.move(to=date(2026, 1, 9), is_automatic=False)
    sent = await remind(cast, 1)
    assert sent.by_email == 1
    async with db.read() as connection:
        [reminder] = await records.list_of_invoice(connection, cast.account_id, invoice.id)
    assert reminder.status is LetterStatus.SENT
    assert not any(email.account_id == cast.account_id for email in await outbox.list_due(db, 9999))
    assert any("reminder" in email["subject"].lower() for email in await walk(sandbox, EMAILS))


async def test_a_sandbox_can_begin_with_the_settings_of_an_account(
    client: Client, db: Database, acme: Cast
) -> None:
    copied = await accounts.get_account(db, acme.account_id)
    sandbox = await make_sandbox(client, db, copied)
    names = [each["name"] for each in await walk(sandbox, "/v1/sources/")]
    assert sorted(names) == ["Checkout", "Import", "Old shop", "Sandbox shop", "Shop"]
    assert await walk(sandbox, "/v1/subscriptions/") == []
    [shop] = [each for each in await walk(sandbox, "/v1/sources/") if each["name"] == "Shop"]
    made(await sandbox.post("/v1/issues/", {"number": 1}))
    body = manual(acme, source=shop["id"], order_date="2026-01-01")
    assert made(await sandbox.post("/v1/subscriptions/", body))["status"] == "Active"
    assert await walk(acme, "/v1/subscriptions/") == []
