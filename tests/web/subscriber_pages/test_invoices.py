"""What subscribers see of their invoices, and renewals that they pay by invoice."""

import re
from urllib.parse import unquote

import pytest
from structlog.testing import capture_logs

from masthead.model.actors import BY_SUBSCRIBER
from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.offers import Offer
from masthead.model.orders.price_rises import PriceRise
from masthead.model.self_service.settings import Action, SelfService
from masthead.model.types.enums import Medium
from masthead.model.validation import decode_input
from masthead.services.billing.new_payers import write_chosen_payer
from masthead.services.billing.payers import update_payer
from masthead.services.billing.payments import create_payment
from masthead.services.products import update_product
from masthead.services.self_service.overview import OTHERS, list_paid
from masthead.services.self_service.settings import update_settings
from masthead.services.subscribers.merge import merge_subscribers
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.engine.interface import Transaction
from masthead.store.moments import get_daily_date
from masthead.store.products import get_imported_product
from tests.conftest import BY, Cast
from tests.support.billing import (
    HOME,
    bill,
    bill_one,
    bill_together,
    newest_invoices,
    turn_on_billing,
)
from tests.support.checks import faults
from tests.support.factories import PLACEHOLDER_DOMAIN, make_membership, make_subscription, manual
from tests.support.letters import execute
from tests.support.price_rises import raise_renewals
from tests.support.subscriber_pages import Reader, history_of, open_page, sent_emails
from tests.web.conftest import Browsers
from tests.web.subscriber_pages.conftest import EMAIL

DOES = BY_SUBSCRIBER.id


@pytest.fixture
async def payer(stranger: Reader) -> Reader:
    """Ada, signed in at an account that bills; her subscription was paid."""
    await turn_on_billing(stranger.cast, has_issue=True)
    await open_page(stranger.cast)
    await stranger.sign_in(EMAIL)
    return stranger


async def other_reader(browsers: Browsers, cast: Cast, email: str) -> Reader:
    """Another subscriber, in a browser and a network of their own, signed in."""
    other = Reader(browsers(), cast)
    other.http.headers["X-Forwarded-For"] = f"2001:db8:77:{len(email):x}::1"
    await other.sign_in(email)
    return other


async def pay(cast: Cast, invoice: StoredInvoice, amount: str) -> None:
    asked = {
        "amount": amount,
        "payer": invoice.payer_id,
        "invoices": [{"number": invoice.document.number}],
    }
    await create_payment(cast.db, cast.account_id, decode_input(PaymentCreate, asked), by=BY)


async def ada(cast: Cast) -> dict[str, str]:
    """Ada's oldest subscription."""
    items = (await cast.get("/v1/subscriptions/")).json()["items"]
    own = [each for each in items if each["subscriber"]["email"] == EMAIL]
    return dict(own[-1])


async def renew(reader: Reader, id: str) -> str:
    """Renew a subscription; returns where the page leads."""
    done = await reader.send("renew", id)
    assert done.status_code == 303, done.text
    return str(done.headers["Location"])


async def test_an_invoice_says_how_to_pay_what_is_open(payer: Reader) -> None:
    cast = payer.cast
    invoice = await bill_one(cast, email=EMAIL)
    number = invoice.document.number
    assert "Still to pay: €60.00" in await payer.text()
    listed = await payer.text("invoices")
    assert f"Invoice {number}" in listed
    assert "€60.00 to pay" in listed
    await pay(cast, invoice, "20.00")
    page = await payer.text("invoices", invoice.id)
    assert "€40.00 to pay" in page
    assert "bank transfer" in page
    assert "DE89 3704 0044 0532 0130 00" in page
    assert f"with the reference {number}" in page
    assert 'src="data:image/svg+xml' in page
    await pay(cast, invoice, "40.00")
    page = await payer.text("invoices", invoice.id)
    assert "There is nothing to pay for this invoice" in page
    assert "IBAN" not in page
    assert "settled" in await payer.text("invoices")
    assert "There is nothing to pay." in await payer.text()


async def test_an_invoice_that_was_taken_back_is_not_called_settled(payer: Reader) -> None:
    invoice = await bill_one(payer.cast, email=EMAIL)
    await payer.cast.post(f"/v1/invoices/{invoice.id}/credit/", {"reason": "Late"})
    listed = await payer.text("invoices")
    assert "credited" in listed
    assert "settled" not in listed


async def test_the_code_of_the_bank_has_the_open_amount(payer: Reader) -> None:
    invoice = await bill_one(payer.cast, email=EMAIL)
    await pay(payer.cast, invoice, "20.00")
    page = await payer.text("invoices", invoice.id)
    [shown] = re.findall(r'class="code" src="data:image/svg\+xml[^,]*,([^"]+)"', page)
    assert "<svg" in unquote(shown.replace("&#39;", "'"))
    assert "Code for a transfer of €40.00" in page


async def test_the_pdf_is_downloaded_by_its_payer_only(payer: Reader, browsers: Browsers) -> None:
    cast = payer.cast
    invoice = await bill_one(cast, email=EMAIL)
    with capture_logs() as logs:
        file = await payer.http.get(payer.address("invoices", invoice.id, "pdf"))
    (entry,) = logs
    assert (entry["event"], entry["account"]) == ("subscriber invoice downloaded", cast.subdomain)
    assert file.content.startswith(b"%PDF")
    assert file.headers["Cache-Control"] == "no-store"
    assert file.headers["X-Robots-Tag"].startswith("noindex")
    assert invoice.document.number in file.headers["Content-Disposition"]
    await make_subscription(cast, email="eve@reader.test")
    eve = await other_reader(browsers, cast, "eve@reader.test")
    for path in (("invoices", invoice.id), ("invoices", invoice.id, "pdf")):
        assert (await eve.http.get(eve.address(*path))).status_code == 404
    assert invoice.document.number not in await eve.text("invoices")
    without = SelfService(is_open=True, actions=frozenset({Action.ADDRESS}))
    await update_settings(cast.db, cast.account_id, without, by=BY)
    for parts in ([], [invoice.id], [invoice.id, "pdf"]):
        refused = await payer.http.get(payer.address("invoices", *parts))
        assert refused.status_code in (400, 403, 404), parts
        assert invoice.document.number not in refused.text


async def test_the_recipient_of_a_gift_sees_no_invoice(payer: Reader, browsers: Browsers) -> None:
    cast = payer.cast
    giver = (await ada(cast))["subscriber"]["id"]  # type: ignore[index]
    [number] = (
        await bill(cast, email="max@reader.test", first_name="Max", is_gift=True, gifter_id=giver)
    ).invoices
    max_ = await other_reader(browsers, cast, "max@reader.test")
    assert "There are no invoices for you" in await max_.text("invoices")
    assert "60.00" not in await max_.text()
    assert (await max_.http.get(max_.address("invoices", number))).status_code == 404
    assert "€60.00" in await payer.text("invoices")


async def test_a_company_that_pays_sees_its_invoices(payer: Reader, browsers: Browsers) -> None:
    cast = payer.cast
    company = await make_subscription(cast, email="books@town.test", company="Town hall", **HOME)
    id = company["subscriber"]["id"]
    invoice = await bill_one(cast, email="eve@reader.test", payer_id=id)
    books = await other_reader(browsers, cast, "books@town.test")
    assert invoice.document.number in await books.text("invoices")
    assert "Town hall" in await books.text()
    eve = await other_reader(browsers, cast, "eve@reader.test")
    assert "There are no invoices for you" in await eve.text("invoices")


async def test_the_invoices_of_a_merged_person_follow(payer: Reader) -> None:
    cast = payer.cast
    invoice = await bill_one(cast, email="a.l@reader.test")
    kept = (await ada(cast))["subscriber"]["id"]  # type: ignore[index]
    await merge_subscribers(
        cast.db, cast.account_id, kept_id=kept, merged_id=invoice.payer_id, by=BY
    )
    assert invoice.document.number in await payer.text("invoices")
    assert (await payer.http.get(payer.address("invoices", invoice.id))).status_code == 200


async def test_a_renewal_by_invoice_is_one_order_with_an_email(payer: Reader) -> None:
    cast = payer.cast
    id = (await ada(cast))["id"]
    assert f"/renew/{id}/" in await payer.text()
    page = await payer.text("renew", id)
    assert "5 to 8, 4 issues" in page
    assert "Price, including VAT" in page
    assert "€42.00" in page
    assert "Order with an obligation to pay" in page
    await sent_emails(cast)
    fields = {"idempotency_key": "A" * 22}
    payer.http.headers["Accept-Language"] = "de"
    first = await payer.send("renew", id, **fields)
    del payer.http.headers["Accept-Language"]
    assert first.headers["Location"].endswith("done=renewed")
    seen = re.search(r'name="seen"[^>]* value="([^"]*)"', page)
    assert seen
    again = await payer.post("renew", id, seen=seen[1], **fields)
    assert again.headers["Location"] == first.headers["Location"]
    late = await payer.post("renew", id, seen=seen[1])  # from another tab
    assert late.status_code == 400
    assert "is not paid yet. Please pay it first" in late.text
    [invoice] = await newest_invoices(cast)
    assert (invoice.document.total, invoice.document.vat) == (4200, 275)
    [(to, body)] = await sent_emails(cast)
    assert to == EMAIL
    assert invoice.document.number in body
    assert "Bitte überweisen Sie 42,00\xa0€" in body  # even if the invoice is in English
    row = await cast.db.fetch_one(
        "SELECT subject, invoice_id FROM outbox WHERE account_id = :a AND invoice_id IS NOT NULL",
        {"a": cast.account_id},
    )
    assert row
    assert row["invoice_id"] == invoice.id
    assert row["subject"].startswith("Ihre Verlängerung bei ")
    offered = re.findall(rf'class="([^"]*)" href="[^"]*/renew/{id}/"', await payer.text())
    assert offered == ["button second"]  # what is to pay comes first
    assert (DOES, "subscription.renew") in await history_of(cast, id)
    assert (DOES, "invoice.issue") in await history_of(cast, invoice.id)
    assert "is not paid yet" in await payer.text("renew", id)
    await pay(cast, invoice, "42.00")
    assert "9 to 12, 4 issues" in await payer.text("renew", id)
    assert await faults(cast) == []


async def test_a_price_that_changed_is_shown_before_it_is_ordered(payer: Reader) -> None:
    cast = payer.cast
    id = (await ada(cast))["id"]
    page = await payer.text("renew", id)
    [seen] = re.findall(r'name="seen"[^>]* value="([^"]*)"', page)
    refused = await payer.post("renew", id, seen=seen.replace("4200", "100"))
    assert refused.status_code == 400
    assert "has changed since you opened the page" in refused.text
    assert "€42.00" in refused.text
    assert await newest_invoices(cast) == []


async def test_a_reader_pays_the_raised_price(payer: Reader) -> None:
    cast = payer.cast
    id = (await ada(cast))["id"]
    await execute(
        cast, "UPDATE period SET order_date = '2025-01-15' WHERE account_id = :account_id"
    )
    await raise_renewals(cast, PriceRise(400))
    assert "€46.00" in await payer.text("renew", id)
    await renew(payer, id)
    [invoice] = await newest_invoices(cast)
    assert invoice.document.total == 4600


@pytest.mark.parametrize(
    "code, message",
    [(CHANGED_MEANWHILE, "has changed since you opened the page"), ("x", "cannot be renewed here")],
)
async def test_a_renewal_that_fails_for_once_says_nothing_about_the_desk(
    payer: Reader, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    async def fail(*_arguments: object, **_named: object) -> None:
        raise Invalid("A sentence for staff", code=code)

    id = (await ada(payer.cast))["id"]
    monkeypatch.setattr("masthead.services.self_service.renew.renew_together", fail)
    refused = await payer.send("renew", id)
    assert refused.status_code == 400
    assert message in refused.text
    assert "for staff" not in refused.text


async def test_prices_without_vat_are_shown_with_it(stranger: Reader) -> None:
    cast = stranger.cast
    await turn_on_billing(cast, has_issue=True, prices_include_vat=False)
    await open_page(cast)
    await stranger.sign_in(EMAIL)
    id = (await ada(cast))["id"]
    # the price of the last order has its VAT already, and the product has none
    assert "cannot be renewed here" in await stranger.text("renew", id)
    product = await get_imported_product(cast.db, cast.account_id)
    prices = dict.fromkeys([(Medium.PRINT, each) for each in CountryGroup], 4000)
    await update_product(
        cast.db,
        cast.account_id,
        product,
        name="Acme",
        benefits=[],
        offer=Offer(length=6, prices=prices),
        by=BY,
    )
    page = await stranger.text("renew", id)
    assert "5 to 10, 6 issues" in page
    assert "€42.80" in page
    await renew(stranger, id)
    [invoice] = await newest_invoices(cast)
    assert (invoice.document.net, invoice.document.total) == (4000, 4280)


async def test_what_is_not_renewed_by_its_reader(payer: Reader, browsers: Browsers) -> None:
    cast = payer.cast
    own = await ada(cast)
    recurring = await make_membership(cast, email=EMAIL, is_recurring="yes")
    free = await make_subscription(cast, email=EMAIL, is_comp=True, price="0")
    other = await make_subscription(cast, email="eve@reader.test")
    gift = (
        await bill(
            cast,
            email="max@reader.test",
            is_gift=True,
            gifter_id=own["subscriber"]["id"],  # type: ignore[index]
        )
    ).subscriptions[0]
    shown = re.findall(r"/renew/(\w+)/", await payer.text())
    assert set(shown) == {own["id"], gift.id}
    for id in (recurring["id"], free["id"]):
        assert "cannot be renewed here" in await payer.text("renew", id)
    for id in (other["id"], "NOSUCH"):
        assert (await payer.http.get(payer.address("renew", id))).status_code == 404
    max_ = await other_reader(browsers, cast, "max@reader.test")
    assert "/renew/" not in await max_.text()
    assert (await max_.http.get(max_.address("renew", gift.id))).status_code == 404


async def test_what_needs_a_person_says_so(payer: Reader) -> None:
    cast = payer.cast
    digital = await make_subscription(cast, email="dan@reader.test", medium="Digital")
    waiting = await bill(cast, subscriber_id=await bill_together(cast, email="w@reader.test"))
    for email, subscription, message in (
        ("dan@reader.test", digital["id"], "We do not know your postal address"),
        ("w@reader.test", waiting.subscriptions[0].id, "Your last order is not billed yet."),
    ):
        payer.http.cookies.clear()
        await payer.sign_in(email)
        page = await payer.text("renew", subscription)
        assert message in page
        assert "Order with an obligation to pay" not in page
        refused = await payer.post("renew", subscription, seen="")
        assert refused.status_code == 400
        assert message in refused.text


async def test_a_payer_of_one_invoice_for_all_gets_it_later(payer: Reader) -> None:
    cast = payer.cast
    own = await ada(cast)
    id = own["subscriber"]["id"]  # type: ignore[index]
    await update_payer(cast.db, cast.account_id, id, vat_id="", bills_together=True, by=BY)
    await sent_emails(cast)
    await renew(payer, own["id"])
    [(to, body)] = await sent_emails(cast)
    assert to == EMAIL
    assert "Issues 5 to 8. You get one invoice for all of your orders." in body
    assert await newest_invoices(cast) == []
    assert await faults(cast) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE product SET is_active = :off WHERE account_id = :account_id",
        "DELETE FROM vat_rate WHERE account_id = :account_id AND NOT :off",
        "UPDATE source SET is_active = :off WHERE account_id = :account_id",
    ],
    ids=["product", "rate", "source"],
)
async def test_what_is_not_sold_any_more_is_not_renewed_here(payer: Reader, statement: str) -> None:
    cast = payer.cast
    id = (await ada(cast))["id"]
    assert "Order with an obligation to pay" in await payer.text("renew", id)

    async def change(tx: Transaction) -> None:
        await tx.execute(statement, {"off": False, "account_id": cast.account_id})

    await cast.db.write(change)
    assert "cannot be renewed here" in await payer.text("renew", id)


async def test_a_membership_that_ended_long_ago_is_renewed_from_today(payer: Reader) -> None:
    cast = payer.cast
    member = await make_membership(
        cast, email=EMAIL, period_start="2023-01-01", period_end="2023-12-31", **HOME
    )
    async with cast.db.read() as db:
        today = await get_daily_date(db, cast.account_id)
    answer = await payer.send("renew", member["id"])
    assert answer.status_code == 303, answer.text
    shown = (await cast.get(f"/v1/subscriptions/{member['id']}/")).json()
    assert (shown["status"], shown["current_period_start"]) == ("Active", today.isoformat())


async def test_the_giver_renews_all_copies_of_a_gift(payer: Reader) -> None:
    cast = payer.cast
    giver = (await ada(cast))["subscriber"]["id"]  # type: ignore[index]
    body = manual(
        cast,
        email="max@reader.test",
        first_name="Max",
        is_gift=True,
        gifter_id=giver,
        price="80.00",
        copies=2,
    )
    made = (await cast.post("/v1/orders/", body)).json()
    ids = [each["id"] for each in made["subscriptions"]]
    assert len(ids) == 2
    page = await payer.text()
    assert "(2 copies)" in page
    page = await payer.text("renew", ids[0])
    assert "€80.00" in page
    assert "for <bdi>Max</bdi>" in page
    await renew(payer, ids[0])
    [invoice] = await newest_invoices(cast)
    assert invoice.payer_id == giver
    assert invoice.document.total == 8000
    for id in ids:
        assert (await cast.get(f"/v1/subscriptions/{id}/")).json()["total_length"] > 2
    assert await faults(cast) == []


async def test_who_does_not_pay_does_not_renew(payer: Reader) -> None:
    cast = payer.cast
    company = await make_subscription(cast, email="books@town.test", **HOME)
    invoice = await bill_one(cast, email=EMAIL, payer_id=company["subscriber"]["id"])
    await pay(cast, invoice, "60.00")
    page = await payer.text("renew", (await newest_of(cast))["id"])
    assert "Somebody else gets the invoices" in page


@pytest.fixture
async def agency(payer: Reader, browsers: Browsers) -> tuple[Reader, str]:
    """An agency without a subscription of its own, and one that it has paid for Eve."""
    cast = payer.cast
    made = await write_chosen_payer(
        cast.db,
        cast.account_id,
        "",
        new_payer=PayerEntry(
            payer_email="agency@pays.test",
            payer_company="Agency",
            **{f"payer_{name}": value for name, value in HOME.items()},
        ),
        vat_id="",
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    eve = {"email": "eve@reader.test", "first_name": "Eve", "last_name": "Adams"}
    home = {"address1": "Geheimweg 9", "city": "Bonn", "postcode": "53111", "country": "DE"}
    invoice = await bill_one(cast, payer_id=made, **eve, **home)
    await pay(cast, invoice, "60.00")
    return await other_reader(browsers, cast, "agency@pays.test"), (await newest_of(cast))["id"]


async def test_a_payer_renews_what_others_read(
    agency: tuple[Reader, str], browsers: Browsers
) -> None:
    books, id = agency
    page = await books.text()
    assert "Paid by you for others" in page
    assert "For <bdi>Eve Adams</bdi>, Active, until issue 4, €60.00" in page
    assert "Geheimweg" not in page
    assert "You have no subscription" not in page
    page = await books.text("renew", id)
    assert "for <bdi>Eve Adams</bdi>" in page
    assert "€60.00" in page
    assert "Geheimweg" not in page
    await sent_emails(books.cast)
    await renew(books, id)
    newest, _first = await newest_invoices(books.cast)
    assert newest.document.payer.name == "Agency"
    [(to, body)] = await sent_emails(books.cast)
    assert to == "agency@pays.test"
    assert "for Eve Adams: Issues 5 to 8." in body
    assert (DOES, "subscription.renew") in await history_of(books.cast, id)
    assert await faults(books.cast) == []

    eve = await other_reader(browsers, books.cast, "eve@reader.test")
    own = await eve.text()
    assert "Geheimweg 9" in own
    assert "60.00" not in own
    assert "/renew/" not in own
    assert "Somebody else gets the invoices" in await eve.text("renew", id)
    data = await eve.send("data")
    assert "Geheimweg 9" in data.text
    assert "60.00" not in data.text
    assert [each["price"] for each in data.json()["orders"]] == [None, None]


async def test_a_payer_sees_no_address_that_the_recipient_changed(
    agency: tuple[Reader, str], browsers: Browsers
) -> None:
    books, id = agency
    eve = await other_reader(browsers, books.cast, "eve@reader.test")
    moved = {"address1": "Neuweg 1", "postcode": "80331", "city": "Ulm", "country": "DE"}
    assert (await eve.send("address", **moved)).status_code == 303
    assert "Neuweg 1" in await eve.text()  # the control
    pages = [await books.text(*path) for path in ((), ("paid",), ("renew", id), ("invoices",))]
    pages.append((await books.send("data")).text)
    for page in pages:
        assert "Eve" in page or "60.00" in page
        assert "Neuweg" not in page
        assert "Geheimweg" not in page
    for path in (("address",), ("renewals", id)):
        assert id not in (await books.http.get(books.address(*path))).text
    assert (await books.post("renewals", id)).status_code == 404


async def test_who_paid_before_sees_nothing_of_the_next_order(agency: tuple[Reader, str]) -> None:
    books, id = agency
    renewed = await books.cast.post(
        f"/v1/subscriptions/{id}/renewals/",
        {
            "source": books.cast.shop,
            "order_id": "OWN-1",
            "order_date": "2026-03-01",
            "price": "71.00",
            "length": 2,
        },
    )
    assert renewed.status_code in (200, 201), renewed.text
    assert "Eve" not in await books.text()
    assert (await books.http.get(books.address("renew", id))).status_code == 404


async def test_all_that_a_payer_pays_is_on_pages(agency: tuple[Reader, str]) -> None:
    books, _id = agency
    payer = (await newest_invoices(books.cast))[0].payer_id
    for number in range(6):
        await bill(books.cast, payer_id=payer, email=f"r{number}@reader.test", last_name="Many")
    page = await books.text()
    assert page.count("Many") == OTHERS
    assert "Eve Adams" not in page
    assert f'href="{books.address("paid")}"' in page
    assert "Eve Adams" in await books.text("paid")
    first = await list_paid(books.cast.db, books.cast.account_id, payer, limit=4)
    assert first.next
    rest = await books.http.get(books.address("paid"), params={"before": first.next})
    assert rest.text.count("Many") == 2
    assert (await books.http.get(books.address("paid"), params={"before": "x"})).status_code == 404


async def newest_of(cast: Cast) -> dict[str, str]:
    items = (await cast.get("/v1/subscriptions/")).json()["items"]
    return dict(items[0])


async def test_what_needs_invoices_is_only_allowed_if_the_account_bills(acme: Cast) -> None:
    settings = SelfService(is_open=True, actions=frozenset({Action.INVOICES}))
    with pytest.raises(Invalid, match="writes no invoices"):
        await update_settings(acme.db, acme.account_id, settings, by=BY)
