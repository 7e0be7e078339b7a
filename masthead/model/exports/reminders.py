"""The files of an export about reminders of overdue invoices, and about holds."""

from masthead.model.exports.export_files import ExportFile, columns

REMINDER_SETTINGS = (
    ExportFile(
        name="reminder_settings",
        table="reminder_setting",
        about="How an account reminds: the smallest amount, and the stage that holds copies; no "
        "row if nothing was saved.",
        key=("hold_stage",),
        source="reminder_setting t JOIN account a ON a.id = t.account_id",
        expressions={"currency": "a.currency"},
        columns=columns("least_amount currency hold_stage updated_at"),
        amounts={"least_amount": "currency"},
    ),
    ExportFile(
        name="reminder_stages",
        table="reminder_stage",
        about="A stage of reminders. `days` is after the due day, or after the stage before.",
        key=("stage",),
        source="reminder_stage t JOIN account a ON a.id = t.account_id",
        expressions={"currency": "a.currency"},
        columns=columns(
            "stage name days fee currency subject text encloses_invoices is_printed updated_at"
        ),
        amounts={"fee": "currency"},
    ),
)

REMINDERS = (
    ExportFile(
        name="reminder_rounds",
        table="reminder_round",
        about="The reminders of a stage that were written at once. `letters` is how many.",
        columns=columns("id stage name letters created_at actor_kind actor_id stopped_at stopped"),
    ),
    ExportFile(
        name="reminders",
        table="reminder",
        about="A reminder to a payer. Its fee is the invoice `fee_id`.",
        columns=columns(
            "id round_id payer_id stage reminded_date channel status reason currency total fee_id "
            "encloses_invoices subject body address created_at ended_at locale"
        ),
        amounts={"total": "currency"},
    ),
    ExportFile(
        name="reminder_items",
        table="reminder_item",
        about="An invoice of a reminder. `stage` is what the reminder counts as for it; 0 if it is "
        "listed only.",
        key=("reminder_id", "invoice_id"),
        source="reminder_item t JOIN invoice i ON i.account_id = t.account_id "
        "AND i.id = t.invoice_id",
        expressions={"currency": "i.currency"},
        columns=columns("reminder_id invoice_id stage due_date open_amount currency"),
        amounts={"open_amount": "currency"},
    ),
    ExportFile(
        name="reminder_terms",
        table="reminder_term",
        about="What was agreed about an invoice: another day, or no reminders.",
        key=("invoice_id",),
        columns=columns("invoice_id promised_date is_stopped is_disputed reason updated_at"),
    ),
    ExportFile(
        name="subscription_holds",
        table="subscription_hold",
        about="A time in which mailings leave out a subscription: because `invoice_id` is not "
        "paid, or because a user said so.",
        columns=columns(
            "id subscription_id invoice_id reason created_at actor_kind actor_id ended_at ended_by"
        ),
    ),
)
