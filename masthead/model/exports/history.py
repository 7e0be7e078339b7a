"""The files of an export about letters, imports, revenue and who did what."""

from masthead.model.exports.export_files import ExportFile, columns

LETTERS = (
    ExportFile(
        name="letter_batches",
        table="letter_batch",
        about="Renewal letters that were made together.",
        columns=columns(
            "id stage channel issue_number letters created_at actor_kind actor_id "
            "stopped_at stopped round_id"
        ),
    ),
    ExportFile(
        name="letter_exclusions",
        table="letter_exclusion",
        about="A subscription that a user left out of the renewal letters of a stage.",
        key=("stage", "period_id"),
        columns=columns("stage period_id subscription_id created_at actor_kind actor_id"),
    ),
    ExportFile(
        name="renewal_letters",
        table="renewal_letter",
        about="A renewal letter to a subscriber, with its text and address.",
        columns=columns(
            "id batch_id period_id stage channel status subscription_id subscriber_id subject "
            "body address reason created_at ended_at locale"
        ),
    ),
    ExportFile(
        name="emails",
        table="outbox",
        about="An email that masthead sent or tried to send. Emails with a secret link have no "
        "text here.",
        expressions={"body": "CASE WHEN t.is_secret THEN '' ELSE t.body END"},
        columns=columns(
            "id message_id recipient subscriber_id letter_id invoice_id reminder_id subject body "
            "status attempts last_error is_secret created_at sent_at"
        ),
        left_out={
            "next_attempt_at": "no other server may send the email again",
            "sending_at": "no other server may send the email again",
            "link_digest": "it belongs to a secret link",
            "unsubscribe_url": "it is a secret link of this server",
        },
        stays="no email may be sent twice",
    ),
)

IMPORTS = (
    ExportFile(
        name="imports",
        table="import_batch",
        about="An import: its file, its options and its counts.",
        columns=columns(
            "id number name sha256 bytes status source_id layout options decisions counts reasons "
            "issues error created_at "
            "actor_kind actor_id started_at finished_at undone_at undone_by_kind undone_by_id"
        ),
        stays="the files that were uploaded stay with you",
    ),
    ExportFile(
        name="import_rows",
        table="import_row",
        about="A row of an import and what it made; refused rows have their cells and reasons.",
        key=("batch_id", "line", "part"),
        columns=columns(
            "batch_id line part outcome order_id subscription_id subscriber_id period_id made "
            "reasons cells"
        ),
        left_out={"said": "it only tells whether the row is imported again"},
        stays="the files that were uploaded stay with you",
    ),
)

HISTORY = (
    ExportFile(
        name="revenue_statements",
        table="revenue_statement",
        about="A revenue statement; `figures` is JSON.",
        columns=columns(
            "id statement_date status figures sha256 orders_sha256 error created_at actor_kind "
            "actor_id ready_at"
        ),
        texts_with_ids=("figures",),
    ),
    ExportFile(
        name="revenue_statement_parts",
        table="revenue_statement_part",
        about="A piece of the files of a revenue statement, compressed with zlib, in base64.",
        key=("statement_id", "file", "part"),
        columns=columns("statement_id file part content"),
    ),
    ExportFile(
        name="trends",
        table="trend",
        about="How many subscriptions and subscribers were active on a day.",
        key=("trend_date",),
        columns=columns("trend_date active_subscriptions active_subscribers"),
    ),
    ExportFile(
        name="retention",
        table="retention",
        about="How many subscriptions ended with an issue, and how many of them were renewed "
        "within one, two and three issues.",
        key=("issue_number", "medium", "source_id"),
        columns=columns("issue_number medium source_id ended within_1 within_2 within_3 automatic"),
    ),
    ExportFile(
        name="audit_trail",
        table="audit",
        about="A change: who made it, when, and what was there before and after, as JSON.",
        columns=columns(
            "id happened_at actor_kind actor_id action subject_type subject_id before after"
        ),
        texts_with_ids=("before", "after"),
    ),
)
