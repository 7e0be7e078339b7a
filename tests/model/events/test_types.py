"""Each kind of entry of the audit trail is an event for programs, or is known not to be one."""

from masthead.model.audit_entries import EntryType as Entry
from masthead.model.events.types import EVENTS, PublicEventType

# About users, keys, settings, and what the API does not show; never events
PRIVATE_SUBJECTS = {
    "account",
    "bank_line",
    "bank_statement",
    "collection",
    "email",
    "export_profile",
    "key",
    "letter_batch",
    "product",
    "reminder_round",
    "revenue_statement",
    "source",
    "user",
    "webhook",
}
WITHOUT_EVENT = {
    Entry.INVOICE_DEBIT,
    Entry.INVOICE_DEBIT_COLLECT,
    Entry.INVOICE_DEBIT_RETURN,
    Entry.INVOICE_DEBIT_STOP,
    Entry.INVOICE_AGREE_TERM,
    Entry.INVOICE_EMAIL,
    Entry.INVOICE_EMAIL_STOP,
    Entry.INVOICE_EMAIL_TEST,
    Entry.SUBSCRIPTION_HOLD,
    Entry.SUBSCRIPTION_RELEASE,
    Entry.INVOICE_POST,
    Entry.INVOICE_POST_UNDO,
    Entry.INVOICE_PRINT,
    Entry.SUBSCRIBER_ADD_MANDATE,
    Entry.SUBSCRIBER_REVOKE_MANDATE,
    Entry.SUBSCRIBER_UPDATE_MANDATE,
    Entry.SUBSCRIBER_REQUEST,
    Entry.SUBSCRIBER_STOP_REMINDERS,
    Entry.SUBSCRIBER_UPDATE_PAYER,
    Entry.DISPATCH_DOWNLOAD,
    Entry.IMPORT_BATCH_DELETE,
    Entry.ISSUE_DELETE_COVER,
    Entry.ISSUE_DOWNLOAD,
    Entry.ISSUE_SET_COVER,
    Entry.SUBSCRIBER_ADD_NOTE,
    Entry.SUBSCRIBER_DISMISS_DUPLICATE,
    Entry.SUBSCRIBER_RESTORE_DUPLICATE,
    Entry.SUBSCRIBER_DELETE_NOTE,
    Entry.SUBSCRIBER_EXPORT,
}
# Their events are added with the rows: one for many entries, or also where there is no entry
ADDED_WITH_ROWS = {
    Entry.INVOICE_USE_CREDIT: {PublicEventType.INVOICE_UPDATED},
    Entry.INVOICE_WAIVE_FEE: {PublicEventType.INVOICE_UPDATED},
    Entry.INVOICE_WRITE_OFF: {PublicEventType.INVOICE_UPDATED},
    Entry.PAYMENT_RETURN: {PublicEventType.PAYMENT_CREATED},
    Entry.COPY_MARK_SENT: {PublicEventType.COPY_SENT},
    Entry.DELIVERY_REPORT_ACCEPT: {PublicEventType.DELIVERY_REPORT_CLOSED},
    Entry.DELIVERY_REPORT_DISMISS: {PublicEventType.DELIVERY_REPORT_CLOSED},
    Entry.SUBSCRIPTION_UPDATE_STATUS: {
        PublicEventType.SUBSCRIPTION_COMPLETED,
        PublicEventType.SUBSCRIPTION_PAST_DUE,
    },
}
WITHOUT_ENTRY = {
    PublicEventType.CLAIM_UPDATED,
    PublicEventType.IMPORT_COMPLETED,
    PublicEventType.IMPORT_FAILED,
    PublicEventType.REFUND_CREATED,
    PublicEventType.SUBSCRIBER_DELETED,
    PublicEventType.SUBSCRIPTION_DELETED,
}


def test_each_entry_is_decided() -> None:
    private = {entry for entry in Entry if entry.subject_type in PRIVATE_SUBJECTS}
    decided = [*EVENTS, *private, *WITHOUT_EVENT, *ADDED_WITH_ROWS]
    assert sorted(decided) == sorted(Entry)


def test_an_event_is_about_the_subject_of_its_entry() -> None:
    for entry, event in EVENTS.items():
        assert event.record_type == entry.subject_type.removesuffix("_batch")


def test_each_type_is_written_somewhere() -> None:
    added = set().union(*ADDED_WITH_ROWS.values())
    assert {*EVENTS.values(), *added, *WITHOUT_ENTRY} == set(PublicEventType)
