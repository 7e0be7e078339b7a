"""The pages of sandboxes: create one, move its clock, read its emails, reset and delete it."""

import pytest
from starlette.applications import Starlette

from masthead.model.billing.settings import BillingInput
from masthead.model.validation import decode_input
from masthead.services.billing.settings import save_settings
from masthead.services.sandboxes.clock import get_clock
from masthead.store.accounts import find_account
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast
from tests.support.billing import SETTINGS
from tests.web.conftest import Person


async def test_an_owner_creates_plays_resets_and_deletes_a_sandbox(
    owner: Person, acme: Cast, db: Database, app: Starlette
) -> None:
    assert "This is a sandbox" not in await owner.text()
    made = await owner.send(owner.address("settings", "sandbox"))
    assert made.status_code == 303, made.text
    account = await find_account(db, f"{acme.subdomain}-sandbox")
    assert account is not None
    assert account.is_sandbox
    assert account.name == "Acme, sandbox"

    owner.at = account.subdomain
    clock = owner.address("settings", "sandbox")
    assert "This is a sandbox. Today is 1 January 2026" in await owner.text("subscribers")
    assert "1 January 2026" in await owner.text("settings", "sandbox")
    assert (await owner.send(clock, {"do": "to", "to": "2026-02-01"})).status_code == 303
    assert (await get_clock(db, account.id)).day.isoformat() == "2026-02-01"
    assert (await owner.send(clock, {"do": "charge"})).status_code == 303
    assert (await get_clock(db, account.id)).day.isoformat() == "2026-02-06"
    refused = await owner.send(clock, {"do": "to", "to": "2026-01-01"})
    assert refused.status_code == 400
    assert "The clock only moves forward" in refused.text

    welcome = owner.address("settings", "welcome-email")
    await owner.send(welcome, {"do": "test"})
    assert (await owner.http.get(owner.address("outbox", "NOSUCH"))).status_code == 404
    page = await owner.text("outbox")
    assert acme.owner in page
    email = next(part.split('"')[0] for part in page.split('href="')[1:] if "/outbox/0" in part)
    shown = (await owner.http.get(email)).text
    assert f"<bdi>{acme.owner}</bdi>" in shown
    assert "Welcome to Acme, sandbox" in shown

    await save_settings(db, account.id, decode_input(BillingInput, SETTINGS), by=BY)
    await owner.send(owner.address("settings", "reminders"), {"do": "adopt"})
    tested = await owner.send(owner.address("settings", "reminders", 1), {"do": "test"})
    assert f"Sending a test to <bdi>{acme.owner}</bdi>" in tested.text

    assert (await owner.send(owner.address("settings", "sandbox", "reset"))).status_code == 303
    assert (await get_clock(db, account.id)).day.isoformat() == "2026-01-01"
    assert "There are no emails yet" in await owner.text("outbox")
    assert (await owner.send(owner.address("settings", "sandbox", "delete"))).status_code == 303
    assert await find_account(db, account.subdomain) is None


@pytest.mark.parametrize(
    "path", [("settings", "sandbox", "reset"), ("settings", "sandbox", "delete"), ("outbox",)]
)
async def test_an_account_with_real_time_has_no_such_pages(
    owner: Person, path: tuple[str, ...]
) -> None:
    assert (await owner.see(*path)).status_code == 404
    if path != ("outbox",):
        assert (await owner.post(owner.address(*path))).status_code == 404


async def test_staff_cannot_create_or_move_a_sandbox(staff: Person) -> None:
    assert (await staff.see("settings", "sandbox")).status_code == 403
