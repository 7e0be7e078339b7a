"""Reminders in the history of the payer, for users who see money."""

import re

import pytest

from masthead.model.identity.rights import Right
from masthead.services import timeline
from tests.conftest import Cast
from tests.support.days import pass_on
from tests.support.factories import make_subscription
from tests.support.reminders import due, remind
from tests.web.conftest import Person
from tests.web.letters.test_pages import text_of
from tests.web.reminders.test_pages import two_late
from tests.web.test_rights import give

pytestmark = pytest.mark.usefixtures("mail_server")
FIRST = "Reminder, stage 1: Payment reminder, €61.00 (waiting to be sent)"


async def history_of(person: Person, *place: str, **query: str) -> str:
    """The rows of the history at the end of a page."""
    page = await person.text(*place, **query)
    return page.partition('id="events-title"')[2].partition("<h2")[0]


async def test_a_reminder_is_in_the_history_of_the_payer(
    owner: Person, staff: Person, acme: Cast
) -> None:
    invoice, other = await two_late(acme, hold_stage=1)
    subscriber = ("subscribers", invoice.payer_id)
    assert "Reminder" not in await history_of(owner, *subscriber)
    await due(acme, 1)
    await remind(acme, 1)
    shown = await history_of(owner, *subscriber)
    assert text_of(shown).index(FIRST) < text_of(shown).index("Ordered")
    assert shown.count("Reminder, stage") == 1
    [link] = re.findall(r'href="([^"]*/money/reminders/letters/[^"]*)"', shown)
    assert "€61.00" in (await owner.http.get(link)).text
    assert "Reminder, stage 1" in await history_of(owner, "subscribers", other.payer_id)
    whole = await owner.text(*subscriber, "history")
    number, page = invoice.document.number, owner.address("money", "invoices", invoice.id)
    assert f"Reminder written: {number}" in text_of(whole)
    assert f'href="{page}"' in whole
    assert "Invoice issued" not in text_of(whole)
    assert "Invoice issued" in text_of(await owner.text("money", "invoices", invoice.id))
    await give(acme.db, acme, staff, frozenset({Right.CORRECT}))
    assert "Reminder" not in await history_of(staff, *subscriber)
    assert "Reminder written" not in text_of(await staff.text(*subscriber, "history"))


async def test_a_reminder_is_on_the_page_of_its_time(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    invoice, _other = await two_late(acme)
    await due(acme, 1)
    await remind(acme, 1)
    await pass_on(acme, "2026-06-24")
    await due(acme, 2)
    await remind(acme, 2)
    email = {"email": "ada@example.org", "first_name": "Ada", "last_name": None}
    made = [await make_subscription(acme, **email) for _ in range(2)]
    assert {each["subscriber"]["id"] for each in made} == {invoice.payer_id}
    pages, query = list[str](), dict[str, str]()
    original = timeline.list_events

    async def few(*values: object, **names: object) -> timeline.History:
        return await original(*values, **{**names, "limit": 2})  # type: ignore[arg-type]

    monkeypatch.setattr(timeline, "list_events", few)
    while True:
        page = text_of(await history_of(owner, "subscribers", invoice.payer_id, **query))
        pages.append(page)
        full = await owner.text("subscribers", invoice.payer_id, **query)
        older = re.search(r'href="[^"]*events=(\d+)', full)  # not in the menu of languages
        if older is None:
            break
        query = {"events": older[1]}
    assert len(pages) > 1
    assert "Reminder" not in pages[0]
    text = " ".join(pages)
    assert text.count("Reminder, stage 1") == text.count("Reminder, stage 2") == 1
    assert text.index("Reminder, stage 2") < text.index("Reminder, stage 1")
