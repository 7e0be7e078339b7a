"""The types of events, and which entries of the audit trail are events."""

from collections.abc import Mapping
from enum import StrEnum

from masthead.model.audit_entries import EntryType as Entry


class PublicEventType(StrEnum):
    """The type of an event.

    description: what happened, in the words of the documentation. record_type: of its record.
    """

    description: str
    record_type: str

    def __new__(cls, value: str, description: str = "", record_type: str = "") -> "PublicEventType":
        """Attach the description and the type of the record, by default the part before the dot."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        member.record_type = record_type or value.partition(".")[0]
        return member

    SUBSCRIPTION_CREATED = "subscription.created", "A subscription was created."
    SUBSCRIPTION_UPDATED = (
        "subscription.updated",
        "Its address, a planned address, notes, medium, issues, subscriber or refunds changed.",
    )
    SUBSCRIPTION_RENEWED = "subscription.renewed", "An order was added to it."
    SUBSCRIPTION_RENEWALS_STOPPED = (
        "subscription.renewals_stopped",
        "It ends after the periods that are paid.",
    )
    SUBSCRIPTION_CANCELLED = "subscription.cancelled", "It ended at once."
    SUBSCRIPTION_REOPENED = (
        "subscription.reopened",
        "Its cancellation was undone, or one of its copies or periods is open again.",
    )
    SUBSCRIPTION_COMPLETED = "subscription.completed", "All its periods are complete."
    SUBSCRIPTION_PAST_DUE = "subscription.past_due", "A membership was not renewed in time."
    SUBSCRIPTION_DELETED = "subscription.deleted", "The import that had created it was undone."
    SUBSCRIBER_CREATED = (
        "subscriber.created",
        "A subscriber was created with an order, as the recipient, the giver or the payer.",
    )
    SUBSCRIBER_UPDATED = "subscriber.updated", "Their name or email address was corrected."
    SUBSCRIBER_MERGED = "subscriber.merged", "Two subscribers became one: an event for each."
    SUBSCRIBER_MERGE_UNDONE = (
        "subscriber.merge_undone",
        "Merged subscribers are two again: an event for each.",
    )
    SUBSCRIBER_ERASED = "subscriber.erased", "Their personal data was erased."
    SUBSCRIBER_DELETED = "subscriber.deleted", "The import that had created them was undone."
    SUBSCRIBER_UNSUBSCRIBED = "subscriber.unsubscribed", "They want no renewal letters by email."
    SUBSCRIBER_RESUBSCRIBED = "subscriber.resubscribed", "They get renewal letters again."
    SUBSCRIBER_BOUNCED = "subscriber.bounced", "An email to them came back."
    SUBSCRIBER_BOUNCE_CLEARED = "subscriber.bounce_cleared", "Their email address works again."
    ISSUE_CREATED = "issue.created", "An issue was created, with its copies."
    ISSUE_UPDATED = "issue.updated", "A field of an issue changed."
    ISSUE_DELETED = "issue.deleted", "An issue was deleted, with its copies."
    COPY_SENT = (
        "copy.sent",
        "Copies of an issue were marked as sent together; up to 1,000 in one event.",
        "issue",
    )
    DISPATCH_CREATED = "dispatch.created", "A dispatch run was frozen."
    DISPATCH_SENT = "dispatch.sent", "A run was marked as sent, with the copies that it held."
    DISPATCH_UPDATED = "dispatch.updated", "A carrier reported copies of a run as shipped."
    DISPATCH_UNDONE = "dispatch.undone", "The marking of a run was undone."
    DISPATCH_DISCARDED = "dispatch.discarded", "A run was discarded."
    IMPORT_STARTED = "import.started", "The import of a file began."
    IMPORT_COMPLETED = "import.completed", "Each row of a file was imported or refused."
    IMPORT_FAILED = "import.failed", "An import, or its undo, stopped before the end."
    IMPORT_UNDONE = "import.undone", "What an import had created was taken back."
    REFUND_CREATED = "refund.created", "Money of an order was refunded."
    INVOICE_CREATED = (
        "invoice.created",
        "An invoice, a credit note or the fee of a reminder was issued.",
    )
    INVOICE_UPDATED = (
        "invoice.updated",
        "What is open of it changed: by a payment or its undo, a credit note, or a write-off.",
    )
    INVOICE_REMINDED = "invoice.reminded", "A reminder of it was written, to be sent or printed."
    PAYMENT_CREATED = "payment.created", "A payment came, came back, or was paid back."
    PAYMENT_UNDONE = "payment.undone", "A payment that was recorded by mistake was undone."
    CLAIM_CREATED = "claim.created", "A claim was recorded."
    CLAIM_UPDATED = (
        "claim.updated",
        "Its replacement was put into a run, was sent, or waits again.",
    )
    CLAIM_CLOSED = "claim.closed", "A claim was withdrawn."
    DELIVERY_REPORT_CREATED = "delivery_report.created", "A carrier reported a problem of a copy."
    DELIVERY_REPORT_CLOSED = (
        "delivery_report.closed",
        "It was accepted or dismissed, or the address changed.",
    )


# The event of each kind of entry of the audit trail. Other entries have none: they are about
# users, keys and settings, or change nothing that the API shows. A test names each of them.
EVENTS: Mapping[Entry, PublicEventType] = {
    Entry.SUBSCRIBER_CREATE: PublicEventType.SUBSCRIBER_CREATED,
    Entry.CLAIM_CLOSE: PublicEventType.CLAIM_CLOSED,
    Entry.CLAIM_CREATE: PublicEventType.CLAIM_CREATED,
    Entry.DELIVERY_REPORT_CREATE: PublicEventType.DELIVERY_REPORT_CREATED,
    Entry.DISPATCH_DISCARD: PublicEventType.DISPATCH_DISCARDED,
    Entry.DISPATCH_FREEZE: PublicEventType.DISPATCH_CREATED,
    Entry.DISPATCH_MARK: PublicEventType.DISPATCH_SENT,
    Entry.DISPATCH_SHIPPED: PublicEventType.DISPATCH_UPDATED,
    Entry.DISPATCH_UNDO: PublicEventType.DISPATCH_UNDONE,
    Entry.IMPORT_BATCH_RUN: PublicEventType.IMPORT_STARTED,
    Entry.IMPORT_BATCH_UNDO: PublicEventType.IMPORT_UNDONE,
    Entry.INVOICE_CHARGE_FEE: PublicEventType.INVOICE_CREATED,
    Entry.INVOICE_CREDIT: PublicEventType.INVOICE_CREATED,
    Entry.INVOICE_ISSUE: PublicEventType.INVOICE_CREATED,
    Entry.INVOICE_REMIND: PublicEventType.INVOICE_REMINDED,
    Entry.ISSUE_CREATE: PublicEventType.ISSUE_CREATED,
    Entry.ISSUE_DELETE: PublicEventType.ISSUE_DELETED,
    Entry.ISSUE_RENUMBER: PublicEventType.ISSUE_UPDATED,
    Entry.ISSUE_UPDATE: PublicEventType.ISSUE_UPDATED,
    Entry.PAYMENT_PAY_BACK: PublicEventType.PAYMENT_CREATED,
    Entry.PAYMENT_RECORD: PublicEventType.PAYMENT_CREATED,
    Entry.PAYMENT_UNDO: PublicEventType.PAYMENT_UNDONE,
    Entry.SUBSCRIBER_CLEAR_BOUNCE: PublicEventType.SUBSCRIBER_BOUNCE_CLEARED,
    Entry.SUBSCRIBER_ERASE: PublicEventType.SUBSCRIBER_ERASED,
    Entry.SUBSCRIBER_MARK_BOUNCED: PublicEventType.SUBSCRIBER_BOUNCED,
    Entry.SUBSCRIBER_MERGE: PublicEventType.SUBSCRIBER_MERGED,
    Entry.SUBSCRIBER_RESUBSCRIBE: PublicEventType.SUBSCRIBER_RESUBSCRIBED,
    Entry.SUBSCRIBER_UNDO_MERGE: PublicEventType.SUBSCRIBER_MERGE_UNDONE,
    Entry.SUBSCRIBER_UNSUBSCRIBE: PublicEventType.SUBSCRIBER_UNSUBSCRIBED,
    Entry.SUBSCRIBER_UPDATE: PublicEventType.SUBSCRIBER_UPDATED,
    Entry.SUBSCRIPTION_CANCEL_ADDRESS: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_CANCEL: PublicEventType.SUBSCRIPTION_CANCELLED,
    Entry.SUBSCRIPTION_CHANGE_PRICE: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_CHANGE_TERMS: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_CREATE: PublicEventType.SUBSCRIPTION_CREATED,
    Entry.SUBSCRIPTION_MOVE: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_PLAN_ADDRESS: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_DELETE_REFUND: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_REFUND: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_RENEW: PublicEventType.SUBSCRIPTION_RENEWED,
    Entry.SUBSCRIPTION_REOPEN: PublicEventType.SUBSCRIPTION_REOPENED,
    Entry.SUBSCRIPTION_SKIP: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_STOP_RENEWALS: PublicEventType.SUBSCRIPTION_RENEWALS_STOPPED,
    Entry.SUBSCRIPTION_TAKE_BACK: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_TAKE_BACK_SKIP: PublicEventType.SUBSCRIPTION_UPDATED,
    Entry.SUBSCRIPTION_UNDO_CANCEL: PublicEventType.SUBSCRIPTION_REOPENED,
    Entry.SUBSCRIPTION_UPDATE: PublicEventType.SUBSCRIPTION_UPDATED,
}
