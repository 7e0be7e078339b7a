"""A year of invoices: on each of its days, every cent is found in exactly one place."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.journal import JournalEntry, Ledger
from masthead.model.billing.terms import BillingTerms
from masthead.model.billing.vat import VatRate, VatSetting
from masthead.model.errors import Invalid
from masthead.model.pagination import PageRequest
from masthead.model.revenue.statement_figures import Sums
from masthead.model.revenue.takings import MonthRange
from masthead.model.types.enums import Medium
from masthead.model.validation import decode_input
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing import balances as credit
from masthead.services.billing.bank_lines import confirm_return
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.journal import add_up_taken
from masthead.services.billing.payers import update_payer
from masthead.services.billing.payments import ReceivedPayment, create_payment
from masthead.services.billing.settings import save_rate, save_vat_setting
from masthead.services.billing.undo import undo_payment
from masthead.services.billing.waiting import issue_waiting
from masthead.services.copies import mark_copies_sent
from masthead.services.debits.book import book_collection
from masthead.services.debits.collect import create_collection
from masthead.services.debits.mandates import add_mandate
from masthead.services.debits.mark import mark_invoice
from masthead.services.debits.settings import save_settings
from masthead.services.reminders.rounds import stop_round
from masthead.services.reminders.write import send_round
from masthead.services.revenue.statements import work_out
from masthead.store.billing import invoices, journal, open_on_day, open_sums, owed
from masthead.store.billing.journal_sums import list_changes
from masthead.store.engine.interface import Connection
from masthead.store.revenue.takings import list_takings
from tests.conftest import BY, Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import (
    balances,
    bill,
    list_journal,
    newest_invoices,
    read_invoice,
    sum_waiting,
)
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.debits import CREDITOR_ID, list_debits, new_mandate
from tests.support.factories import make_issue
from tests.support.reminders import SITE, due, turn_on_reminders
from tests.support.vat_by_hand import VatByHand
from tests.support.walk import walk

FIRST, LAST = date(2025, 1, 1), date(2025, 12, 31)
ORDERS = 500
ISSUES = {1: date(2025, 2, 10), 2: date(2025, 5, 12), 3: date(2025, 8, 11), 4: date(2025, 11, 10)}
AGENCIES = 3
Later = Callable[[], Coroutine[Any, Any, object]]


class UpTo(MonthRange, frozen=True):
    """The days of a year up to one of them."""

    day: date

    @property
    def last_day(self) -> date:
        return self.day


class Year:
    """A year that is played day by day. later: what is to be done, by day."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.random = random.Random(31)
        self.later: dict[date, list[Later]] = {}
        self.agencies: list[str] = []
        self.count = self.returned = self.reminders = self.held = 0
        self.fates = Counter[str]()

    def plan(self, day: date, work: Later) -> None:
        """Do something on a day, or at the end of the year."""
        self.later.setdefault(min(day, LAST), []).append(work)

    async def play(self) -> None:
        """Play all days."""
        cast, due = self.cast, sorted(self.random.choices(range(365), k=ORDERS))
        await redo_daily_pass(cast.db, cast.account_id, FIRST, by=BY)
        for number in range(365):
            day = FIRST + timedelta(days=number)
            await pass_on(cast, day.isoformat())
            await cast.db.analyze_grown()  # else plans for empty tables are used all year
            for _ in range(due.count(number)):
                await self.order(day)
            if day.day == 28:
                await issue_waiting(cast.db, cast.account_id, by=BY)
            if day.day in {10, 20}:
                await self.remind(day)
            for issue, released in ISSUES.items():
                if released == day:
                    await self.send(issue, day)
            for work in self.later.pop(day, ()):
                await work()

    async def remind(self, day: date) -> None:
        """Send all reminders that are due, stop some, and waive the fees of others."""
        cast = self.cast
        for stage in (3, 2, 1):
            keys = [each.key for each in await due(cast, stage)]
            if not keys:
                continue
            sent = await send_round(cast.db, cast.account_id, stage, keys, site=SITE, by=BY)
            self.reminders += sent.by_email + sent.to_print
            self.held += sent.held
            if self.random.random() < 0.1:
                await stop_round(cast.db, cast.account_id, sent.id, by=BY)
        for each in (await newest_invoices(cast))[:20]:
            if each.kind is DocumentKind.FEE and each.open_amount and self.random.random() < 0.1:
                await credit.write_off(cast.db, cast.account_id, each.id, reason="Friend", by=BY)

    async def order(self, day: date) -> None:
        """An order: of an agency, paid at once, or by an invoice that has some fate."""
        self.count += 1
        number, cast = self.count, self.cast
        medium = self.random.choice(["Print", "Print", "Print + digital", "Digital"])
        common = {
            "order_id": f"Y{number}",
            "order_date": day.isoformat(),
            "email": f"reader{number}@example.org",
            "medium": medium,
            "price": f"{self.random.randrange(2000, 9900) / 100:.2f}",
            "copies": self.random.choice([1, 1, 1, 3]),
            "country": self.random.choice(["DE", "DE", "DE", "CH"]),
        }
        if number % 10 == 0:
            made = await bill(cast, **common, is_billed=False)
            if number % 50 == 0:
                id = made.subscriptions[0].id
                body = {"order_id": f"Y{number}", "amount": "1.00", "refund_date": str(day)}
                await cast.post(f"/v1/subscriptions/{id}/refunds/", body)
        elif number % 10 == 2:
            await self.debit(day, **common)
        elif number % 10 == 1 and self.agencies:
            agency = self.agencies[number % AGENCIES % len(self.agencies)]
            await bill(cast, **common, payer_id=agency, order_reference=f"PO {number % 2}")
        else:
            made = await bill(cast, **common)
            [id] = made.invoices
            payer = (await read_invoice(cast, id)).payer_id
            if len(self.agencies) < AGENCIES:
                self.agencies.append(payer)
                await update_payer(
                    cast.db, cast.account_id, payer, vat_id="", bills_together=True, by=BY
                )
            self.give_fate(day, id, payer)

    async def debit(self, day: date, **common: Any) -> None:
        """An order that is collected by direct debit; every third one comes back."""
        cast, account = self.cast, (self.cast.db, self.cast.account_id)
        [id] = (await bill(cast, **{**common, "due_days": 3})).invoices
        payer = (await read_invoice(cast, id)).payer_id
        await add_mandate(*account, payer, new_mandate(signed_date=day), by=BY)
        told = await mark_invoice(*account, id, notified=day, by=BY)

        async def collect() -> None:
            with suppress(Invalid):  # another one of this day has collected it
                await create_collection(*account, day=told, by=BY)

        async def book() -> None:
            [debit] = await list_debits(cast, id)
            assert debit.collection_id is not None
            with suppress(Invalid):
                await book_collection(*account, debit.collection_id, by=BY)

        async def come_back() -> None:
            [debit] = await list_debits(cast, id)
            assert debit.payment_id is not None
            assert debit.amount is not None
            back = {"reference": debit.id, "return_reason": "AM04"}
            booked = told + timedelta(days=2)
            await import_lines(cast, bank_line(-debit.amount, booking_date=booked, **back))
            line = (await list_lines(cast, status="open"))[-1]
            await confirm_return(*account, line.id, debit.payment_id, by=BY)
            self.returned += 1

        if told <= LAST - timedelta(days=5):
            self.plan(told - timedelta(days=1), collect)
            self.plan(told, book)
            if self.count % 30 == 2:
                self.plan(told + timedelta(days=2), come_back)

    def give_fate(self, day: date, id: str, payer: str) -> None:
        """Plan what becomes of an invoice."""
        cast, wait = self.cast, self.random.randrange(2, 90)
        paid, then = day + timedelta(days=wait), day + timedelta(days=wait + 9)
        fate = self.random.choice(
            "paid paid paid paid parts too_much undone lost credited refunded wrong open".split()
        )
        account = cast.db, cast.account_id
        self.fates[fate] += 1
        if fate == "lost":
            self.plan(paid, lambda: credit.write_off(*account, id, reason="Moved", by=BY))
        elif fate == "wrong":
            terms = BillingTerms(order_reference="PO 5")
            self.plan(paid, lambda: correct_invoice(*account, id, terms, reason="PO", by=BY))
        elif fate in {"credited", "refunded"}:
            if fate == "refunded":
                self.plan(paid, lambda: self.pay(payer, id, 100))
            self.plan(paid, lambda: credit_invoice(*account, id, amount=None, reason="Late", by=BY))
            self.plan(then, lambda: self.pay_back(payer, id))
        elif fate == "parts":
            self.plan(paid, lambda: self.pay(payer, id, 40))
            self.plan(then, lambda: self.pay(payer, id, 100))
        elif fate != "open":
            percent = 120 if fate == "too_much" else 100
            self.plan(paid, lambda: self.pay(payer, id, percent, is_undone=fate == "undone"))

    async def pay(self, payer: str, id: str, percent: int, *, is_undone: bool = False) -> None:
        """Pay some of what is open of an invoice."""
        amount = (await read_invoice(self.cast, id)).open_amount * percent // 100
        if amount <= 0:
            return
        fields = {"amount": f"{amount / 100:.2f}", "payer": payer}
        body = decode_input(PaymentCreate, fields)
        made = await create_payment(self.cast.db, self.cast.account_id, body, by=BY)
        if is_undone:
            await undo_payment(self.cast.db, self.cast.account_id, made, by=BY)

    async def pay_back(self, payer: str, id: str) -> None:
        """Pay back what a payer has too much, if they have."""
        async with self.cast.db.read() as db:
            [note] = await invoices.list_credit_notes(db, self.cast.account_id, id)
        if note.open_amount:
            back = ReceivedPayment(
                payer_id=payer,
                payment_date=note.document.issue_date,
                amount=-note.open_amount,
                currency="EUR",
            )
            await credit.pay_back(self.cast.db, self.cast.account_id, back, by=BY)

    async def send(self, issue: int, day: date) -> None:
        """Send an issue."""
        copies = await walk(self.cast, "/v1/copies/", 200, status="Not sent")
        ids = [each["id"] for each in copies if each["issue"]["number"] == issue]
        await mark_copies_sent(self.cast.db, self.cast.account_id, ids, day, by=BY)


async def test_every_cent_of_a_year_is_in_one_place(acme: Cast) -> None:
    await turn_on_reminders(acme, fees=(0, 250, 500), least_amount=300, hold_stage=2)
    await save_settings(acme.db, acme.account_id, creditor_id=CREDITOR_ID, notice_days=4, by=BY)
    new = VatRate(first_day=date(2025, 7, 1), place="home", medium=Medium.PRINT, rate=500)
    await save_rate(acme.db, acme.account_id, new, by=BY)
    digital = {date(2020, 1, 1): 20, date(2025, 10, 1): 40}
    for day, percent in digital.items():
        part = VatSetting(first_day=day, digital_percent=percent)
        await save_vat_setting(acme.db, acme.account_id, part, by=BY)
    for number in ISSUES:
        if number > 1:
            await make_issue(acme, number)
    year = Year(acme)
    await year.play()
    assert year.count == ORDERS
    assert year.returned == 17
    assert year.reminders >= 40
    assert year.held >= 10

    assert min(year.fates.values()) >= 18
    assert await count_done(acme) == {
        "invoice": ORDERS - 30,  # 50 were paid at once, and agencies have one for several orders
        "credit_note": sum(year.fates[each] for each in ("credited", "refunded", "wrong")),
        "fee": 339,
        "written_off": year.fates["lost"],
        "waived": 33,
        "undone": year.fates["undone"],
        "paid_back": year.fates["refunded"],
        "returned": year.returned,
        "collected": 49,
    }
    assert await count_collective(acme, year.agencies) >= 10

    by_hand = await VatByHand({date(2020, 1, 1): 7, new.first_day: 5}, digital).read(acme)
    async with acme.db.read(is_long=True) as db:
        entries = await list_journal(db, acme.account_id, FIRST, LAST)
        days = [FIRST + timedelta(days=number) for number in range(365)]
        receivables = fees = taxes = 0
        found = Counter[tuple[str, Ledger]]()
        for day in days:
            todays = [each for each in entries if each.day == day]
            found.update(balances(todays))
            taxes += sum(each.amount for each in todays if each.debit is Ledger.VAT)
            assert sum(found.values()) == 0
            sums = {
                each.currency: each
                for each in await journal.sum_receivables(db, acme.account_id, day)
            }
            before, receivables = receivables, sums["EUR"].owed if sums else 0
            assert receivables == found["EUR", Ledger.RECEIVABLES]
            for change in await list_changes(db, acme.account_id, day, day):
                assert (change.before, change.owed) == (before, receivables)
            await check_open_items(db, acme.account_id, day, receivables, entries)
            lines = await list_takings(db, acme.account_id, UpTo("2025-01", "2025-12", day))
            money = (Ledger.BANK, Ledger.CASH, Ledger.PAID_AT_ONCE)
            assert sum(each.net for each in lines) == sum(found["EUR", each] for each in money)
            if day.day == 28:
                taken = await add_up_taken(db, acme.account_id, FIRST, day)
                assert sum(each.net + each.vat for each in taken) == sum(each.net for each in lines)
            fees = sums["EUR"].fees - sums["EUR"].waived if sums else 0
            assert fees == -found["EUR", Ledger.REMINDER_FEES]
            figures = (await work_out(db, acme.account_id, day)).find("EUR")
            total = figures.total if figures else Sums()
            sold = found["EUR", Ledger.SALES] + found["EUR", Ledger.VAT]
            sold -= taxes
            waiting = (await sum_waiting(db, acme.account_id, day)).get("EUR", 0)
            assert total.price - total.refunds == -sold + waiting
            assert total.vat == by_hand.on(day)
            net = total.price - total.refunds - total.vat
            assert total.earned + total.deferred + total.kept == net
            waiting -= by_hand.on_waiting(day)
            assert net == -found["EUR", Ledger.SALES] + waiting
        assert receivables == (await owed.sum_open(db, acme.account_id))["EUR"]
        now_open = await open_sums.sum_open(db, acme.account_id, today=LAST)
        assert await open_on_day.sum_open_on(db, acme.account_id, LAST) == now_open
    assert _rates(entries, date(2025, 6, 30)) == {0, 700, 1900}
    assert _rates([each for each in entries if each.day >= new.first_day], LAST) >= {0, 500, 1900}
    assert await faults(acme) == []
    assert fees > 0
    numbers = [each["number"] for each in await _documents(acme)]
    same = [(a, b) for a, b in pairwise(numbers) if a[:-5] == b[:-5]]
    assert {a[:-5] for a, _b in same} == {"2025-", "FEE-2025-"}
    assert all(int(b[-5:]) - int(a[-5:]) == 1 for a, b in same)


async def count_done(cast: Cast) -> dict[str, int]:
    """How many documents, write-offs and payments of each kind a year had."""
    counted = """
        SELECT kind AS name, count(*) AS count
        FROM invoice
        WHERE account_id = :account_id
        GROUP BY kind
        UNION ALL
        SELECT CASE WHEN i.kind = 'fee' THEN 'waived' ELSE 'written_off' END, count(*)
        FROM settlement t
        JOIN invoice i ON i.account_id = t.account_id AND i.id = t.invoice_id
        WHERE t.account_id = :account_id AND t.payment_id IS NULL AND t.credit_note_id IS NULL
        GROUP BY 1
        UNION ALL
        SELECT
            CASE
                WHEN undone_at IS NOT NULL THEN 'undone'
                WHEN amount > 0 THEN 'collected'
                WHEN method = 'direct debit' THEN 'returned'
                ELSE 'paid_back'
            END,
            count(*)
        FROM payment
        WHERE account_id = :account_id
          AND (undone_at IS NOT NULL OR amount < 0 OR method = 'direct debit')
        GROUP BY 1
    """
    async with cast.db.read() as db:
        rows = await db.fetch_all(counted, {"account_id": cast.account_id})
    return {row["name"]: row["count"] for row in rows}


async def count_collective(cast: Cast, agencies: Collection[str]) -> int:
    """How many invoices of agencies are for orders of several readers."""
    found = [each for each in await newest_invoices(cast) if each.payer_id in agencies]
    return sum(len({line.order_id for line in each.document.lines}) > 1 for each in found)


async def check_open_items(
    db: Connection, account_id: int, day: date, receivables: int, journal: list[JournalEntry]
) -> None:
    """What was open on a day, by age, is what payers owed; so are the lists, once a month.

    In the journal, each invoice has what is open of it and of its credit notes.
    """
    listed = await open_on_day.sum_open_on(db, account_id, day)
    assert sum(each.balance for each in listed) == receivables
    if day.day != 28:
        return
    request = PageRequest(1000, None, b"")
    payers = (await open_on_day.list_by_payer_on(db, account_id, request, day)).items
    assert [sum(column) for column in zip(*(each.ages for each in payers), strict=True)] == (
        listed[0].ages if listed else []
    )
    assert sum(each.balance for each in payers) == receivables
    entries = (await open_on_day.list_entries_on(db, account_id, request, day)).items
    assert sum(each.open_amount for each in entries) == receivables
    corrected = {each.document: each.settles for each in journal if each.tax and each.settles}
    items = Counter[str]()
    for each in entries:
        name = each.id if each.kind == "payment" else each.text
        items[corrected.get(name, name)] += each.open_amount
    for entry in (each for each in journal if each.day <= day):
        sign = (entry.debit is Ledger.RECEIVABLES) - (entry.credit is Ledger.RECEIVABLES)
        items[entry.settles or entry.document] -= sign * entry.amount
    assert {name: amount for name, amount in items.items() if amount} == {}
    late = [each.open_amount for each in entries if each.days_late(day) > 90]
    assert sum(late) == sum(each.later for each in listed)


def _rates(entries: list[JournalEntry], last: date) -> set[int]:
    return {each.tax.rate for each in entries if each.tax and each.day <= last}


async def _documents(cast: Cast) -> list[dict[str, Any]]:
    """All documents, oldest first."""
    async with cast.db.read() as db:
        rows = await db.fetch_all(
            """
            SELECT number
            FROM invoice
            WHERE account_id = :account_id
            ORDER BY series, series_number
            """,
            {"account_id": cast.account_id},
        )
    return [dict(row) for row in rows]
