"""The columns whose values an erasure replaces, those that it keeps, and those that it searches.

The tests list all others, and what becomes of them: a new column must be in one of the lists.
"""

from collections.abc import Mapping

from masthead.model.translations import gettext_noop

ERASED_NAME = gettext_noop("Erased")  # in place of the name of an erased subscriber
ERASED_TEXT = "[erased]"  # in place of their name or email in a text about something else

# The values that replace those of a subscriber, by table and column
REPLACED: Mapping[str, Mapping[str, str | None]] = {
    "subscription": {
        "first_name": ERASED_NAME,
        **dict.fromkeys(
            "last_name company address1 address2 city state postcode phone notes".split()
        ),
    },
    "address_change": {
        "first_name": ERASED_NAME,
        **dict.fromkeys("last_name company address1 address2 city state postcode phone".split()),
    },
    "dispatch_line": {
        "first_name": ERASED_NAME,
        **dict.fromkeys(
            "salutation title last_name company address1 address2 city state postcode".split()
        ),
    },
    "subscriber_note": {"text": ""},
    "claim": {"notes": None},
    "subscriber_request": {"notes": None},
    "cancellation": {"notes": None},
    "refund": {"reason": ""},
    "reminder": dict.fromkeys("subject body address".split(), ""),
    "reminder_term": {"reason": ""},
    "subscription_hold": {"reason": ""},
    "import_row": {"cells": None, "reasons": None, "said": None},
    "payer": {"vat_id": "", "department": None, "reminders_stop_reason": None},
    "payment": {"reference": ""},
    "bank_line": {
        "name": ERASED_NAME,
        **dict.fromkeys("ultimate_name iban reference text reason".split(), ""),
    },
}

# Columns of records about a subscriber that say nothing about who that is, or that the accounts
# of a publisher need
KEPT: Mapping[str, str] = {
    # tax law requires invoices with name and address to be kept as they were issued
    "invoice": "payer_name document kind series number currency",
    "invoice_line": "country category",
    # and what was collected by direct debit, with the mandate that allowed it
    "mandate": "reference iban bic",
    "debit": "status sequence_type return_reason",
    "payment": "currency method",
    "subscriber": "latest_country",
    "subscription": "type status medium country",
    "subscription_hold": "ended_by",
    "address_change": "country status",
    "bank_line": "currency status return_reason digest",
    "period": "currency payment_method",
    "copy": "status country",
    "grace_copy": "status",
    "claim": "country reason status",
    "subscriber_request": "action status reason",
    "cancellation": "reason status_before",
    "delivery_report": "kind status",
    "dispatch_line": "claim_id medium country status left_reason",
    "reminder": "channel status reason currency",
    "renewal_letter": "stage channel status reason",
    "outbox": "message_id status",
    "audit": "action subject_type",
    "event": "type",
    "import_row": "outcome",
    "webhook_delivery": "webhook_id status error",
}

# Texts that people type, and addresses of others. An erasure cannot change them by itself: a label
# would stop a copy, and a product would have no name. It searches them, and says where
# the subscriber is named.
LEFT: Mapping[str, str] = {
    "subscriber": "company address1 address2",
    "subscription": "company address1 address2",
    "address_change": "company address1 address2",
    "dispatch_line": "company address1 address2",
    "account": "name welcome_subject welcome_text welcome_translations postal_address",
    "api_key": "name",
    "billing": "name street city email phone bank footer",
    "delivery_report": "old_address new_address",
    "dispatch_file": "name profile_name settings",
    "export_profile": "name settings",
    "import_mapping": "name",
    "issue": "name release_date_fuzzy",
    "mandate": "holder",
    "product": "name benefits",
    "reminder_round": "name",
    "reminder_stage": "name subject text",
    "renewal_stage": "subject text translations",
    "self_service": "introduction contact renewal_url",
    "source": "name",
    "webhook": "url",
}
