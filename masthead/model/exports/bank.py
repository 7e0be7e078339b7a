"""The files of an export about bank statements."""

from masthead.model.exports.nouns import Noun, columns

BANK = (
    Noun(
        name="bank_statements",
        table="bank_statement",
        about="A bank statement that was imported. The IBAN of your account is masked.",
        columns=columns(
            "id name sha256 part format iban currency opening closing first_date last_date lines "
            "kept known pending created_at actor_kind actor_id"
        ),
        amounts={"opening": "currency", "closing": "currency"},
    ),
    Noun(
        name="bank_lines",
        table="bank_line",
        about="A line of a bank statement: money that came in or came back, and the payment that "
        "was recorded for it. The IBAN of the payer is masked.",
        columns=columns(
            "id statement_id digest booking_date value_date amount currency name iban reference "
            "text return_reason original_amount status payment_id reason decided_at actor_kind "
            "actor_id"
        ),
        amounts={"amount": "currency", "original_amount": "currency"},
    ),
)
