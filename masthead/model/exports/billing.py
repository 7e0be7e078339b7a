"""The files of an export about invoices, payments, bank statements and direct debits."""

from masthead.model.exports.export_files import ExportFile, columns

DEBIT_SETTINGS = (
    ExportFile(
        name="debit_settings",
        table="debit_settings",
        about="The settings for direct debits; one row, or none if the account collects none.",
        key=("creditor_id",),
        columns=columns("creditor_id notice_days marks_first charges_bank_fee updated_at"),
    ),
)

DEBITS = (
    ExportFile(
        name="mandates",
        table="mandate",
        about="A SEPA mandate of a payer, with the whole IBAN: without it, nothing can be "
        "collected.",
        columns=columns(
            "id payer_id reference iban bic holder is_recurring is_b2b signed_date last_used_date "
            "revoked_date revoke_reason created_at actor_kind actor_id"
        ),
    ),
    ExportFile(
        name="mandate_files",
        table="mandate_file",
        about="A signed mandate; `content` is the PDF or the picture in base64.",
        key=("mandate_id",),
        columns=columns("mandate_id media_type content created_at"),
    ),
    ExportFile(
        name="collections",
        table="collection",
        about="Direct debits that went to the bank together.",
        columns=columns(
            "id number collect_date currency debits total created_at actor_kind actor_id sent_at "
            "cancelled_at is_b2b"
        ),
        amounts={"total": "currency"},
    ),
    ExportFile(
        name="collection_files",
        table="collection_file",
        about="The file of a collection for the bank; `content` is the XML in base64.",
        key=("collection_id",),
        columns=columns("collection_id content created_at"),
    ),
    ExportFile(
        name="debits",
        table="debit",
        about="A direct debit of an invoice: it waits, was collected, is paid, came back, or was "
        "cancelled.",
        source="debit t JOIN invoice i ON i.account_id = t.account_id AND i.id = t.invoice_id",
        expressions={"currency": "i.currency"},
        columns=columns(
            "id invoice_id mandate_id collect_date status collection_id sequence_type amount "
            "payment_id line_id return_reason returned_date fee_id currency created_at actor_kind "
            "actor_id"
        ),
        amounts={"amount": "currency"},
    ),
)


BANK = (
    ExportFile(
        name="bank_statements",
        table="bank_statement",
        about="A bank statement that was imported. The IBAN of your account is masked.",
        columns=columns(
            "id name sha256 part format iban currency opening closing first_date last_date lines "
            "kept known pending created_at actor_kind actor_id"
        ),
        amounts={"opening": "currency", "closing": "currency"},
    ),
    ExportFile(
        name="bank_lines",
        table="bank_line",
        about="A line of a bank statement: money that came in or came back, and the payment that "
        "was recorded for it. The IBAN of the payer is masked.",
        columns=columns(
            "id statement_id digest booking_date value_date amount currency name ultimate_name "
            "iban reference text return_reason original_amount status payment_id reason decided_at "
            "actor_kind actor_id"
        ),
        amounts={"amount": "currency", "original_amount": "currency"},
    ),
)


LETTERHEADS = (
    ExportFile(
        name="letterheads",
        table="letterhead",
        about="A picture at the top of invoices; `content` is the file in base64.",
        key=("number",),
        columns=columns("number media_type width height content created_at"),
    ),
)


BILLING_SETTINGS = (
    ExportFile(
        name="billing",
        table="billing",
        about="The settings for invoices; one row, or none if the account writes none.",
        key=("name",),
        columns=columns(
            "name street postcode city country vat_id tax_number email phone bank iban bic footer "
            "is_small_business prices_include_vat digital_percent due_days series "
            "letterhead updated_at"
        ),
    ),
    ExportFile(
        name="vat_settings",
        table="vat_setting",
        about="Whether the publisher is a small business, and the digital part of print + digital, "
        "from a day on. Before the first one, what `billing.csv` says holds.",
        key=("first_day",),
        columns=columns("first_day is_small_business digital_percent"),
    ),
    ExportFile(
        name="vat_rates",
        table="vat_rate",
        about="A rate of VAT from a day on, in hundredths of a percent. An empty product or medium "
        "stands for all.",
        key=("first_day", "place", "product_id", "medium"),
        columns=columns("first_day place product_id medium rate"),
    ),
    ExportFile(
        name="exchange_rates",
        table="exchange_rate",
        about="What one unit of the base currency is in the quote currency, from a day on.",
        key=("first_day", "base_currency", "quote_currency"),
        columns=columns("first_day base_currency quote_currency rate"),
    ),
    ExportFile(
        name="ledger_accounts",
        table="ledger_account",
        about="The number of an account of the journal.",
        key=("name",),
        columns=columns("name number"),
    ),
)

PAYERS = (
    ExportFile(
        name="payers",
        table="payer",
        about="A subscriber who pays by invoice, with their customer number.",
        key=("subscriber_id",),
        columns=columns(
            "subscriber_id number vat_id bills_together created_at reminders_stopped_at "
            "reminders_stop_reason department"
        ),
    ),
)

INVOICES = (
    ExportFile(
        name="number_series",
        table="number_series",
        about="The last number of a series of invoices, and the last customer number.",
        key=("series",),
        columns=columns("series last_number"),
    ),
    ExportFile(
        name="invoices",
        table="invoice",
        about="An invoice, a credit note or the fee of a reminder. `document` is JSON with all "
        "that is printed on it; `open_amount` of a credit note is negative.",
        columns=columns(
            "id kind series series_number number payer_id payer_name issue_date due_date currency "
            "net vat total open_amount corrects_id document created_at actor_kind actor_id"
        ),
        left_out=dict.fromkeys(
            ("reminder_stage", "reminded_date"), "they are worked out from the reminders"
        ),
        amounts=dict.fromkeys(("net", "vat", "total", "open_amount"), "currency"),
        texts_with_ids=("document",),
    ),
    ExportFile(
        name="invoice_lines",
        table="invoice_line",
        about="A line of an invoice: an order, or its printed or digital part. `rate` is in "
        "hundredths of a percent.",
        key=("invoice_id", "line"),
        source="invoice_line t JOIN invoice i ON i.account_id = t.account_id "
        "AND i.id = t.invoice_id",
        expressions={"currency": "i.currency"},
        columns=columns("invoice_id line period_id country category rate net vat currency"),
        amounts={"net": "currency", "vat": "currency"},
    ),
    ExportFile(
        name="billed_orders",
        table="billed_order",
        about="An order that a payer gets an invoice for. Without `invoice_id`, it waits for it.",
        key=("period_id",),
        columns=columns(
            "period_id payer_id order_reference due_days is_debited invoice_id created_at"
        ),
    ),
    ExportFile(
        name="payments",
        table="payment",
        about="A payment. Its amount is negative if it went back to the payer.",
        columns=columns(
            "id payer_id payment_date amount currency method reference source_id product_id "
            "unused_amount created_at actor_kind actor_id undone_at"
        ),
        amounts={"amount": "currency", "unused_amount": "currency"},
    ),
    ExportFile(
        name="settlements",
        table="settlement",
        about="A part of a payment or a credit note that pays an invoice, or that went back to "
        "the payer. Without both, it is what was written off.",
        source="settlement t LEFT JOIN invoice i ON i.account_id = t.account_id "
        "AND i.id = coalesce(t.invoice_id, t.credit_note_id) "
        "LEFT JOIN payment p ON p.account_id = t.account_id "
        "AND p.id = coalesce(t.payment_id, t.payback_id)",
        expressions={"currency": "coalesce(i.currency, p.currency)"},
        columns=columns(
            "id invoice_id payback_id payment_id credit_note_id amount currency settled_date "
            "reason created_at actor_kind actor_id"
        ),
        amounts={"amount": "currency"},
    ),
)
