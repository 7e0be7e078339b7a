# ruff: noqa: S608 - our own names and numbers
"""A million invoices with their payments, reminders and direct debits, by SQL.

Of the invoices of the last 30 days, one in two is open; of older ones, one in a hundred. A tenth of
the payers pay by direct debit. One document in 200 is a credit note, one in 100 a fee.
"""

from collections.abc import Iterator
from datetime import date

import msgspec

from bench.large.statements import Sizes
from masthead.model.billing.documents import Document, DocumentKind, DocumentLine, Payer, Seller
from masthead.model.billing.vat import VatCategory

Statement = tuple[str, dict[str, object]]

NET, VAT, NUMBER, PERIOD = 1_111_111, 2_222_222, 3_333_333, 4_444_444  # replaced in the document
_MARKED_DAY = date(1999, 9, 9)
DUE_DAYS, PAID_DAYS, RECENT_DAYS = 14, 10, 30
ROUND = 500  # reminders of a round

SELLER = Seller(
    name="Bench Press Ltd",
    street="1 Mill Lane",
    postcode="10117",
    city="Berlin",
    country="DE",
    vat_id="DE136695976",
    iban="DE89370400440532013000",
)
TEMPLATE = Document(
    kind=DocumentKind.INVOICE,
    number="@number",
    issue_date=_MARKED_DAY,
    due_date=_MARKED_DAY,
    currency="EUR",
    language="en_GB",
    seller=SELLER,
    payer=Payer(
        subscriber_id="@payer", number=NUMBER, name="@name", address="@name", country="@country"
    ),
    lines=[
        DocumentLine(
            period_id=PERIOD,
            order_id="BENCH-1",
            text="Eight issues, print",
            detail="Issues 11 to 18",
            quantity=1,
            country="DE",
            category=VatCategory.STANDARD,
            rate=700,
            net=NET,
            vat=VAT,
        )
    ],
)


def statements(sizes: Sizes) -> Iterator[Statement]:
    """All statements, in their order."""
    kept = {"account_id": sizes.account_id, "today": sizes.today}
    for each in (_payers, _invoices, _payments, _debits, _reminders, _bank):
        for sql in each(sizes):
            names = kept if ":today" in sql else {"account_id": sizes.account_id}
            values = {"document": _document(), "file": b"<Document/>"}
            used = {name: value for name, value in values.items() if f":{name}" in sql}
            yield sql, {**names, **used}


def _document() -> str:
    return msgspec.json.encode(TEMPLATE).decode()


def _payers(sizes: Sizes) -> Iterator[str]:
    yield """
        INSERT INTO payer (account_id, subscriber_id, number, vat_id, bills_together, created_at)
        SELECT :account_id, b.subscriber_id, b.n, '', FALSE, d.made_at
        FROM bench_person b
        JOIN bench_day d ON d.n = 0
    """
    yield f"""
        INSERT INTO mandate (
            account_id, id, payer_id, reference, iban, bic, holder, is_recurring, signed_date,
            revoke_reason, created_at, actor_kind, actor_id
        )
        SELECT
            :account_id, {sizes.id("M", "b.n")}, b.subscriber_id, 'MB-' || CAST(b.n AS text),
            'DE02120300000000202051', '', b.name, TRUE, d.issue_date, '', d.made_at, {sizes.by}
        FROM bench_person b
        JOIN bench_day d ON d.n = 0
        WHERE b.n % 10 = 3
    """


def _invoices(sizes: Sizes) -> Iterator[str]:
    """Invoice n is of person 1 + (n - 1) % persons, and the days are in the order of n."""
    day = f"v.n * {sizes.days} / {sizes.invoices}"
    total = "3000 + v.n * 37 % 90 * 100"
    document = ":document"
    for mark, value in {
        "@number": "CAST(v.n AS text)",
        "@payer": "b.subscriber_id",
        "@name": "b.name",
        "@country": "b.country",
        str(_MARKED_DAY): "CAST(d.issue_date AS text)",
        str(NUMBER): "CAST(b.n AS text)",
        str(PERIOD): "CAST(b.period_id AS text)",
        str(NET): f"CAST(({total}) * 100 / 107 AS text)",
        str(VAT): f"CAST({total} - ({total}) * 100 / 107 AS text)",
    }.items():
        document = f"replace({document}, '{mark}', {value})"
    yield f"""
        INSERT INTO invoice (
            account_id, id, kind, series, series_number, number, payer_id, payer_name, issue_date,
            due_date, currency, net, vat, total, open_amount, corrects_id, document, created_at,
            actor_kind, actor_id
        )
        SELECT
            :account_id, {sizes.id("V", "v.n")},
            CASE WHEN v.n % 200 = 13 THEN 'credit_note' WHEN v.n % 100 = 51 THEN 'fee'
                ELSE 'invoice' END,
            'B-', v.n, 'B-' || CAST(v.n AS text), b.subscriber_id, b.name, d.issue_date,
            e.issue_date, 'EUR', ({total}) * 100 / 107, {total} - ({total}) * 100 / 107, {total},
            CASE WHEN v.n % 200 = 13 THEN CASE WHEN v.n % 2000 = 13 THEN -({total}) ELSE 0 END
                WHEN v.n % 100 = 7 THEN {total}
                WHEN v.n % 2 = 1 AND d.n > {sizes.days - RECENT_DAYS} THEN {total}
                ELSE 0 END,
            CASE WHEN v.n % 200 = 13 THEN {sizes.id("V", "(v.n - 1)")} END,
            {document}, d.made_at, {sizes.by}
        FROM bench_number v
        JOIN bench_person b ON b.n = 1 + (v.n - 1) % {sizes.persons}
        JOIN bench_day d ON d.n = {day}
        JOIN bench_day e ON e.n = d.n + {DUE_DAYS}
        WHERE v.n <= {sizes.invoices}
        ORDER BY v.n
    """
    yield f"""
        INSERT INTO number_series (account_id, series, last_number)
        VALUES (:account_id, 'B-', {sizes.invoices})
    """
    yield f"""
        INSERT INTO invoice_line (
            account_id, invoice_id, line, period_id, country, category, rate, net, vat
        )
        SELECT :account_id, i.id, 1, b.period_id, b.country, 'standard', 700, i.net, i.vat
        FROM bench_number v
        JOIN bench_person b ON b.n = 1 + (v.n - 1) % {sizes.persons}
        JOIN invoice i ON i.account_id = :account_id AND i.id = {sizes.id("V", "v.n")}
        WHERE v.n <= {sizes.invoices}
        ORDER BY v.n
    """
    newest = f"b.n + ({sizes.invoices} - b.n) / {sizes.persons} * {sizes.persons}"
    yield f"""
        INSERT INTO billed_order (
            account_id, period_id, payer_id, order_reference, due_days, invoice_id, created_at
        )
        SELECT
            :account_id, b.period_id, b.subscriber_id, '', {DUE_DAYS},
            CASE WHEN b.n % 400 = 1 THEN NULL ELSE {sizes.id("V", newest)} END, d.made_at
        FROM bench_person b
        JOIN bench_day d ON d.n = 0
        WHERE b.n % 5 <> 0
    """
    yield """
        UPDATE period
        SET is_billed = TRUE
        WHERE account_id = :account_id
          AND id IN (SELECT period_id FROM billed_order WHERE account_id = :account_id)
    """


def _payments(sizes: Sizes) -> Iterator[str]:
    settled = f"""
        FROM bench_number v
        JOIN bench_person b ON b.n = 1 + (v.n - 1) % {sizes.persons}
        JOIN invoice i ON i.account_id = :account_id AND i.id = {sizes.id("V", "v.n")}
        JOIN bench_day d ON d.n = v.n * {sizes.days} / {sizes.invoices}
        JOIN bench_day e ON e.n = d.n + {PAID_DAYS}
        WHERE v.n <= {sizes.invoices} AND i.kind <> 'credit_note' AND i.open_amount = 0
    """
    paid_day = "CASE WHEN e.issue_date > :today THEN :today ELSE e.issue_date END"
    yield f"""
        INSERT INTO payment (
            account_id, id, payer_id, payment_date, amount, currency, method, reference, source_id,
            product_id, unused_amount, created_at, actor_kind, actor_id
        )
        SELECT
            :account_id, {sizes.id("P", "v.n")}, b.subscriber_id, {paid_day},
            i.total + CASE WHEN v.n % 2000 = 2 THEN 500 ELSE 0 END, 'EUR',
            CASE WHEN b.n % 10 = 3 THEN 'direct debit' ELSE 'bank transfer' END, i.number,
            b.source_id, b.product_id, CASE WHEN v.n % 2000 = 2 THEN 500 ELSE 0 END, e.made_at,
            {sizes.by}
        {settled} AND v.n % 300 <> 11
        ORDER BY v.n
    """
    yield f"""
        INSERT INTO settlement (
            account_id, id, invoice_id, payment_id, amount, settled_date, reason, created_at,
            actor_kind, actor_id
        )
        SELECT
            :account_id, {sizes.id("S", "v.n")}, i.id,
            CASE WHEN v.n % 300 = 11 THEN NULL ELSE {sizes.id("P", "v.n")} END, i.total, {paid_day},
            CASE WHEN v.n % 300 = 11 THEN 'Moved away' ELSE '' END, e.made_at, {sizes.by}
        {settled}
        ORDER BY v.n
    """


def _debits(sizes: Sizes) -> Iterator[str]:
    """A collection a month; what came back, and what waits, is of open invoices."""
    month = "d.n / 30"
    yield f"""
        INSERT INTO collection (
            account_id, id, number, collect_date, currency, debits, total, created_at, actor_kind,
            actor_id, sent_at
        )
        SELECT
            :account_id, {sizes.id("K", month)}, 1 + {month}, d.issue_date, 'EUR',
            {sizes.invoices} / {sizes.days} * 3, {sizes.invoices} / {sizes.days} * 3 * 7000,
            d.made_at, {sizes.by}, d.made_at
        FROM bench_day d
        WHERE d.n % 30 = 0 AND d.n <= {sizes.days}
    """
    yield """
        INSERT INTO collection_file (account_id, collection_id, content, created_at)
        SELECT account_id, id, :file, created_at
        FROM collection
        WHERE account_id = :account_id
    """
    yield f"""
        INSERT INTO debit (
            account_id, id, invoice_id, mandate_id, collect_date, status, collection_id,
            sequence_type, amount, payment_id, return_reason, returned_date, created_at, actor_kind,
            actor_id
        )
        SELECT
            :account_id, {sizes.id("D", "v.n")}, i.id, {sizes.id("M", "b.n")}, i.due_date,
            CASE WHEN i.open_amount = 0 THEN 'paid' WHEN v.n % 100 = 7 THEN 'returned'
                ELSE 'waiting' END,
            CASE WHEN i.open_amount = 0 OR v.n % 100 = 7 THEN {sizes.id("K", month)} END, 'RCUR',
            CASE WHEN i.open_amount = 0 OR v.n % 100 = 7 THEN i.total END,
            CASE WHEN i.open_amount = 0 AND v.n % 300 <> 11 THEN {sizes.id("P", "v.n")} END,
            CASE WHEN v.n % 100 = 7 THEN 'MS03' ELSE '' END,
            CASE WHEN v.n % 100 = 7 THEN i.due_date END, d.made_at, {sizes.by}
        FROM bench_number v
        JOIN bench_person b ON b.n = 1 + (v.n - 1) % {sizes.persons}
        JOIN invoice i ON i.account_id = :account_id AND i.id = {sizes.id("V", "v.n")}
        JOIN bench_day d ON d.n = v.n * {sizes.days} / {sizes.invoices}
        WHERE v.n <= {sizes.invoices} AND i.kind = 'invoice' AND b.n % 10 = 3
        ORDER BY v.n
    """


def _reminders(sizes: Sizes) -> Iterator[str]:
    """Of each old open invoice, and of one in 25 that were paid then."""
    number, reminded = "(v.n / 25)", "v.n % 25 = 7 AND d.n < " + str(sizes.days - 60)
    rows = f"""
        FROM bench_number v
        JOIN bench_person b ON b.n = 1 + (v.n - 1) % {sizes.persons}
        JOIN invoice i ON i.account_id = :account_id AND i.id = {sizes.id("V", "v.n")}
        JOIN bench_day d ON d.n = v.n * {sizes.days} / {sizes.invoices}
        JOIN bench_day e ON e.n = d.n + 30
        WHERE v.n <= {sizes.invoices} AND i.kind = 'invoice' AND {reminded}
    """
    yield f"""
        INSERT INTO reminder_round (
            account_id, id, stage, name, letters, created_at, actor_kind, actor_id, stopped
        )
        SELECT
            :account_id, {sizes.id("R", "v.n")}, 1, 'Payment reminder', {ROUND}, d.made_at,
            {sizes.by}, 0
        FROM bench_number v
        JOIN bench_day d ON d.n = v.n * {ROUND * 25} * {sizes.days} / {sizes.invoices}
        WHERE v.n <= {sizes.invoices // 25 // ROUND}
    """
    yield f"""
        INSERT INTO reminder_round (
            account_id, id, stage, name, letters, created_at, actor_kind, actor_id, stopped
        )
        SELECT
            :account_id, {sizes.id("R", "0")}, 1, 'Payment reminder', {ROUND}, d.made_at,
            {sizes.by}, 0
        FROM bench_day d
        WHERE d.n = 0
    """
    yield f"""
        INSERT INTO reminder (
            account_id, id, round_id, payer_id, stage, reminded_date, channel, status, currency,
            total, encloses_invoices, subject, body, address, created_at, ended_at
        )
        SELECT
            :account_id, {sizes.id("N", number)}, {sizes.id("R", f"({number} / {ROUND})")},
            b.subscriber_id, 1, e.issue_date, 'email', 'sent', 'EUR', i.total, FALSE,
            'Payment reminder', 'Dear reader, please pay ' || i.number, '', e.made_at, e.made_at
        {rows}
    """
    yield f"""
        INSERT INTO reminder_item (
            account_id, reminder_id, invoice_id, stage, due_date, open_amount
        )
        SELECT :account_id, {sizes.id("N", number)}, i.id, 1, i.due_date, i.total
        {rows}
    """
    yield """
        UPDATE invoice
        SET reminder_stage = f.stage, reminded_date = f.reminded_date
        FROM (
            SELECT t.invoice_id, t.stage, r.reminded_date
            FROM reminder_item t
            JOIN reminder r ON r.account_id = :account_id AND r.id = t.reminder_id
            WHERE t.account_id = :account_id
        ) AS f
        WHERE account_id = :account_id AND id = f.invoice_id
    """
    yield f"""
        INSERT INTO reminder_term (
            account_id, invoice_id, promised_date, is_stopped, is_disputed, reason, updated_at
        )
        SELECT :account_id, i.id, NULL, v.n % 2000 = 7, v.n % 2000 = 1007, 'By phone', e.made_at
        {rows} AND v.n % 1000 = 7
    """
    yield f"""
        INSERT INTO subscription_hold (
            account_id, id, subscription_id, invoice_id, reason, created_at, actor_kind, actor_id,
            ended_at, ended_by
        )
        SELECT
            :account_id, {sizes.id("H", "v.n")}, b.subscription_id, i.id, '', e.made_at, {sizes.by},
            CASE WHEN i.open_amount = 0 THEN e.made_at END,
            CASE WHEN i.open_amount = 0 THEN 'settled' END
        {rows} AND v.n % 400 IN (7, 32)
    """


def _bank(sizes: Sizes) -> Iterator[str]:
    """A statement a week, with the payments of a third of the invoices; 500 lines to look at."""
    is_new = f"v.n > {sizes.invoices} - {sizes.invoices} / 500"
    week = f"(v.n * {sizes.days} / {sizes.invoices} / 7)"
    yield f"""
        INSERT INTO bank_statement (
            account_id, id, name, sha256, part, format, iban, currency, first_date, last_date,
            lines, kept, known, pending, created_at, actor_kind, actor_id
        )
        SELECT
            :account_id, {sizes.id("A", "(d.n / 7)")}, 'week.xml', CAST(d.n AS text), 0, 'camt053',
            'DE89370400440532013000', 'EUR', d.issue_date, d.issue_date,
            {sizes.invoices} / {sizes.days} * 2, {sizes.invoices} / {sizes.days} * 2, 0, 0,
            d.made_at, {sizes.by}
        FROM bench_day d
        WHERE d.n % 7 = 0 AND d.n <= {sizes.days}
    """
    yield f"""
        INSERT INTO bank_line (
            account_id, id, statement_id, digest, booking_date, amount, currency, name, iban,
            reference, text, return_reason, status, payment_id, reason, actor_kind, actor_id
        )
        SELECT
            :account_id, {sizes.id("B", "v.n")}, {sizes.id("A", week)}, 'b' || CAST(v.n AS text),
            m.payment_date, m.amount, 'EUR', b.name, 'DE02 … 2051', '', m.reference, '',
            CASE WHEN {is_new} THEN 'open' ELSE 'matched' END,
            CASE WHEN {is_new} THEN NULL ELSE m.id END, '', {sizes.by}
        FROM bench_number v
        JOIN bench_person b ON b.n = 1 + (v.n - 1) % {sizes.persons}
        JOIN payment m ON m.account_id = :account_id AND m.id = {sizes.id("P", "v.n")}
        WHERE v.n <= {sizes.invoices} AND v.n % 3 = 0
    """
    yield """
        UPDATE bank_statement
        SET lines = (
                SELECT count(*)
                FROM bank_line l
                WHERE l.account_id = :account_id AND l.statement_id = bank_statement.id
            ),
            kept = (
                SELECT count(*)
                FROM bank_line l
                WHERE l.account_id = :account_id AND l.statement_id = bank_statement.id
            )
        WHERE account_id = :account_id
    """
