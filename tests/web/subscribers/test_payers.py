"""What pages and files say of a subscriber who pays for others: a giver, or a payer of invoices."""

import re
from typing import Any

from masthead.model.billing.payer_entry import PayerEntry
from masthead.services.billing.new_payers import write_chosen_payer
from tests.conftest import BY, Cast
from tests.support.billing import HOME, bill, turn_on_billing
from tests.support.factories import PLACEHOLDER_DOMAIN, import_row, make_issue
from tests.support.subscribers import found_by, make_gift, make_subscriber
from tests.web.conftest import Person
from tests.web.downloads.test_list_downloads import download
from tests.web.subscribers.test_pages import words

ANNA = {"email": "anna@acme.test", "first_name": "Anna", "last_name": "Schmidt"}
BEN = {"email": "ben@acme.test", "first_name": "Ben", "last_name": "Lind"}


async def make_payer(cast: Cast) -> str:
    """A company without a subscription that pays the invoices of Anna and Ben."""
    await turn_on_billing(cast)
    address = {f"payer_{name}": text for name, text in HOME.items()}
    payer = await write_chosen_payer(
        cast.db,
        cast.account_id,
        "",
        new_payer=PayerEntry(payer_company="Lindenverlag", **address),
        vat_id="",
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    assert payer
    for person in (ANNA, BEN):
        await bill(cast, start_issue=1, length=2, payer_id=payer, **person)
    return payer


async def cancel_all(cast: Cast, email: str) -> None:
    """Cancel the subscriptions of a subscriber."""
    for each in (await cast.get("/v1/subscriptions/", search=email)).json()["items"]:
        response = await cast.post(f"/v1/subscriptions/{each['id']}/cancel/", {"mode": "cancel"})
        assert response.status_code == 200, response.text


async def test_the_page_of_a_payer_says_for_whom_they_pay(acme: Cast, staff: Person) -> None:
    payer = await make_payer(acme)
    page = await staff.text("subscribers", payer)
    assert "Pays for 2 subscriptions of others: Ben Lind, Anna Schmidt" in words(page)
    assert "No active subscription" not in words(page)
    for email in ("anna@acme.test", "ben@acme.test"):
        [id] = await found_by(acme, email)
        assert f'href="{staff.address("subscribers", id)}"' in page
        [made] = (await acme.get("/v1/subscriptions/", search=email)).json()["items"]
        assert f'href="{staff.address("subscriptions", made["id"])}"' in page
    assert "Pays for others For Ben Lind" in words(page)


async def test_lists_and_searches_say_for_how_many_a_subscriber_pays(
    acme: Cast, staff: Person
) -> None:
    await make_payer(acme)
    page = words(await staff.text("subscribers"))
    assert "pays for 2" in page
    assert "Lindenverlag no email Germany" in page
    found = await staff.text("subscribers", search="linden")
    assert "pays for 2" in words(found)
    suggested = await staff.text("subscribers", "suggestions", search="linden")
    assert "pays for 2 subscriptions" in " ".join(suggested.split())
    assert "0" not in re.sub("<[^>]*>|89073", "", suggested)
    listed = await download(staff, "downloads", "subscribers", "csv")
    [payer] = [row for row in listed if row["full_name"] == "Lindenverlag"]
    assert (payer["country"], payer["country_name"]) == ("DE", "Germany")
    assert {row["full_name"]: row["pays_for"] for row in listed} == {
        "Lindenverlag": "2",
        "Anna Schmidt": "0",
        "Ben Lind": "0",
    }


async def test_a_payer_of_cancelled_subscriptions_paid_for_them(acme: Cast, staff: Person) -> None:
    payer = await make_payer(acme)
    await cancel_all(acme, "anna@acme.test")
    page = words(await staff.text("subscribers", payer))
    assert "Pays for 1 subscription of others: Ben Lind" in page
    await cancel_all(acme, "ben@acme.test")
    page = words(await staff.text("subscribers", payer))
    assert "Paid for 2 subscriptions of others, which have ended" in page
    assert "paid for 2, ended" in words(await staff.text("subscribers", search="linden"))


async def test_a_giver_pays_for_their_gifts_in_addition_to_their_own(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    giver = await make_subscriber(acme, "giver@acme.test", first_name="Gil")
    await make_gift(acme, giver=giver, **ANNA)
    page = words(await staff.text("subscribers", giver))
    assert "Active subscriber. Pays for 1 subscription of others: Anna Schmidt" in page
    assert "Pays for others Gift to Anna Schmidt" in page
    assert "1, active; pays for 1" in words(await staff.text("subscribers"))


async def test_the_giver_of_an_imported_gift_is_known_by_their_email(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    giver = await make_subscriber(acme, "Giver@acme.test", first_name="Gil")
    names = {"is_gift": "true", "gifter_name": "Gil", "gifter_email": "giver@acme.test"}
    await import_row(acme, start_issue="1", length="1", **names, **ANNA)
    page = words(await staff.text("subscribers", giver))
    assert "Pays for 1 subscription of others: Anna Schmidt" in page


async def test_a_gift_whose_invoice_goes_to_a_company_is_paid_by_the_company(
    acme: Cast, staff: Person
) -> None:
    payer = await make_payer(acme)
    giver = await make_subscriber(acme, "giver@acme.test", first_name="Gil", **HOME)
    gift = {"is_gift": True, "gifter_id": giver, "email": "eve@acme.test", "first_name": "Eve"}
    await bill(acme, start_issue=1, length=1, payer_id=payer, **gift)
    page = words(await staff.text("subscribers", giver))
    assert "Active subscriber. " not in page
    assert "Gift to Eve" in page
    assert "somebody else pays" in page
    assert "Pays for 3 subscriptions" in words(await staff.text("subscribers", payer))


async def test_who_has_nothing_and_pays_for_nobody_is_said_to_have_no_subscription(
    acme: Cast, staff: Person
) -> None:
    payer = await make_payer(acme)
    for email in ("anna@acme.test", "ben@acme.test"):
        [made] = (await acme.get("/v1/subscriptions/", search=email)).json()["items"]
        await bill_to_recipient(acme, made)
    page = words(await staff.text("subscribers", payer))
    assert "No active subscription" in page
    assert "Pays for" not in page


async def bill_to_recipient(cast: Cast, made: dict[str, Any]) -> None:
    """Renew a subscription, whose subscriber gets the invoice."""
    body = {
        "source": cast.shop,
        "order_id": f"RENEWAL-{made['id']}",
        "order_date": "2026-06-01",
        "length": 1,
        "price": "30.00",
        "is_billed": True,
        "payer_id": made["subscriber"]["id"],
    }
    response = await cast.post(f"/v1/subscriptions/{made['id']}/renewals/", body)
    assert response.status_code == 201, response.text
