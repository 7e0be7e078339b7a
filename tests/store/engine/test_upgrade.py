"""A database of the first version with data is upgraded to the newest version."""

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from masthead.model.audit_entries import EntryType
from masthead.model.ids import first_copy_id, new_id, new_token, token_digest
from masthead.model.types.enums import Scope
from masthead.services.background.read_model import refresh_read_model
from masthead.services.check.accounts import check
from masthead.services.emails.outbox import begin_sending
from masthead.services.identity.sign_in import find_link
from masthead.services.keys import create_key
from masthead.settings import Settings
from masthead.store.background.outbox import list_due
from masthead.store.engine import migrate as module
from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.engine.migrate import list_migrations, migrate
from tests.conftest import BY, serving
from tests.support.databases import opened

SOURCE, PRODUCT, ISSUE, ADA, ORDERED = (new_id(1) for _ in range(5))
CREATED = {"created_at": datetime(2026, 1, 15, 10, tzinfo=UTC)}
OWN = {"account_id": 1}
WELCOME = {"welcome_subject": "Welcome", "welcome_text": "Dear {name}"}
COUNTERS = {"writes": 7, "last_copy": 1, "last_period": 1, "last_entry": 0}
USER = {"email": "ann@acme.test", "email_key": "ann@acme.test"}
FIGURES = {
    "subscription_count": 1,
    "has_active_subscription": True,
    "latest_order_date": date(2026, 1, 15),
    "latest_country": "DE",
    "ltv": 4200,
}
KIND = {"type": "subscription", "status": "Active", "medium": "Print", "country": "DE"}
FLAGS = {"is_recurring": False, "is_comp": False, "is_gift": False}
ISSUES = {"first_issue": 1, "last_issue": 2, "length": 2}
PRICE = {"price": 4200, "discount_amount": 0, "refunded": 0, "currency": "EUR"}
ADA_TEXT = f"{ADA.lower()}\nada\nada@acme.test"
ORDER_TEXT = f"{ORDERED.lower()}\n1001\nada"

# A row for each table, as the first version wrote them
ROWS: dict[str, Row] = {
    "account": CREATED
    | WELCOME
    | {"id": 1, "name": "Acme", "subdomain": "acme", "currency": "EUR", "is_active": True},
    "account_state": OWN | COUNTERS | {"daily_date": date(2026, 1, 15)},
    "app_user": CREATED | USER | {"id": "ann"},
    "account_user": CREATED | OWN | {"user_id": "ann", "role": "owner"},
    "source": CREATED | OWN | {"id": SOURCE, "name": "Shop", "type": "shop", "is_active": True},
    "product": CREATED | OWN | {"id": PRODUCT, "name": "Imported subscription", "benefits": "[]"},
    "issue": CREATED | OWN | {"id": ISSUE, "number": 1, "name": "Spring"},
    "subscriber": CREATED
    | OWN
    | FIGURES
    | {"id": ADA, "email": "ada@acme.test", "email_key": "ada@acme.test", "first_name": "Ada"}
    | {"is_placeholder": False, "search_text": f"{ADA_TEXT}\n{ORDER_TEXT}"},
    "subscription": CREATED
    | OWN
    | KIND
    | FLAGS
    | {"id": ORDERED, "subscriber_id": ADA, "source_id": SOURCE, "product_id": PRODUCT}
    | {"first_name": "Ada", "start_issue": 1, "last_issue": 2, "total_length": 2}
    | {"search_text": f"{ORDER_TEXT}\n{ADA_TEXT}"},
    "period": CREATED
    | OWN
    | ISSUES
    | PRICE
    | {"id": 1, "subscription_id": ORDERED, "order_id": "1001", "is_complete": False}
    | {"order_date": date(2026, 1, 15)},
    "copy": OWN
    | {"id": first_copy_id(1) + 1, "subscription_id": ORDERED, "subscriber_id": ADA}
    | {"period_id": 1, "issue_id": ISSUE, "issue_number": 1, "status": "Not sent", "country": "DE"},
}


@pytest.fixture
def first_version(empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a database, as created by the first version."""
    return made_by("0001", empty_database, monkeypatch)


def made_by(
    version: str, empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> str:
    """The address of a database as created by an earlier version."""
    steps = {name: step for name, step in list_migrations().items() if name <= version}
    url = empty_database()
    with monkeypatch.context() as patch:
        patch.setattr(module, "list_migrations", lambda: steps)
        migrate(url)
    return url


async def fill(url: str) -> None:
    """Create a subscription."""

    async def work(tx: Transaction) -> None:
        for table, row in ROWS.items():
            await tx.insert_rows(table, [row])

    async with opened(url) as db:
        await db.write(work)


@pytest.fixture
def upgraded(first_version: str) -> str:
    """The same database with data, upgraded to the current version."""
    asyncio.run(fill(first_version))
    assert migrate(first_version) == ("0001", SCHEMA_VERSION)
    return first_version


async def test_existing_data_is_shown_and_found_after_the_upgrade(upgraded: str) -> None:
    async with serving(Settings(database_url=upgraded)) as (app, client):
        db: Database = app.state.db
        _, key = await create_key(db, 1, user="ann@acme.test", scope=Scope.READ_ONLY, by=BY)

        async def shown(**params: str) -> list[dict[str, Any]]:
            answer = await client.get("/v1/subscriptions/", key=key, params=params)
            items: list[dict[str, Any]] = answer.json()["items"]
            return items

        before = await shown()
        assert [(each["id"], each["start_issue"]["name"]) for each in before] == [
            (ORDERED, "Spring")
        ]
        assert await shown(search="ADA 1001") == before
        assert [fault async for fault in check(db)] == []
        assert await refresh_read_model(db, 1) == ORDERED
        assert await refresh_read_model(db, 1) is None
        assert await shown() == await shown(search="ada") == before
        assert [fault async for fault in check(db)] == []


# --- links in waiting emails-----------------------------------------------------------------------

MOMENT = datetime(2026, 11, 20, tzinfo=UTC)
EMAIL = OWN | {
    "message_id": "<a@placeholder.example>",
    "recipient": "ann@acme.test",
    "subject": "Your way into Acme",
    "attempts": 0,
    "created_at": MOMENT,
    "next_attempt_at": MOMENT,
}


async def test_links_in_waiting_emails_are_removed_and_the_emails_are_not_sent(
    empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    token = new_token()
    bodies = {
        "waits": (True, f"Set it here:\n\nhttps://desk.acme.test/link/{token}/\n"),
        "old": (True, "no link"),
        "plain": (False, f"https://desk.acme.test/link/{token}/\n"),
        "over": (True, ""),
    }
    url = await asyncio.to_thread(made_by, "0003", empty_database, monkeypatch)

    async def work(tx: Transaction) -> None:
        for table in ("account", "app_user"):
            await tx.insert_rows(table, [ROWS[table]])
        for id, (is_secret, body) in bodies.items():
            status = "waiting" if body else "sent"
            row = {"id": id, "body": body, "is_secret": is_secret, "status": status}
            await tx.insert_rows("outbox", [EMAIL | row])
        link = {"digest": token_digest(token), "user_id": "ann", "created_at": MOMENT}
        end = datetime.now(UTC) + timedelta(days=1)
        await tx.insert_rows("sign_in_link", [link | {"expires_at": end}])

    async with opened(url) as db:
        await db.write(work)
    await asyncio.to_thread(migrate, url)
    async with opened(url) as db:
        rows = await db.fetch_all("SELECT * FROM outbox ORDER BY id", {})
        found = {row["id"]: (row["body"], row["link_digest"]) for row in rows}
        assert found["waits"] == (
            "Set it here:\n\nhttps://desk.acme.test/link/{token}/\n",
            token_digest(token),
        )
        assert {id: found[id] for id in ("old", "plain", "over")} == {
            id: (bodies[id][1], None) for id in ("old", "plain", "over")
        }
        assert await find_link(db, token) is None  # its maker is not known
        (email,) = [each for each in await list_due(db, 10) if each.id == "waits"]
        assert await begin_sending(db, email, domain="acme.test") is None


# --- entry types with another name ---------------------------------------------------------------

RENAMED_EVENTS = {
    ("account.letter", "account"): ("account.update_welcome_email", "account"),
    ("account.test_letter", "account"): ("account.test_welcome_email", "account"),
    ("letter.retry", "letter"): ("email.retry", "email"),
    ("subscription.settle", "subscription"): ("subscription.update_status", "subscription"),
    ("user.make_recovery_codes", "user"): ("user.create_recovery_codes", "user"),
    ("subscription.cancel", "subscription"): ("subscription.cancel", "subscription"),
    ("user.sign_in", "user"): ("user.sign_in", "user"),
}


async def test_audit_entries_of_version_0006_get_the_new_event_types(
    empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = await asyncio.to_thread(made_by, "0006", empty_database, monkeypatch)
    entries = [
        OWN
        | {"id": id, "happened_at": MOMENT, "actor_kind": "command", "actor_id": "tests"}
        | {"action": action, "subject_type": subject_type, "subject_id": "1"}
        | {"before": None, "after": '{"status":"Complete"}'}
        for id, (action, subject_type) in enumerate(RENAMED_EVENTS, 1)
    ]

    async def work(tx: Transaction) -> None:
        await tx.insert_rows("account", [ROWS["account"]])
        await tx.insert_rows("account_state", [ROWS["account_state"]])
        for entry in entries:
            await tx.insert_rows("audit", [entry])

    async with opened(url) as db:
        await db.write(work)
    assert await asyncio.to_thread(migrate, url) == ("0006", SCHEMA_VERSION)
    async with opened(url) as db:
        rows = await db.fetch_all("SELECT * FROM audit ORDER BY id", {})
        assert [(row["action"], row["subject_type"]) for row in rows] == list(
            RENAMED_EVENTS.values()
        )
        assert {row["action"] for row in rows} <= set(EntryType)
        kept = ("id", "happened_at", "actor_id", "subject_id", "before", "after")
        assert [[row[name] for name in kept] for row in rows] == [
            [entry[name] for name in kept] for entry in entries
        ]
