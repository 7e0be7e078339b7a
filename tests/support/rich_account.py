"""An account with something of everything that an export restores."""

from datetime import UTC, date, datetime, timedelta

from msgspec import structs

from masthead.model.billing.vat import VatSetting
from masthead.model.clock import now
from masthead.model.debits.bank_days import bank_day_from
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.ids import new_id
from masthead.model.orders.offers import Offer
from masthead.model.orders.price_rises import PriceRise
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.types.enums import Medium
from masthead.services import products
from masthead.services.accounts import update_account
from masthead.services.billing.letterhead import make_letterhead, set_letterhead
from masthead.services.billing.settings import save_vat_setting
from masthead.services.debits.collect import create_collection
from masthead.services.debits.mandates import add_mandate, make_signed_file, set_signed_file
from masthead.services.debits.settings import save_settings as save_debit_settings
from masthead.services.holds.by_hand import hold
from masthead.services.letters.texts import update_text
from masthead.services.subscribers.dismissed_pairs import dismiss_pair
from masthead.services.subscribers.notes import add_note, delete_note
from masthead.store.engine.interface import Transaction
from masthead.store.moments import get_daily_date
from tests.conftest import BY, Cast
from tests.support.addresses import move
from tests.support.bank import bank_line, import_lines
from tests.support.billing import HOME, bill_one, bill_together, set_exchange_rate, turn_on_billing
from tests.support.debits import CREDITOR_ID, new_mandate
from tests.support.factories import (
    copies_of,
    import_row,
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_subscription,
)
from tests.support.pictures import picture, set_cover
from tests.support.reminders import insert_reminder
from tests.support.revenue import make_orders, make_statement
from tests.support.subscribers import make_gift, make_subscriber, merge

NOW = datetime(2026, 7, 1, 12, 30, 0, 5, tzinfo=UTC)
ODD_TEXTS = {
    "first_name": "=SUM(A1)",
    "last_name": 'Ünï "Q", X\nY',
    "company": "+49 🦊",
    "notes": "line 1\nline 2;\t'@",
}


async def make_rich(cast: Cast) -> None:
    """Fill the account; issues 1 to 5 exist."""
    await make_orders(cast)
    issue = await make_issue(cast, 5, name="Fünf; five")
    await set_cover(cast, issue["id"])
    club = await products.create_product(
        cast.db, cast.account_id, name="Club", benefits=["a", "b"], offer=_OFFER, by=BY
    )
    await products.update_product(
        cast.db,
        cast.account_id,
        club.id,
        name="Club",
        benefits=["a", "b"],
        offer=structs.replace(_OFFER, prices=dict.fromkeys(_OFFER.prices, 9900)),
        prices_from=now().date() + timedelta(days=30),
        rises={(Medium.DIGITAL, CountryGroup.REST): PriceRise(-400)},
        by=BY,
    )
    giver = await make_subscriber(cast, "giver@example.test", start_issue=5, **ODD_TEXTS)
    await make_gift(cast, giver=giver)
    await import_row(cast, renews="PLAIN", order_id="PLAIN-2", order_date="2026-06-01")
    common = {"start_issue": "5", "length": "2"}
    await import_row(cast, is_comp="true", price="0", **common)
    await import_row(cast, is_recurring="true", status="Past due", email="due@x.test", **common)
    await import_row(cast, status="Cancelled", cancelled_date="2026-03-01", **common)
    merged = await make_subscriber(cast, "old@example.test", start_issue=5)
    await add_note(cast.db, cast.account_id, merged, "=A note\nof two lines", by=BY)
    gone = await add_note(cast.db, cast.account_id, giver, "gone", by=BY)
    await delete_note(cast.db, cast.account_id, gone, by=BY)
    await merge(cast, giver, merged)
    other = await make_subscriber(cast, "other@example.test", start_issue=5)
    await dismiss_pair(cast.db, cast.account_id, giver, other, by=BY)
    moving = await make_subscription(cast, start_issue=4, email="moving@example.test")
    await move(cast, moving, first=5)
    claimed = await make_subscription(cast, start_issue=4)
    await make_claim(cast, claimed, notes="-1")
    returned = await make_subscription(cast, start_issue=4)
    over = await make_subscription(cast, start_issue=4, length=1)
    [last] = await copies_of(cast, over["id"])
    await cast.post(f"/v1/copies/{last['id']}/mark-sent/")
    await update_account(cast.db, cast.account_id, grace_copies=1, by=BY)
    await make_dispatch(cast, issue["id"])
    await make_delivery_report(cast, returned["id"])
    await make_statement(cast)
    await update_text(
        cast.db,
        cast.account_id,
        RenewalStage.LAST,
        subject="Your last issue",
        text="Dear {name}",
        is_automatic=True,
        by=BY,
    )
    await import_lines(
        cast, bank_line(name="Ada", text="=1"), bank_line(-900, return_reason="MS03")
    )
    await _bill(cast, claimed["id"])
    await _insert_others(cast)


async def _bill(cast: Cast, held: str) -> None:
    """An invoice that is paid in part, a credit note, and an order that waits for its invoice."""
    await turn_on_billing(cast, has_issue=True, email="office@acme.test", phone="+49 30 1234567")
    setting = VatSetting(first_day=date(2020, 1, 1), digital_percent=20)
    await save_vat_setting(cast.db, cast.account_id, setting, by=BY)
    await set_exchange_rate(cast)
    letterhead = make_letterhead(picture(400, 100))
    await set_letterhead(cast.db, cast.account_id, letterhead, by=BY)
    await bill_together(cast, start_issue=5)
    invoice = await bill_one(cast, start_issue=5, email="bills@example.test")
    await cast.post("/v1/payments/", {"amount": "70.5", "payer": invoice.payer_id})
    await cast.post(f"/v1/invoices/{invoice.id}/credit/", {"reason": "=1", "amount": "10"})
    late = await bill_one(cast, order_id="LATE", start_issue=5, email="late@example.test")
    await insert_reminder(cast, late)
    await hold(cast.db, cast.account_id, held, reason="=1", by=BY)
    await _debit(cast)


async def _debit(cast: Cast) -> None:
    """A mandate with its signed file, a collection, and an invoice that waits for the next."""
    await save_debit_settings(
        cast.db, cast.account_id, creditor_id=CREDITOR_ID, notice_days=1, by=BY
    )
    debtor = await make_subscription(cast, **HOME, email="debtor@example.test")
    payer = str(debtor["subscriber"]["id"])
    async with cast.db.read() as db:
        today = await get_daily_date(db, cast.account_id)
    mandate = new_mandate(signed_date=today, reference="+1")
    id = await add_mandate(cast.db, cast.account_id, payer, mandate, by=BY)
    signed = make_signed_file(picture(400, 100))
    await set_signed_file(cast.db, cast.account_id, id, signed, by=BY)
    asked = {"subscriber_id": payer, "is_debited": True, "start_issue": 5, "due_days": 0}
    await bill_one(cast, **asked)
    day = bank_day_from(today + timedelta(days=20))
    await create_collection(cast.db, cast.account_id, day=day, by=BY)
    await bill_one(cast, **asked)


_OFFER = Offer(length=4, prices={(Medium.PRINT, CountryGroup.HOME): 4200})


async def _insert_others(cast: Cast) -> None:
    """Rows that take long to make by services."""
    id = new_id(cast.account_id)
    by = {"created_at": NOW, "actor_kind": "command", "actor_id": "tests"}
    rows: dict[str, dict[str, object]] = {
        "ledger_account": {"name": "bank", "number": "1200"},
        "export_profile": {
            "id": id,
            "name": "Ours",
            "settings": '{"formats":["csv"]}',
            "is_active": True,
            "created_at": NOW,
            "updated_at": NOW,
        },
        "retention_rule": {
            "kind": "emails",
            "months": 12,
            "is_automatic": False,
            "position": 0,
            "updated_at": NOW,
        },
        "import_mapping": {
            "name": "Shop",
            "mapping": f'{{"products":{{"A year":{{"product":"{id}"}}}}}}',
            "updated_at": NOW,
        },
        "erasure": {"id": id, "subscriber_id": id, "kept": "{}", **by},
        "erasure_digest": {"digest": "00ff", "erasure_id": id},
        "letter_batch": {
            "id": id,
            "stage": "last",
            "channel": "print",
            "issue_number": 5,
            "letters": 1,
            "stopped_at": NOW,
            "stopped": 1,
            **by,
        },
        "letter_exclusion": {
            "stage": "after_1",
            "period_id": 1,
            "subscription_id": id,
            **by,
        },
        "self_service": {
            "is_open": True,
            "actions": "address claim",
            "introduction": "",
            "contact": "",
            "colour": "#1d4ed8",
            "renewal_url": "",
            "has_codes": False,
            "page_url": "",
            "updated_at": NOW,
        },
        "subscriber_request": {
            "id": id,
            "subscriber_id": id,
            "action": "claim",
            "status": "closed",
            "copy_id": 1,
            "reason": "damaged",
            "notes": "Wet",
            "created_at": NOW,
            "closed_at": NOW,
            "actor_kind": "user",
            "actor_id": id,
        },
        "skipped_issue": {
            "subscription_id": id,
            "issue_number": 5,
            "instead": "credited",
            "refund_id": id,
            **by,
        },
        "renewal_letter": {
            "id": id,
            "batch_id": id,
            "period_id": 1,
            "stage": "last",
            "channel": "print",
            "status": "printed",
            "subscription_id": id,
            "subscriber_id": id,
            "subject": "Renew",
            "body": "Dear\nAda",
            "address": '["Ada"]',
            "reason": None,
            "created_at": NOW,
            "ended_at": None,
        },
        "trend": {
            "trend_date": date(2026, 6, 30),
            "active_subscriptions": 3,
            "active_subscribers": 2,
        },
        "retention": {
            "issue_number": 4,
            "medium": "Print",
            "source_id": cast.shop,
            "ended": 4,
            "within_1": 1,
            "within_2": 2,
            "within_3": 3,
        },
    }

    async def work(tx: Transaction) -> None:
        for table, row in rows.items():
            await tx.insert_rows(table, [{"account_id": cast.account_id, **row}])

    await cast.db.write(work, account_id=cast.account_id)
