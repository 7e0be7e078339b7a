"""Everything that an export has, and everything that it leaves out."""

from masthead.model.exports.billing import (
    BANK,
    BILLING_SETTINGS,
    DEBIT_SETTINGS,
    DEBITS,
    INVOICES,
    LETTERHEADS,
    PAYERS,
)
from masthead.model.exports.dispatches import DISPATCHES
from masthead.model.exports.export_files import ExportFile
from masthead.model.exports.history import HISTORY, IMPORTS, LETTERS
from masthead.model.exports.orders import ISSUES, SUBSCRIPTIONS
from masthead.model.exports.people import ACCOUNT, PRODUCTS_AND_TEXTS, SUBSCRIBERS
from masthead.model.exports.reminders import REMINDER_SETTINGS, REMINDERS

# A reset of a sandbox keeps them, and an import of an export replaces them
SETTINGS = (
    *PRODUCTS_AND_TEXTS,
    *BILLING_SETTINGS,
    *REMINDER_SETTINGS,
    *LETTERHEADS,
    *DEBIT_SETTINGS,
)
# In the order in which they are written and restored: no row refers to a later file
EXPORT_FILES: tuple[ExportFile, ...] = (
    *ACCOUNT,
    *SETTINGS,
    *ISSUES,
    *SUBSCRIBERS,
    *PAYERS,
    *SUBSCRIPTIONS,
    *INVOICES,
    *REMINDERS,
    *DISPATCHES,
    *LETTERS,
    *IMPORTS,
    *BANK,
    *DEBITS,
    *HISTORY,
)

_SERVER = "it belongs to the server, not to the account"
_SECRET = "it is a secret of a person who signs in"  # noqa: S105 - says why
_INDEX = "it is made again from the subscribers and subscriptions"

# Why a table with rows of accounts is in no file
LEFT_OUT_OF_ACCOUNT: dict[str, str] = {
    "account_export": "exports, which are deleted after a week",
    "account_export_part": "exports, which are deleted after a week",
    "account_state": "counters, which are made again; `account.csv` has `daily_date`",
    "billed_sum": "sums of documents by day; masthead adds them up again",
    "carrier_file_part": "the files of the carriers as they were uploaded; you have them",
    "dispatch_file_part": "address files, which can be made again from `dispatch_lines.csv`",
    "event": "events for programs, which are deleted after some weeks",
    "import_file_part": "the files of the imports as they were uploaded; you have them",
    "paid_sum": "sums of payments by day; masthead adds them up again",
    "sandbox": "the clock of a sandbox, which belongs to this server",
    "searchable": _INDEX,
    "self_service": "the page for subscribers: an owner sets it up again, and uploads the logo",
    "stored_answer": "the answers to requests with an `Idempotency-Key`, for a day",
    "submission": "which forms were sent in the last days",
    "subscriber_link": "links in emails, which are valid for a day at most",
    "subscriber_session": "who is signed in at the page for subscribers",
    "subscription_change": "which stored JSON is outdated",
    "subscription_document": "`json/subscriptions.ndjson` has it",
    "summed_until": "how far documents and payments were added up by day",
    "webhook": "addresses with their secrets, which other servers must not use",
    "webhook_delivery": "what was sent to webhooks in the last days",
}
# The same for tables of the whole server
LEFT_OUT_OF_SERVER: dict[str, str] = {
    "alembic_version": _SERVER,
    "app_user": "`users.csv` has the email addresses; everything else is for signing in",
    "authenticator_app": _SECRET,
    "heartbeat": _SERVER,
    "known_browser": _SECRET,
    "lease": _SERVER,
    "passkey": _SECRET,
    "passkey_challenge": _SECRET,
    "pending_sign_in": _SECRET,
    "recovery_code": _SECRET,
    "schema_support": _SERVER,
    "secret": _SERVER,
    "sign_in_link": _SECRET,
    "throttle": _SERVER,
    "web_session": _SECRET,
}
# Tables that only SQLite has
SEARCH_OF_SQLITE: dict[str, str] = {
    "search_index": _INDEX,
    "search_index_config": _INDEX,
    "search_index_data": _INDEX,
    "search_index_idx": _INDEX,
    "search_trigram": _INDEX,
}
LEFT_OUT = {**LEFT_OUT_OF_ACCOUNT, **LEFT_OUT_OF_SERVER, **SEARCH_OF_SQLITE}
