"""The settings of an account: its name, currency and locale, and the welcome email."""

from typing import Any

import pytest

from masthead.model.errors import Invalid, NotFound
from masthead.services import accounts
from masthead.services.check.accounts import check_account
from masthead.services.emails import messages, welcome
from masthead.store.accounts import find_account, get_locale
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from masthead.store.subscriptions.periods import count_currencies
from masthead.store.welcome_emails import get_welcome
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import import_row, make_issue, make_subscription

DOMAIN = "placeholder.example"


async def change(cast: Cast, **fields: Any) -> None:
    """Change fields of the account."""
    await accounts.update_account(cast.db, cast.account_id, **fields, by=BY)


async def trail(cast: Cast, kind: str, id: object) -> list[tuple[Any, ...]]:
    """The audit entries about a record."""
    async with cast.db.read() as connection:
        entries = await list_entries(connection, cast.account_id, kind, str(id))
    return [(entry["action"], entry["before"], entry["after"]) for entry in entries]


async def ltvs(cast: Cast) -> dict[str, tuple[str, str]]:
    """The lifetime value of each subscriber, by email address."""
    listed = (await cast.get("/v1/subscribers/")).json()["items"]
    return {each["email"]: (each["ltv"], each["ltv_currency"]) for each in listed}


# --- name, currency, country, locale -------------------------------------------------------------


async def test_a_change_of_the_account_records_each_field(acme: Cast) -> None:
    await change(acme, name=" Acme & Sons ", locale="de-at", country="at")
    async with acme.db.read() as connection:
        account = await find_account(connection, acme.subdomain)
        assert await get_locale(connection, acme.account_id) == "de_AT"
    assert account
    assert (account.name, account.country) == ("Acme & Sons", "AT")
    (_, entry) = await trail(acme, "account", acme.account_id)
    assert entry == (
        "account.update",
        {"name": "Acme", "locale": "en_GB", "country": None},
        {"name": "Acme & Sons", "locale": "de_AT", "country": "AT"},
    )


async def test_a_change_to_the_same_values_is_not_recorded(acme: Cast) -> None:
    await change(acme)
    assert len(await trail(acme, "account", acme.account_id)) == 1


@pytest.mark.parametrize(
    "field, value",
    [
        ("name", " "),
        ("name", "x" * 256),
        ("currency", "EURO"),
        ("locale", "xx"),
        ("country", "Austria"),
    ],
)
async def test_the_error_message_names_the_field(acme: Cast, field: str, value: str) -> None:
    with pytest.raises(Invalid) as refusal:
        await change(acme, **{field: value})
    assert refusal.value.field == field


async def test_with_a_new_currency_only_payments_in_that_currency_count(acme: Cast) -> None:
    await make_issue(acme, 1)
    await make_subscription(acme, email="a@x.test", price="10.00", order_id="A-1")
    await make_subscription(acme, email="a@x.test", price="5.00", currency="USD")
    row = {"start_issue": "1", "length": "2", "refunded": "0.50"}
    await import_row(acme, email="b@x.test", price="7.50", currency="USD", **row)
    await make_subscription(acme, email="c@x.test", price="900", currency="JPY")
    await import_row(acme, renews="A-1", price="3.00", currency="USD", length="2")
    async with acme.db.read() as connection:
        assert await count_currencies(connection, acme.account_id) == {"EUR": 1, "JPY": 1, "USD": 3}
    await change(acme, currency="usd")
    assert await ltvs(acme) == {
        "a@x.test": ("8.00", "USD"),
        "b@x.test": ("7.00", "USD"),
        "c@x.test": ("0.00", "USD"),
    }
    assert not [fault async for fault in check_account(acme.db, acme.subdomain)]
    await change(acme, currency="JPY")
    assert await ltvs(acme) == {
        "a@x.test": ("0", "JPY"),
        "b@x.test": ("0", "JPY"),
        "c@x.test": ("900", "JPY"),
    }
    assert not [fault async for fault in check_account(acme.db, acme.subdomain)]


async def test_a_change_does_not_affect_another_account(acme: Cast, rival: Cast) -> None:
    await make_issue(rival, 1)
    await make_subscription(rival, email="a@x.test", price="10.00")
    await change(acme, currency="USD")
    assert await ltvs(rival) == {"a@x.test": ("10.00", "EUR")}


# --- the welcome email ---------------------------------------------------------------------------


async def waiting(cast: Cast) -> list[Any]:
    """The emails of an account that are waiting to be sent."""
    async with cast.db.read() as connection:
        return list(
            await connection.fetch_all(
                "SELECT id, recipient, subject, body, status, attempts FROM outbox"
                " WHERE account_id = :account_id AND status = 'waiting' ORDER BY id",
                {"account_id": cast.account_id},
            )
        )


async def test_a_changed_welcome_email_is_sent_with_its_new_text(acme: Cast) -> None:
    for _ in range(2):
        await welcome.update_welcome(
            acme.db,
            acme.account_id,
            subject="Hello {name}",
            text="{magazine} begins with {start_issue}.\r\n",
            by=BY,
        )
    await make_issue(acme, 1, name="Spring")
    await make_subscription(acme, email="a@x.test", first_name="{name}", send_welcome_email=True)
    (email,) = await waiting(acme)
    assert email["subject"] == "Hello {name}"
    assert email["body"] == "Acme begins with Spring.\n"
    (_, (action, before, after)) = await trail(acme, "account", acme.account_id)
    assert action == "account.update_welcome_email"
    assert before["subject"] == "Welcome to {magazine}"
    assert after["subject"] == "Hello {name}"
    assert after["text"] == "{magazine} begins with {start_issue}.\n"


async def test_a_welcome_email_with_an_unknown_placeholder_is_refused(acme: Cast) -> None:
    with pytest.raises(Invalid, match="not a placeholder") as refusal:
        await welcome.update_welcome(
            acme.db, acme.account_id, subject="Hello", text="Dear {nmae}", by=BY
        )
    assert refusal.value.field == "text"
    async with acme.db.read() as connection:
        known = await get_welcome(connection, acme.account_id)
    assert known.template.subject == "Welcome to {magazine}"


def test_a_preview_shows_a_sample_subscriber() -> None:
    subject, text = welcome.preview(
        "{greeting}: {name}",
        "{magazine}, {start_issue}, {my_page}",
        magazine="Acme",
        locale="de_DE",
        my_page="https://acme.test/my/",
    )
    assert subject == "Sehr geehrte Frau Lovelace: Ada Lovelace"
    assert text.startswith("Acme, ")
    assert text.endswith(", https://acme.test/my/\n")


async def test_a_test_email_goes_to_the_user_and_is_recorded(acme: Cast) -> None:
    await welcome.send_test(
        acme.db,
        acme.account_id,
        subject="To {name}",
        text="From {magazine}",
        recipient=acme.owner,
        placeholder_domain=DOMAIN,
        by=BY,
    )
    (email,) = await waiting(acme)
    assert (email["recipient"], email["subject"]) == (acme.owner, "Test: To Ada Lovelace")
    assert email["body"] == "From Acme\n"
    (_, entry) = await trail(acme, "account", acme.account_id)
    assert entry == ("account.test_welcome_email", None, {"recipient": acme.owner})


@pytest.mark.parametrize("recipient", ["me@placeholder.example", "me@PLACEHOLDER.example"])
async def test_a_test_email_to_a_placeholder_address_is_refused(acme: Cast, recipient: str) -> None:
    with pytest.raises(Invalid, match="cannot receive email"):
        await welcome.send_test(
            acme.db,
            acme.account_id,
            subject="To {name}",
            text="Hello",
            recipient=recipient,
            placeholder_domain=DOMAIN,
            by=BY,
        )
    assert await waiting(acme) == []


# --- failed emails -------------------------------------------------------------------------------


async def give_up(cast: Cast) -> str:
    """An email that no server accepted."""

    async def work(tx: Transaction) -> str:
        id = await outbox.insert_email(
            tx, cast.account_id, recipient="a@x.test", subject="Hello", body="", domain=DOMAIN
        )
        await outbox.update_failed(tx, cast.account_id, id, reason="550 no", retry_at=None)
        return id

    return await cast.db.write(work)


async def failed(cast: Cast) -> list[outbox.FailedEmail]:
    """The emails that failed and are not tried again."""
    async with cast.db.read() as connection:
        return await outbox.list_failed(connection, cast.account_id, 10)


async def test_a_failed_email_can_be_sent_again(acme: Cast, rival: Cast) -> None:
    id, foreign = await give_up(acme), await give_up(rival)
    (email,) = await failed(acme)
    assert (email.id, email.recipient, email.last_error) == (id, "a@x.test", "550 no")
    with pytest.raises(NotFound):
        await messages.retry_email(acme.db, acme.account_id, foreign, by=BY)
    await messages.retry_email(acme.db, acme.account_id, id, by=BY)
    assert await failed(acme) == []
    (again,) = await waiting(acme)
    assert (again["id"], again["attempts"]) == (id, 0)
    with pytest.raises(NotFound):
        await messages.retry_email(acme.db, acme.account_id, id, by=BY)
    assert await trail(acme, "email", id) == [("email.retry", None, None)]
    assert len(await failed(rival)) == 1
