"""What the order form says beside its fields: who gets what, and what happens on saving."""

import re

import pytest

from masthead.services.accounts import update_account
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import make_issue
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED
from tests.web.orders.test_billing import BILLED
from tests.web.subscribers.test_pages import words


async def summary_of(owner: Person, **typed: str) -> str:
    """The words of the summary, after the button without scripts that updates it."""
    address = owner.address("subscriptions", "new")
    initial = fields_of(await owner.text("subscriptions", "new"))
    page = await owner.post(address, {**initial, **TYPED, **typed, "do": "summary"})
    assert page.status_code == 200
    found = words(page).partition("This order")[2].partition("Update the summary")[0]
    return re.sub(r"\s+", " ", found).strip()


async def test_a_paid_order_is_summed_up(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1)
    shown = await summary_of(owner)
    assert "Gets it Ada" in shown
    assert "Issues 1 to 4 (4 issues)" in shown
    assert "Price €42.00" in shown
    assert "It is paid already" in shown
    assert "No invoice is issued." in shown
    assert "Invoice to" not in shown


async def test_one_issue_several_copies_and_a_gift_are_named(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1)
    shown = await summary_of(
        owner, length="1", copies="3", is_gift="y", gifter_last_name="Lund", company="Library"
    )
    assert "Given by Lund" in shown
    assert "3 copies of each issue" in shown
    assert "1 (one issue)" in shown


async def test_an_invoice_is_announced_with_its_payer(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    shown = await summary_of(owner, **BILLED, send_welcome_email="y")
    assert "An invoice is issued. Print it from the next page." in shown
    assert "The welcome email is sent." in shown
    other = await summary_of(owner, **BILLED, is_other_payer="y", payer_company="Town of Ulm")
    assert "Invoice to Town of Ulm" in other
    waits = await summary_of(owner, **BILLED, is_other_payer="y", bills_together="y")
    assert "The order waits for the invoice of all orders of this payer." in waits
    assert "not chosen yet" in waits


@pytest.mark.usefixtures("mail_server")
async def test_an_invoice_that_is_emailed_is_announced(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    assert "An invoice is issued and emailed." in await summary_of(
        owner, **BILLED, sends_invoice="y"
    )


async def test_a_payment_that_is_not_chosen_is_named(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    open_ = await summary_of(owner)
    assert "Payment not chosen yet" in open_
    assert "No invoice is issued." not in open_
    paid = await summary_of(owner, is_billed="")
    assert "Payment It is paid already" in paid
    assert "No invoice is issued." in paid


async def test_the_language_of_the_invoice_is_that_of_who_gets_it(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    assert "Language of the invoice English Languages by country" in await summary_of(
        owner, **BILLED
    )
    assert "Language of the invoice" not in await summary_of(owner, is_billed="")
    await update_account(acme.db, acme.account_id, country_languages={"DE": "de"}, by=BY)
    assert "Language of the invoice German" in await summary_of(owner, **BILLED)
    assert "Language of the invoice English" in await summary_of(owner, **BILLED, country="FR")
    gift = BILLED | {"is_gift": "y", "gifter_last_name": "Lund", "gifter_country": "FR"}
    assert "Language of the invoice English" in await summary_of(owner, **gift)
    other = BILLED | {"is_other_payer": "y", "payer_company": "Town of Ulm", "country": "FR"}
    german = await summary_of(owner, **other, payer_country="DE")
    assert "Language of the invoice German Change it" in german
    english = await summary_of(owner, **other, payer_country="DE", payer_language="en")
    assert "Language of the invoice English" in english


async def test_the_language_of_a_payer_who_is_known_is_theirs(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme, email="agency@example.test")).payer_id
    chosen = BILLED | {"is_other_payer": "y", "payer_id": payer}
    assert "Language of the invoice English Change it (in a new tab)" in await summary_of(
        owner, **chosen
    )
    edited = owner.address("subscribers", payer, "edit")
    await owner.send(edited, {"language": "de"})
    assert "Language of the invoice German" in await summary_of(owner, **chosen)


async def test_vat_that_is_added_is_named_beside_the_price(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    assert "Price €42.00, plus VAT" in await summary_of(owner, **BILLED)


async def test_what_is_wrong_is_left_out(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1)
    shown = await summary_of(owner, first_name="", length="four", price="free")
    assert "Gets it" not in shown
    assert "Issues" not in shown
    assert "Price" not in shown
    free = await summary_of(owner, is_comp="y", price="")
    assert "Price free of charge" in free


async def test_the_part_that_a_script_loads_is_the_summary_alone(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1)
    part = await owner.http.post(
        owner.address("subscriptions", "new"),
        data={**TYPED, "start_issue": "1", "do": "summary"},
        headers={"HX-Request": "true", "HX-Target": "summary", "Sec-Fetch-Site": "same-origin"},
    )
    assert part.text.strip().startswith("<dl")
    assert "<form" not in part.text
    assert "1 to 4 (4 issues)" in part.text
