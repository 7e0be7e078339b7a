"""Ids of another account change nothing and open nothing, in the services of billing and debits."""

from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any

import pytest

from masthead.model.billing.printing import InvoiceFile
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Invalid, NotFound
from masthead.services.billing import bank_lines
from masthead.services.billing.balances import write_off
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.emails import email_invoice
from masthead.services.billing.files.deliver import write_file, write_many
from masthead.services.billing.undo import undo_payment
from masthead.services.billing.waiting import issue_for_payer
from masthead.services.debits.book import book_collection
from masthead.services.debits.collect import cancel_collection, create_collections, mark_sent
from masthead.services.debits.mandates import add_mandate, revoke_mandate, set_signed_file
from masthead.services.debits.mark import mark_invoice, unmark_invoice
from masthead.services.reminders.rounds import mark_printed, stop_round
from masthead.services.reminders.terms import agree, stop_payer
from masthead.store.debits.mandates import SignedFile
from masthead.store.reminders.terms import ReminderTerm
from tests.conftest import BY, Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.debits import DUE, new_mandate
from tests.support.reminders import SITE
from tests.support.rich_account import make_rich
from tests.support.subscribers import rows

DAY = date(2026, 1, 5)
TABLES = (
    "invoice payment settlement debit mandate collection bank_line reminder subscription_hold"
).split()
Call = Callable[..., Awaitable[Any]]


async def first(cast: Cast, table: str, where: str = "1 = 1") -> str:
    """The id of the first row of a table."""
    found = await rows(
        cast,
        f"SELECT id FROM {table} WHERE account_id = :account_id AND {where} ORDER BY id LIMIT 1",  # noqa: S608 - constants
    )
    return str(found[0]["id"])


async def everything(cast: Cast) -> list[Any]:
    """All rows that the services could change."""
    found = []
    for table in TABLES:
        sql = f"SELECT * FROM {table} WHERE account_id = :account_id ORDER BY id"  # noqa: S608 - constants
        found.append([dict(row) for row in await rows(cast, sql)])
    return found


async def test_ids_of_another_account_are_unknown(acme: Cast, rival: Cast) -> None:
    for cast in (acme, rival):
        await make_rich(cast)
        await import_lines(cast, bank_line(), bank_line(-500, return_reason="AC04"))
    invoice, payment = (
        await first(rival, "invoice", "kind = 'invoice'"),
        await first(rival, "payment"),
    )
    [payer] = await rows(
        rival, "SELECT payer_id AS id FROM mandate WHERE account_id = :account_id LIMIT 1"
    )
    mandate, collection = await first(rival, "mandate"), await first(rival, "collection")
    debit, round = await first(rival, "debit"), await first(rival, "reminder_round")
    of_rival = {each.is_return: each.id for each in await list_lines(rival, status="open")}
    own = {each.is_return: each.id for each in await list_lines(acme, status="open")}
    file = SignedFile("application/pdf", b"%PDF-1.4")
    calls: list[tuple[Call, tuple[Any, ...], dict[str, Any]]] = [
        (bank_lines.confirm_line, (of_rival[False], [invoice]), {}),
        (bank_lines.confirm_line, (own[False], [invoice]), {}),
        (bank_lines.confirm_line, (own[False], []), {"payer_id": payer["id"]}),
        (bank_lines.confirm_debits, (of_rival[False],), {}),
        (bank_lines.confirm_return, (own[True], payment), {}),
        (bank_lines.leave_out_line, (of_rival[False],), {"reason": "x"}),
        (bank_lines.reopen_line, (of_rival[False],), {}),
        (undo_payment, (payment,), {}),
        (issue_for_payer, (payer["id"],), {}),
        (credit_invoice, (invoice,), {"amount": None, "reason": "x"}),
        (correct_invoice, (invoice, BillingTerms()), {"reason": "x"}),
        (write_off, (invoice,), {"reason": "x"}),
        (email_invoice, (invoice,), {"recipient": "a@example.test", "site": SITE}),
        (write_many, ([invoice],), {}),
        (add_mandate, (payer["id"], new_mandate()), {}),
        (set_signed_file, (mandate, file), {}),
        (revoke_mandate, (mandate,), {"day": DAY, "reason": "x"}),
        (mark_invoice, (invoice,), {"notified": DAY}),
        (unmark_invoice, (invoice,), {}),
        (create_collections, (), {"day": date.fromisoformat(DUE), "debit_ids": [debit]}),
        (cancel_collection, (collection,), {}),
        (mark_sent, (collection,), {}),
        (book_collection, (collection,), {}),
        (agree, (invoice, ReminderTerm(is_stopped=True, reason="x")), {}),
        (stop_payer, (payer["id"],), {"reason": "x"}),
        (mark_printed, (round,), {}),
        (stop_round, (round,), {}),
    ]
    before = [await everything(cast) for cast in (acme, rival)]
    accepted = []
    for call, args, options in calls:
        try:
            await call(acme.db, acme.account_id, *args, **options, by=BY)
        except (NotFound, Invalid):
            continue
        accepted.append(call.__name__)
    assert accepted == []
    with pytest.raises(NotFound):
        await write_file(acme.db, acme.account_id, invoice, InvoiceFile.PDF)
    assert [await everything(cast) for cast in (acme, rival)] == before
