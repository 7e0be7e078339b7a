"""The files of an export about direct debits."""

from masthead.model.exports.nouns import Noun, columns

DEBITS = (
    Noun(
        name="debit_settings",
        table="debit_settings",
        about="The settings for direct debits; one row, or none if the account collects none.",
        key=("creditor_id",),
        columns=columns("creditor_id notice_days marks_first charges_bank_fee updated_at"),
    ),
    Noun(
        name="mandates",
        table="mandate",
        about="A SEPA mandate of a payer, with the whole IBAN: without it, nothing can be "
        "collected.",
        columns=columns(
            "id payer_id reference iban bic holder is_recurring is_b2b signed_date last_used_date "
            "revoked_date revoke_reason created_at actor_kind actor_id"
        ),
    ),
    Noun(
        name="mandate_files",
        table="mandate_file",
        about="A signed mandate; `content` is the PDF or the picture in base64.",
        key=("mandate_id",),
        columns=columns("mandate_id media_type content created_at"),
    ),
    Noun(
        name="collections",
        table="collection",
        about="Direct debits that went to the bank together.",
        columns=columns(
            "id number collect_date currency debits total created_at actor_kind actor_id sent_at "
            "cancelled_at is_b2b"
        ),
        amounts={"total": "currency"},
    ),
    Noun(
        name="collection_files",
        table="collection_file",
        about="The file of a collection for the bank; `content` is the XML in base64.",
        key=("collection_id",),
        columns=columns("collection_id content created_at"),
    ),
    Noun(
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
