"""The place of each table on Citus.

A distributed table is split by account: all rows of an account are on one node, and so are the
rows of the same account in all other distributed tables. A reference table is on every node: Citus
writes to it on all nodes or none. A local table is only on the coordinator, which masthead connects
to, so it can be written while other nodes are away. A new table belongs into one of the three
lists; `tests/store/citus` compares them with the schema.
"""

# Distributed by this column; the other tables are placed like this one
COLUMN, FIRST = "account_id", "account_state"

# Distributed tables refer to it
REFERENCE = ("account",)
DISTRIBUTED = (
    FIRST,
    "account_export",
    "account_export_part",
    "address_change",
    "audit",
    "bank_line",
    "bank_statement",
    "billed_order",
    "billing",
    "cancellation",
    "carrier_file",
    "carrier_file_part",
    "claim",
    "copy",
    "dated_price",
    "delivery_report",
    "dismissed_pair",
    "dispatch",
    "dispatch_file",
    "dispatch_file_part",
    "dispatch_line",
    "erasure",
    "erasure_digest",
    "event",
    "export_profile",
    "import_batch",
    "import_file_part",
    "import_mapping",
    "import_row",
    "invoice",
    "invoice_line",
    "issue",
    "issue_cover",
    "letter_batch",
    "letter_exclusion",
    "number_series",
    "outbox",
    "payer",
    "payment",
    "period",
    "product",
    "product_price",
    "refund",
    "renewal_letter",
    "renewal_stage",
    "retention",
    "retention_rule",
    "revenue_statement",
    "revenue_statement_part",
    "searchable",
    "settlement",
    "skipped_issue",
    "source",
    "stored_answer",
    "submission",
    "subscriber",
    "subscriber_merge",
    "subscriber_note",
    "subscription",
    "subscription_change",
    "subscription_document",
    "trend",
    "vat_rate",
    "webhook",
    "webhook_delivery",
)

# People, what they sign in with, API keys, leases and secrets; and the state of the database itself
LOCAL = (
    "account_user",
    "alembic_version",
    "api_key",
    "app_user",
    "authenticator_app",
    "heartbeat",
    "known_browser",
    "lease",
    "passkey",
    "passkey_challenge",
    "pending_sign_in",
    "recovery_code",
    "schema_support",
    "secret",
    "sign_in_link",
    "throttle",
    "unfinished_distribution",
    "unfinished_work",
    "web_session",
)
