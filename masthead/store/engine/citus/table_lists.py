"""The place of each table on Citus.

A distributed table is split by account: all rows of an account are on one node, and so are the
rows of the same account in all other distributed tables. A reference table is on every node. A new
table belongs into one of the two lists; `tests/store/citus` compares them with the schema.
"""

# Distributed by this column; the other tables are placed like this one
COLUMN, FIRST = "account_id", "account_state"

# What belongs to no single account: accounts themselves, people, their sign-ins, leases and secrets
REFERENCE = (
    "account",
    "app_user",
    "account_user",
    "authenticator_app",
    "heartbeat",
    "known_browser",
    "lease",
    "passkey",
    "passkey_challenge",
    "pending_sign_in",
    "recovery_code",
    "secret",
    "sign_in_link",
    "throttle",
    "web_session",
)
DISTRIBUTED = (
    FIRST,
    "account_export",
    "account_export_part",
    "address_change",
    "api_key",
    "audit",
    "cancellation",
    "carrier_file",
    "carrier_file_part",
    "claim",
    "copy",
    "delivery_report",
    "dispatch",
    "dispatch_file",
    "dispatch_file_part",
    "dispatch_line",
    "erasure",
    "erasure_digest",
    "export_profile",
    "import_batch",
    "import_file_part",
    "import_mapping",
    "import_row",
    "issue",
    "issue_cover",
    "letter_batch",
    "outbox",
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
)

# What says something about one database: it stays on the node that masthead connects to
LOCAL = ("alembic_version", "schema_support", "unfinished_distribution", "unfinished_work")
