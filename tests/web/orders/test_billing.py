"""Orders that are billed: who pays, until when, and what the next page says."""

from datetime import timedelta

import pytest

from masthead.model.billing.vat import VatRate
from masthead.model.orders.offers import Offer
from masthead.model.types.enums import Medium
from masthead.services.billing.payers import update_payer
from masthead.services.billing.settings import delete_rate, save_rate
from masthead.services.products import create_product
from masthead.store.accounts import get_account
from tests.conftest import BY, Cast
from tests.support.billing import RATES, bill_one, newest_invoices, turn_on_billing
from tests.support.factories import make_issue
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED, subscribers, subscriptions
from tests.web.subscribers.test_pages import words

BILLED = {"is_billed": "y", "due_days": "30"}
TOWN_HALL = {
    "is_other_payer": "y",
    "payer_company": "Town of Ulm",
    "payer_address1": "Marktplatz 1",
    "payer_postcode": "89073",
    "payer_city": "Ulm",
    "payer_country": "DE",
    "vat_id": "DE 136 695 976",
    "order_reference": "PO 77",
}


async def order(person: Person, fields: dict[str, str], **query: str) -> str:
    """Send the order form; the words of the page that comes then."""
    response = await person.send(person.address("subscriptions", "new"), {**TYPED, **fields})
    if response.status_code == 303:
        response = await person.http.get(response.headers["Location"])
    return words(response)


async def test_an_account_without_settings_offers_no_invoice(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    page = await owner.text("subscriptions", "new")
    assert "By invoice" not in page
    assert "An order can also be paid later, by invoice: set up invoices first." in words(page)
    assert owner.address("settings", "billing") in page
    refused = await order(owner, BILLED)
    assert "settings of invoices" in refused
    assert await subscriptions(acme) == []


async def test_an_order_by_invoice_is_billed_to_the_subscriber(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    page = await order(owner, BILLED | {"order_reference": "PO 77"})
    [invoice] = await newest_invoices(acme)
    assert f"Invoice {invoice.document.number} is issued" in page
    assert invoice.document.order_reference == "PO 77"
    assert (invoice.document.due_date - invoice.document.issue_date).days == 30
    assert invoice.document.payer.name == "Ada"
    again = await owner.post(owner.address("subscriptions", "new"), owner.sent)
    assert again.status_code == 303
    assert len(await newest_invoices(acme)) == 1


async def test_how_an_order_is_paid_is_one_question(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    page = words(await owner.text("subscriptions", "new"))
    asked, method = page.index("How is it paid?"), page.index("How it was paid")
    assert asked < page.index("By invoice") < method
    billed = await owner.post(
        owner.address("subscriptions", "new"), {**TYPED, **BILLED, "do": "bill"}
    )
    assert "How it was paid" not in words(billed)


async def test_the_focus_stays_when_a_choice_renders_the_form_again(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    for name in ("Year", "Half a year"):
        await create_product(acme.db, acme.account_id, name=name, offer=Offer(), by=BY)
    choice = {**TYPED, **BILLED, "do": "bill"}
    response = await owner.post(owner.address("subscriptions", "new"), choice)
    assert 'name="product"' in response.text
    assert "autofocus" not in response.text


async def test_a_missing_rate_of_vat_has_a_link_to_where_it_is_added(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    response = await owner.send(
        owner.address("subscriptions", "new"), {**TYPED, **BILLED, "country": "FR"}
    )
    assert response.status_code == 400
    assert "There is no rate of VAT" in words(response)
    link = f'<a href="{owner.address("settings", "vat")}" target="_blank">'
    assert link in response.text


async def test_a_missing_exchange_rate_has_a_link_to_where_it_is_added(
    owner: Person, acme: Cast
) -> None:
    """The account has euros, but the publisher is in Denmark."""
    await turn_on_billing(acme, country="DK", vat_id="DK13585628")
    fields = {**TYPED, **BILLED, "country": "DK", "postcode": "2100"}
    response = await owner.send(owner.address("subscriptions", "new"), fields)
    assert response.status_code == 400
    assert "There is no exchange rate of EUR on" in words(response)
    link = f'<a href="{owner.address("settings", "vat", "exchange-rates")}" target="_blank">'
    assert link in response.text
    assert await subscriptions(acme) == []


async def test_a_missing_vat_id_of_the_publisher_has_a_link_to_where_it_is_added(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme, vat_id="", tax_number="22/815/08154")
    fields = {**TYPED, **BILLED, "country": "FR", "company": "Été SARL", "vat_id": "FR40303265045"}
    response = await owner.send(owner.address("subscriptions", "new"), fields)
    assert response.status_code == 400
    assert "Acme Verlag GmbH has no VAT id" in words(response)
    link = f'<a href="{owner.address("settings", "billing")}" target="_blank">'
    assert link in response.text
    assert await subscriptions(acme) == []


async def test_the_giver_pays_for_a_gift_by_invoice(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    gift = {
        "is_gift": "y",
        "gifter_first_name": "Mrs A",
        "gifter_email": "a@example.test",
    }
    refused = await order(owner, BILLED | gift)
    assert "An invoice must have the address of who pays." in refused
    assert (
        'value="a@example.test"'
        in (await owner.post(owner.address("subscriptions", "new"), owner.sent)).text
    )
    address = {"gifter_address1": "Am Wall 2", "gifter_city": "Bremen", "gifter_country": "DE"}
    await order(owner, BILLED | gift | address)
    [invoice] = await newest_invoices(acme)
    assert invoice.document.payer.name == "Mrs A"
    assert invoice.document.lines[0].detail.endswith("for Ada")


async def test_the_address_of_a_giver_is_asked_for_with_the_choice_of_an_invoice(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    gift = {**TYPED, "is_gift": "y", "gifter_first_name": "Mrs A", "do": "gift"}
    new = owner.address("subscriptions", "new")

    async def shown(**fields: str) -> str:
        return words(await owner.post(new, gift | fields))

    needed = "The invoice needs the postal address of the giver. Type it above"
    paid = await shown()
    assert needed not in paid
    assert "For letters and invoices to the giver." in paid
    assert "Street and number optional" in paid
    billed = await shown(is_billed="y")
    assert needed in billed
    assert "The invoice needs it: it goes to the giver. The copies go to the recipient." in billed
    assert "Street and number optional" not in billed
    typed = await shown(is_billed="y", gifter_address1="Am Wall 2")
    assert needed not in typed
    assert "Street and number optional" not in typed
    other = await shown(is_billed="y", is_other_payer="y")
    assert needed not in other
    assert "Street and number optional" in other


async def test_a_library_orders_three_copies_and_the_town_hall_pays(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    page = await order(owner, BILLED | TOWN_HALL | {"copies": "3", "price": "120.00"})
    [invoice] = await newest_invoices(acme)
    assert f"Invoice {invoice.document.number} is issued" in page
    payer = invoice.document.payer
    assert (payer.name, payer.vat_id, payer.city) == ("Town of Ulm", "DE136695976", "Ulm")
    assert invoice.document.total == 12000
    assert len(await subscriptions(acme)) == 3
    found = {each["full_name"]: each["subscription_count"] for each in await subscribers(acme)}
    assert found == {"Town of Ulm": 0, "Ada": 3}
    listed = await owner.text("subscribers", search="Town of Ulm")
    assert "Town of Ulm" in listed


async def test_a_new_payer_has_a_language(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await order(owner, BILLED | TOWN_HALL | {"payer_language": "de"})
    [invoice] = await newest_invoices(acme)
    assert invoice.document.language == "de_DE"
    edited = await owner.text("subscribers", invoice.payer_id, "edit")
    assert fields_of(edited)["language"] == "de"
    refused = await order(owner, BILLED | TOWN_HALL | {"payer_language": "xx"})
    assert "Language of the invoice" in refused
    assert len(await newest_invoices(acme)) == 1


async def test_a_payer_who_is_known_is_not_made_again(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await order(owner, BILLED | TOWN_HALL)
    other = {"email": "bob@example.test", "first_name": "Bob", "address1": "Ring 7"}
    asked = await order(owner, BILLED | TOWN_HALL | other)
    assert "The payer may be a subscriber that you already have" in asked
    [known] = [each for each in await subscribers(acme) if each["full_name"] == "Town of Ulm"]
    chosen = {"is_other_payer": "y", "payer_id": known["id"]}
    await order(owner, BILLED | chosen | other)
    assert [each.payer_id for each in await newest_invoices(acme)] == [known["id"]] * 2


async def test_a_new_payer_needs_an_address_and_a_valid_vat_id(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    wrong = {**TOWN_HALL, "payer_address1": "", "payer_city": "", "payer_postcode": ""}
    page = await order(owner, BILLED | wrong | {"vat_id": "DE136695977", "due_days": "400"})
    assert "The address is missing. An invoice must have the address of who pays." in page
    assert "is not a valid VAT ID of Germany. Check the digits; there is a typing error." in page
    assert "choose “Replace this invoice” on the page of the invoice, and type it there." in page
    assert "Type a whole number from 0 to 365." in page
    assert await subscriptions(acme) == []
    page = (await owner.post(owner.address("subscriptions", "new"), owner.sent)).text
    for field in ("payer_address1", "vat_id", "due_days"):  # each has a link above the form
        assert f'<a href="#{field}">' in page
        assert f'id="{field}"' in page


@pytest.mark.parametrize(
    "country, town, refused",
    [("DE", "Ulm", "Type the postcode: in Germany, one looks like"), ("IE", "Dublin", "")],
)
async def test_a_new_payer_needs_the_postcode_that_the_post_needs(
    owner: Person, acme: Cast, country: str, town: str, refused: str
) -> None:
    """An issued invoice could only be corrected by another one."""
    await turn_on_billing(acme)
    given = {"payer_postcode": "", "payer_country": country, "payer_city": town}
    page = await order(owner, BILLED | TOWN_HALL | given)
    assert refused in page
    assert len(await subscriptions(acme)) == (0 if refused else 1)


async def test_a_known_payer_is_found_chosen_and_forgotten(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme, first_name="Ruth", last_name="Agency")).payer_id
    typed = {**TYPED, **BILLED, "is_other_payer": "y", "payer_find": "agency"}
    address = owner.address("subscriptions", "new")
    found = await owner.post(address, {**typed, "do": "find-payer"})
    assert f'value="payer:{payer}"' in found.text
    shown = await owner.post(address, {**TYPED, "is_billed": "y", "do": "bill"})
    assert 'name="due_days" type="text" value="14"' in shown.text
    chosen = await owner.post(address, {**typed, "do": f"payer:{payer}"})
    assert f'name="payer_id" type="hidden" value="{payer}"' in chosen.text
    assert "Invoice to Ruth Agency" in words(chosen)
    forgotten = await owner.post(address, {**typed, "payer_id": payer, "do": "forget-payer"})
    assert "Find the payer" in words(forgotten)


async def test_the_form_shows_the_total_with_vat(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    address = owner.address("subscriptions", "new")
    shown = await owner.post(address, {**TYPED, **BILLED, "country": "DE", "do": "total"})
    assert "Total with VAT: €44.94 (€2.94 of it is VAT)." in words(shown)
    await order(owner, BILLED)
    [invoice] = await newest_invoices(acme)
    assert invoice.document.total == 4494


async def test_the_total_has_the_rate_of_the_last_issue(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    today = (await get_account(acme.db, acme.account_id)).daily_date
    for number in (2, 3, 4):
        day = today + timedelta(days=100 * number)
        await make_issue(acme, number, release_date_actual=str(day))
    change = today + timedelta(days=250)
    rate = VatRate(first_day=change, place="home", medium=Medium.PRINT, rate=900)
    await save_rate(acme.db, acme.account_id, rate, by=BY)
    address = owner.address("subscriptions", "new")
    typed = {**TYPED, **BILLED, "country": "DE", "do": "total", "start_issue": "1"}
    for length, total in (("2", "€44.94"), ("4", "€45.78")):
        shown = await owner.post(address, typed | {"length": length})
        assert f"Total with VAT: {total}" in words(shown)


async def test_a_complimentary_copy_is_not_billed(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    page = await order(owner, BILLED | {"is_comp": "y", "price": ""})
    assert "Nothing is owed for a complimentary copy." in page
    assert await subscriptions(acme) == []


async def test_the_clients_of_an_agency_come_on_one_invoice(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    asked = await owner.post(
        owner.address("subscriptions", "new"), {**TYPED, **BILLED, **TOWN_HALL, "do": "bill"}
    )
    assert "One invoice for all orders of this payer" in words(asked)
    page = await order(owner, BILLED | TOWN_HALL | {"bills_together": "y"})
    assert "The order waits for the invoice of all orders of this payer." in page
    [agency] = [each for each in await subscribers(acme) if each["full_name"] == "Town of Ulm"]
    other = {"email": "bob@example.test", "first_name": "Bob", "address1": "Ring 7"}
    chosen = {"is_other_payer": "y", "payer_id": agency["id"], "order_reference": "PO 77"}
    await order(owner, BILLED | other | chosen)
    assert await newest_invoices(acme) == []

    listed = words(await owner.text("money", "invoices"))
    assert "Orders wait for an invoice: issue it under Open items." in listed
    account = owner.address("subscribers", agency["id"], "account")
    shown = words(await owner.http.get(account))
    assert "Orders that wait for an invoice 2 orders, €84.00 Issue the invoice" in shown
    issued = await owner.post(f"{account}issue/", {})
    assert issued.headers["Location"] == account
    assert "1 invoice is issued." in words(await owner.http.get(account))
    [invoice] = await newest_invoices(acme)
    assert [line.detail[-7:] for line in invoice.document.lines] == ["for Ada", "for Bob"]
    assert "Orders that wait" not in words(await owner.http.get(account))


async def test_why_the_orders_of_a_payer_cannot_be_billed(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await order(owner, BILLED | TOWN_HALL | {"bills_together": "y"})
    for rate in RATES:
        await delete_rate(acme.db, acme.account_id, rate, by=BY)
    [agency] = [each for each in await subscribers(acme) if each["full_name"] == "Town of Ulm"]
    account = owner.address("subscribers", agency["id"], "account")
    assert "There is no rate of VAT" in words(await owner.http.get(account))
    refused = await owner.post(f"{account}issue/", {})
    assert refused.status_code == 400
    assert "There is no rate of VAT" in words(refused)
    assert await newest_invoices(acme) == []


async def test_an_invoice_that_is_replaced_waits_for_no_other(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await order(owner, BILLED | TOWN_HALL)
    [invoice] = await newest_invoices(acme)
    await update_payer(
        acme.db, acme.account_id, invoice.payer_id, vat_id="", bills_together=True, by=BY
    )
    page = words(await owner.text("money", "invoices", invoice.id, "replace"))
    assert "one invoice for all orders" not in page
