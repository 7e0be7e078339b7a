"""What a subscriber paid so far: by the payer, and only what was paid."""

from datetime import date

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.revenue.takings import MonthRange
from masthead.model.types.money import money_text
from masthead.model.validation import decode_input
from masthead.services.billing.payments import create_payment
from masthead.services.billing.undo import undo_payment
from masthead.services.revenue.subscriber_payments import Paid, add_up, list_paid
from masthead.store.revenue.takings import list_takings
from tests.conftest import BY, Cast
from tests.support.billing import HOME, bill, bill_one, payment_ids, turn_on_billing
from tests.support.factories import import_row, make_issue, make_subscription
from tests.support.revenue import add_refund
from tests.support.subscribers import found_by, make_gift, make_subscriber

ADA = {"email": "ada@acme.test", "start_issue": "1", "length": "2"}
NOTHING = [Paid("0.00", "EUR")]


async def paid_by(cast: Cast, *ids: str) -> list[list[Paid]]:
    """What each of some subscribers paid."""
    async with cast.db.read() as db:
        found = await list_paid(db, cast.account_id, ids, currency=cast.currency)
    return [found[id] for id in ids]


async def pay(cast: Cast, payer: str, amount: str, *numbers: str) -> None:
    """Record a payment for invoices."""
    asked = {"amount": amount, "payer": payer, "invoices": [{"number": each} for each in numbers]}
    await create_payment(cast.db, cast.account_id, decode_input(PaymentCreate, asked), by=BY)


async def test_orders_that_were_paid_at_once_are_summed_in_each_currency(acme: Cast) -> None:
    await make_issue(acme)
    await import_row(acme, price="42.00", **ADA)
    await import_row(acme, order_id="DOLLARS", price="30.00", currency="USD", **ADA)
    await import_row(acme, price="5000", currency="JPY", **ADA)
    made = await import_row(acme, price="0", currency="GBP", **ADA)
    await add_refund(acme, "DOLLARS", "2026-02-01", 1000)
    [paid] = await paid_by(acme, made["subscriber"]["id"])
    assert paid == [Paid("42.00", "EUR"), Paid("5000", "JPY"), Paid("20.00", "USD")]


async def test_an_invoice_counts_when_it_is_paid(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, start_issue=1, length=1)
    assert await paid_by(acme, invoice.payer_id) == [NOTHING]
    await pay(acme, invoice.payer_id, "25.00", invoice.document.number)
    assert await paid_by(acme, invoice.payer_id) == [[Paid("25.00", "EUR")]]
    [payment] = await payment_ids(acme, sign=1)
    await undo_payment(acme.db, acme.account_id, payment, by=BY)
    assert await paid_by(acme, invoice.payer_id) == [NOTHING]


async def test_an_invoice_counts_for_its_payer_and_not_for_the_recipient(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await make_subscriber(acme, "payer@acme.test", price="0", **HOME)
    placed = await bill_one(acme, email="reader@acme.test", payer_id=payer, start_issue=1, length=1)
    await pay(acme, payer, "60.00", placed.document.number)
    [reader] = await found_by(acme, "reader@acme.test")
    assert await paid_by(acme, payer, reader) == [[Paid("60.00", "EUR")], NOTHING]


async def test_a_gift_counts_for_its_giver(acme: Cast) -> None:
    await make_issue(acme)
    giver = await make_subscriber(acme, "giver@acme.test", price="0")
    gift = await make_gift(acme, giver=giver, price="48.00")
    assert await paid_by(acme, giver, gift["subscriber"]["id"]) == [[Paid("48.00", "EUR")], NOTHING]


async def test_an_imported_gift_counts_for_the_subscriber_with_the_email_of_its_giver(
    acme: Cast,
) -> None:
    await make_issue(acme)
    giver = await make_subscriber(acme, "Giver@acme.test", price="0")
    giver_columns = {"is_gift": "true", "gifter_name": "G", "gifter_email": "giver@ACME.test"}
    gift = await import_row(acme, price="30.00", **giver_columns, **ADA)
    assert await paid_by(acme, giver, gift["subscriber"]["id"]) == [[Paid("30.00", "EUR")], NOTHING]


async def test_what_all_paid_is_what_the_takings_say(acme: Cast) -> None:
    await turn_on_billing(acme)
    giver = await make_subscriber(acme, "giver@acme.test", price="20.00")
    gift = await make_gift(acme, giver=giver, price="48.00")
    invoice = await bill_one(acme, start_issue=1, length=1)
    await bill(acme, start_issue=1, length=1, email="unpaid@acme.test")
    await pay(acme, invoice.payer_id, "70.00", invoice.document.number)
    async with acme.db.read(aside=True) as db:
        months = MonthRange("2000-01", f"{date.max.year}-12")
        lines = await list_takings(db, acme.account_id, months)
    took = sum(each.price - each.refunded + each.received for each in lines)
    paid = await paid_by(acme, giver, gift["subscriber"]["id"], invoice.payer_id)
    assert add_up(paid, currency="EUR") == [Paid(money_text(took, "EUR"), "EUR")]


async def test_no_subscribers_have_paid_nothing(acme: Cast) -> None:
    assert await list_paid(acme.db, acme.account_id, [], currency="EUR") == {}


async def test_who_paid_nothing_paid_zero_in_the_currency_of_the_account(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, is_comp=True, price="0")
    assert await paid_by(acme, made["subscriber"]["id"]) == [NOTHING]


def test_payments_of_several_subscribers_are_added_up_by_currency() -> None:
    one = [Paid("14.000", "KWD"), Paid("20.00", "USD")]
    other = [Paid("42.900", "KWD"), Paid("-20.00", "USD")]
    assert add_up([one, other], currency="EUR") == [Paid("56.900", "KWD")]
    assert add_up([], currency="EUR") == NOTHING
