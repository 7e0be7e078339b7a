"""The list of who renewed: the order that renewed a subscription, its date, and how it came."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.letters.outcomes import LetterChannel
from masthead.services import accounts
from tests.conftest import BY, Cast
from tests.support.factories import import_row, make_issue, make_subscription
from tests.support.letters import execute, set_up, write
from tests.web.conftest import Person, fields_of
from tests.web.downloads.test_list_downloads import download
from tests.web.subscribers.test_pages import words

OLD = {"start_issue": "1", "length": "1", "order_id": "OLD-ORDER", "email": "ada@acme.test"}
SEND_ALL = (
    "UPDATE renewal_letter SET status = 'sent', ended_at = created_at"
    " WHERE account_id = :account_id"
)
AGAIN = {"renews": "OLD-ORDER", "order_id": "NEW-ORDER", "start_issue": "", "length": "2"}


async def make_issues(acme: Cast) -> None:
    for number in range(1, 6):
        await make_issue(acme, number, release_date_actual=f"2026-{number:02}-01")


async def listed(person: Person, **query: str) -> str:
    """The rows of a list, as words."""
    page = await person.text("ending", "retention", "list", **query)
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return words(f"<main>{body}")


@pytest.mark.parametrize("is_recurring", [True, False])
async def test_a_renewal_is_shown_with_its_order_and_its_date(
    acme: Cast, owner: Person, is_recurring: bool
) -> None:
    await make_issues(acme)
    await import_row(acme, **OLD, is_recurring=str(is_recurring).lower())
    await import_row(acme, **AGAIN, order_date="2026-02-03")
    page = await listed(owner, issue="1", renewed="3")
    how = "automatically" if is_recurring else "order from “Import”"
    assert f"3 Feb 2026 NEW-ORDER issues 2–3 {how}" in page
    assert "OLD-ORDER" not in page
    assert "15 Jan 2026" not in page  # when the old one was ordered
    query = {"issue": "1", "renewed": "3"}
    [row] = await download(owner, "downloads", "ended-with-issue", "csv", **query)
    assert (row["renewal_order_id"], row["renewed_date"]) == ("NEW-ORDER", "2026-02-03")
    assert row["renewed_how"] == how


async def test_a_new_subscription_that_renews_an_old_one_is_shown(
    acme: Cast, owner: Person
) -> None:
    await make_issues(acme)
    await import_row(acme, **OLD)
    made = await make_subscription(
        acme, email="ada@acme.test", start_issue=2, length=4, order_date="2026-01-20"
    )
    page = await owner.text("ending", "retention", "list", issue="1", renewed="1")
    assert f'href="{owner.address("subscriptions", made["id"])}"' in page
    assert "20 Jan 2026" in await listed(owner, issue="1", renewed="1")
    assert "issues 2–5 order from “Shop”" in await listed(owner, issue="1", renewed="1")


async def test_who_was_not_renewed_is_said_among_all(acme: Cast, owner: Person) -> None:
    await make_issues(acme)
    await import_row(acme, **OLD)
    await import_row(acme, **AGAIN, order_date="2026-02-03")
    await make_subscription(acme, first_name="Bob", length=1)
    page = await listed(owner, issue="1")
    assert "NEW-ORDER" in page
    assert "not renewed" in page
    assert "New order" not in await owner.text(
        "ending", "retention", "list", issue="1", renewed="no"
    )


async def renew_on_its_page(person: Person, made: dict[str, Any], day: date) -> None:
    """Renew a subscription by hand, for two issues."""
    path = "subscriptions", made["id"], "renew"
    fields = fields_of(await person.text(*path))
    fields |= {"price": "45.50", "length": "2", "order_date": day.isoformat()}
    response = await person.send(person.address(*path), fields)
    assert response.status_code == 303, response.text


async def test_a_renewal_by_hand_names_the_user_and_the_letter_before(
    acme: Cast, staff: Person
) -> None:
    await set_up(acme)
    made = await import_row(acme, start_issue="1", length="3", email="ada@acme.test")
    await write(acme, channel=LetterChannel.EMAIL)
    await execute(acme, SEND_ALL)
    await renew_on_its_page(staff, made, now().date())
    page = await listed(staff, issue="3")
    assert f"issues 4–5 by hand, by {staff.email}" in page
    assert "after the email of" in page


async def test_a_letter_after_the_renewal_did_not_lead_to_it(acme: Cast, staff: Person) -> None:
    await set_up(acme)
    made = await import_row(acme, start_issue="1", length="3", email="ada@acme.test")
    await write(acme, channel=LetterChannel.EMAIL)
    await execute(acme, SEND_ALL)
    await renew_on_its_page(staff, made, now().date() - timedelta(days=3))
    page = await listed(staff, issue="3")
    assert f"by hand, by {staff.email}" in page
    assert "after the email of" not in page


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati"])
async def test_the_day_of_a_letter_is_that_of_the_account(
    acme: Cast, staff: Person, zone: str
) -> None:
    await set_up(acme)
    made = await import_row(acme, start_issue="1", length="3", email="ada@acme.test")
    await write(acme, channel=LetterChannel.EMAIL)
    await execute(acme, SEND_ALL)
    day = now().date() - timedelta(days=3)
    noon = datetime.combine(day, time(12), UTC)  # two o'clock of the next day on Kiritimati
    await execute(
        acme, "UPDATE renewal_letter SET ended_at = :noon WHERE account_id = :account_id", noon=noon
    )
    await accounts.update_account(acme.db, acme.account_id, time_zone=zone, by=BY)
    await renew_on_its_page(staff, made, day)
    assert ("after the email of" in await listed(staff, issue="3")) == (zone == "UTC")
