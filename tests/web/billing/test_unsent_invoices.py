"""Invoices that are not sent yet: on Home, in the list, and where they are sent."""

from datetime import timedelta

import pytest

from masthead.model.identity.rights import ALL_RIGHTS, Right
from masthead.services.privacy.erase import erase_subscriber
from masthead.store.billing.invoices import StoredInvoice
from tests.conftest import BY, Cast
from tests.services.billing.test_payments import pay
from tests.support.billing import bill_one, read_invoice, turn_on_billing
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words
from tests.web.test_rights import give

HOME_LINE = "Invoices not sent yet"


async def issue(cast: Cast, name: str, *, days_ago: int = 0, **fields: object) -> StoredInvoice:
    """The invoice of an order, issued some days ago."""
    invoice = await bill_one(
        cast, **{"order_id": name, "email": f"{name}@x.test", "last_name": name, **fields}
    )
    day = invoice.document.issue_date - timedelta(days_ago)

    async def work(tx: object) -> None:
        await tx.execute(  # type: ignore[attr-defined]
            "UPDATE invoice SET issue_date = :day WHERE account_id = :account_id AND id = :id",
            {"day": day, "account_id": cast.account_id, "id": invoice.id},
        )

    await cast.db.write(work, account_id=cast.account_id)
    return await read_invoice(cast, invoice.id)


async def unsent_names(owner: Person) -> set[str]:
    """The payers in the list of what is not sent, which Home counts and leads to."""
    home, listed = await owner.text(), words(await owner.see("money", "invoices", show="unsent"))
    names = {each for each in ("Arp", "Berg", "Celik", "Dahl") if each in listed}
    if names:
        assert f"{HOME_LINE} {len(names)} Show" in words(home).replace("</strong>", "")
        assert "/money/invoices/?show=unsent" in home
    else:
        assert HOME_LINE not in home
    return names


async def test_a_file_can_be_downloaded_again_and_does_not_count_as_sent(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    arp = await issue(acme, "Arp")
    pdf = owner.address("money", "invoices", arp.id, "pdf")
    for _time in range(2):
        assert f'href="{pdf}"' in await owner.text("money", "invoices", arp.id)
        assert (await owner.http.get(pdf)).content.startswith(b"%PDF")
    assert await unsent_names(owner) == {"Arp"}


@pytest.mark.usefixtures("mail_server")
async def test_home_leads_to_exactly_the_invoices_that_are_not_sent(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    arp, berg, celik, dahl = [
        await issue(acme, name, days_ago=9) for name in ("Arp", "Berg", "Celik", "Dahl")
    ]
    assert await unsent_names(owner) == {"Arp", "Berg", "Celik", "Dahl"}
    await owner.send(owner.address("money", "invoices", arp.id, "email"))
    assert await unsent_names(owner) == {"Berg", "Celik", "Dahl"}
    await owner.post(owner.address("money", "invoices", berg.id, "posted"))
    await pay(acme, amount="60.00", invoices=[{"number": celik.document.number}])
    assert await unsent_names(owner) == {"Dahl"}
    found = words(await owner.see("money", "invoices", search="x.test"))
    assert found.count("not sent yet") == 1
    await erase_subscriber(
        acme.db,
        acme.account_id,
        dahl.payer_id,
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    assert await unsent_names(owner) == set()


@pytest.mark.usefixtures("mail_server")
async def test_a_stopped_email_leaves_the_invoice_to_be_sent(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    arp = await issue(acme, "Arp")
    await owner.send(owner.address("money", "invoices", arp.id, "email"))
    day = arp.document.issue_date.isoformat()
    days = {"first_day": day, "last_day": day}
    await owner.post(owner.address("money", "invoices", "send", "stop"), days)
    assert await unsent_names(owner) == {"Arp"}


async def test_staff_without_the_right_to_bill_do_not_see_the_line(
    staff: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    await issue(acme, "Arp")
    assert HOME_LINE in await staff.text()
    await give(acme.db, acme, staff, ALL_RIGHTS - {Right.BILL})
    assert HOME_LINE not in await staff.text()


@pytest.mark.usefixtures("mail_server")
async def test_sending_begins_with_the_oldest_that_is_not_sent(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    posted = await issue(acme, "Arp", days_ago=20)
    oldest = await issue(acme, "Berg", days_ago=9, email=None)
    await issue(acme, "Celik")
    await owner.post(owner.address("money", "invoices", posted.id, "posted"))
    page = await owner.text("money", "invoices", "send")
    first_day = oldest.document.issue_date - timedelta(9)
    assert f'name="first_day" type="date" value="{first_day}"' in page
    assert "Arp" not in words(page)
    assert "Mark 1 as sent by post" in words(page)
    await owner.send(
        owner.address("money", "invoices", "send", "posted"),
        {"first_day": str(first_day), "last_day": str(oldest.document.issue_date)},
        opened=owner.address("money", "invoices", "send"),
    )
    assert await unsent_names(owner) == {"Celik"}


async def test_a_mark_by_mistake_is_taken_back(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    arp = await issue(acme, "Arp")
    page = words(await owner.see("money", "invoices", arp.id))
    assert "Sent Not sent yet" in page
    for _ in range(2):
        await owner.post(owner.address("money", "invoices", arp.id, "posted"))
    page = words(await owner.see("money", "invoices", arp.id))
    assert "Sent By post" in page
    assert page.count("Marked as sent by post") == 1
    await owner.post(owner.address("money", "invoices", arp.id, "not-posted"))
    assert "Sent Not sent yet" in words(await owner.see("money", "invoices", arp.id))
    assert await unsent_names(owner) == {"Arp"}
