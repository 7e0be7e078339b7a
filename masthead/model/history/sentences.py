"""A sentence for each entry type of a subscriber, a subscription or an issue.

Each sentence has its own entry, so that translators see whole sentences. An entry type without one
gets its label, and a test names it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from masthead.model.audit_entries import EntryType, label_of
from masthead.model.translations import gettext as _, gettext_noop, ngettext, ngettext_noop
from masthead.model.types.enums import SubscriptionStatus

Forms = Sequence[str]  # of one record and of several, or one for both
WriteNumber = Callable[[int], str]

SENTENCES: Mapping[str, Forms] = {
    EntryType.CLAIM_CLOSE: ngettext_noop("Claim closed", "{count} claims closed"),
    EntryType.CLAIM_CREATE: ngettext_noop("Claim recorded", "{count} claims recorded"),
    EntryType.COPY_MARK_SENT: ngettext_noop("Copy marked as sent", "{count} copies marked as sent"),
    EntryType.DELIVERY_REPORT_ACCEPT: ngettext_noop(
        "New address accepted", "{count} new addresses accepted"
    ),
    EntryType.DELIVERY_REPORT_CREATE: ngettext_noop(
        "Delivery problem recorded", "{count} delivery problems recorded"
    ),
    EntryType.DELIVERY_REPORT_DISMISS: ngettext_noop(
        "Delivery problem dismissed", "{count} delivery problems dismissed"
    ),
    EntryType.DISPATCH_DISCARD: ngettext_noop("Mailing discarded", "{count} mailings discarded"),
    EntryType.DISPATCH_DOWNLOAD: ngettext_noop(
        "File of a mailing downloaded", "{count} files of mailings downloaded"
    ),
    EntryType.DISPATCH_FREEZE: ngettext_noop("Mailing prepared", "{count} mailings prepared"),
    EntryType.DISPATCH_MARK: ngettext_noop(
        "Mailing marked as sent", "{count} mailings marked as sent"
    ),
    EntryType.DISPATCH_SHIPPED: ngettext_noop(
        "Copies of a mailing reported as shipped", "Copies of {count} mailings reported as shipped"
    ),
    EntryType.DISPATCH_UNDO: ngettext_noop(
        "Mailing no longer marked as sent", "{count} mailings no longer marked as sent"
    ),
    EntryType.ISSUE_CREATE: ngettext_noop("Issue created", "{count} issues created"),
    EntryType.ISSUE_DELETE: ngettext_noop("Issue deleted", "{count} issues deleted"),
    EntryType.ISSUE_DELETE_COVER: ngettext_noop("Cover deleted", "{count} covers deleted"),
    EntryType.ISSUE_RENUMBER: ngettext_noop("Number changed", "{count} numbers changed"),
    EntryType.ISSUE_SET_COVER: ngettext_noop("Cover added", "{count} covers added"),
    EntryType.ISSUE_DOWNLOAD: ngettext_noop(
        "Addresses downloaded", "Addresses downloaded {count} times"
    ),
    EntryType.ISSUE_UPDATE: ngettext_noop("Issue changed", "{count} issues changed"),
    EntryType.SUBSCRIBER_ADD_MANDATE: ngettext_noop("Mandate added", "{count} mandates added"),
    EntryType.SUBSCRIBER_REVOKE_MANDATE: ngettext_noop(
        "Mandate revoked", "{count} mandates revoked"
    ),
    EntryType.SUBSCRIBER_UPDATE_MANDATE: ngettext_noop(
        "Signed mandate stored", "{count} signed mandates stored"
    ),
    EntryType.SUBSCRIBER_ADD_NOTE: ngettext_noop("Note added", "{count} notes added"),
    EntryType.SUBSCRIBER_CREATE: ngettext_noop(
        "Payer or giver added", "{count} payers or givers added"
    ),
    EntryType.SUBSCRIBER_CLEAR_BOUNCE: ngettext_noop(
        "Email address works again", "{count} email addresses work again"
    ),
    EntryType.SUBSCRIBER_DELETE_NOTE: ngettext_noop("Note deleted", "{count} notes deleted"),
    EntryType.SUBSCRIBER_DISMISS_DUPLICATE: ngettext_noop(
        "Not the same person as another subscriber", "Not the same person as {count} others"
    ),
    EntryType.SUBSCRIBER_ERASE: ngettext_noop(
        "Personal data erased", "Personal data of {count} subscribers erased"
    ),
    EntryType.SUBSCRIBER_EXPORT: ngettext_noop(
        "All data exported", "All data exported {count} times"
    ),
    EntryType.SUBSCRIBER_MARK_BOUNCED: ngettext_noop(
        "Email address bounced", "{count} email addresses bounced"
    ),
    EntryType.SUBSCRIBER_MERGE: ngettext_noop(
        "Merged with another subscriber", "{count} subscribers merged"
    ),
    EntryType.SUBSCRIBER_RESUBSCRIBE: ngettext_noop(
        "Gets renewal letters again", "{count} subscribers get renewal letters again"
    ),
    EntryType.SUBSCRIBER_REQUEST: ngettext_noop(
        "Request of the subscriber", "{count} requests of subscribers"
    ),
    EntryType.SUBSCRIBER_RESTORE_DUPLICATE: ngettext_noop(
        "Perhaps the same person as another subscriber after all",
        "Perhaps the same person as {count} others after all",
    ),
    EntryType.SUBSCRIBER_STOP_REMINDERS: ngettext_noop(
        "Reminders to the payer changed", "Reminders to {count} payers changed"
    ),
    EntryType.SUBSCRIBER_UNDO_MERGE: ngettext_noop("Merge undone", "{count} merges undone"),
    EntryType.SUBSCRIBER_UNSUBSCRIBE: ngettext_noop(
        "Unsubscribed from renewal letters", "{count} subscribers unsubscribed from renewal letters"
    ),
    EntryType.SUBSCRIBER_UPDATE_PAYER: ngettext_noop(
        "VAT ID or billing changed", "VAT ID or billing of {count} subscribers changed"
    ),
    EntryType.SUBSCRIBER_UPDATE: ngettext_noop(
        "Subscriber corrected", "{count} subscribers corrected"
    ),
    EntryType.SUBSCRIPTION_CANCEL: ngettext_noop(
        "Subscription cancelled", "{count} subscriptions cancelled"
    ),
    EntryType.SUBSCRIPTION_CANCEL_ADDRESS: ngettext_noop(
        "Planned change of address cancelled", "{count} planned changes of address cancelled"
    ),
    EntryType.SUBSCRIPTION_CHANGE_PRICE: ngettext_noop(
        "Price of an order changed", "Prices of {count} orders changed"
    ),
    EntryType.SUBSCRIPTION_CHANGE_TERMS: ngettext_noop(
        "Medium or issues changed", "Medium or issues of {count} subscriptions changed"
    ),
    EntryType.SUBSCRIPTION_CREATE: ngettext_noop(
        "Subscription ordered", "{count} subscriptions ordered"
    ),
    EntryType.SUBSCRIPTION_HOLD: ngettext_noop(
        "Copies held", "Copies of {count} subscriptions held"
    ),
    EntryType.SUBSCRIPTION_MOVE: ngettext_noop(
        "Subscription moved from one subscriber to another",
        "{count} subscriptions moved from one subscriber to another",
    ),
    EntryType.SUBSCRIPTION_PLAN_ADDRESS: ngettext_noop(
        "Change of address planned", "{count} changes of address planned"
    ),
    EntryType.SUBSCRIPTION_DELETE_REFUND: ngettext_noop(
        "Refund of an order deleted", "Refunds of {count} orders deleted"
    ),
    EntryType.SUBSCRIPTION_REFUND: ngettext_noop("Order refunded", "{count} orders refunded"),
    EntryType.SUBSCRIPTION_RELEASE: ngettext_noop(
        "Copies released", "Copies of {count} subscriptions released"
    ),
    EntryType.SUBSCRIPTION_RENEW: ngettext_noop(
        "Subscription renewed", "{count} subscriptions renewed"
    ),
    EntryType.SUBSCRIPTION_REOPEN: ngettext_noop(
        "Status corrected", "Status of {count} subscriptions corrected"
    ),
    EntryType.SUBSCRIPTION_SKIP: ngettext_noop(
        "Issues skipped", "Issues of {count} subscriptions skipped"
    ),
    EntryType.SUBSCRIPTION_STOP_RENEWALS: ngettext_noop(
        "Renewals stopped", "Renewals of {count} subscriptions stopped"
    ),
    EntryType.SUBSCRIPTION_TAKE_BACK: ngettext_noop(
        "Imported order taken back", "{count} imported orders taken back"
    ),
    EntryType.SUBSCRIPTION_TAKE_BACK_SKIP: ngettext_noop(
        "Skipped issue included again", "Skipped issues of {count} subscriptions included again"
    ),
    EntryType.SUBSCRIPTION_UNDO_CANCEL: ngettext_noop(
        "Cancelled subscription reopened", "{count} cancelled subscriptions reopened"
    ),
    EntryType.SUBSCRIPTION_UPDATE: ngettext_noop(
        "Subscription changed", "{count} subscriptions changed"
    ),
    EntryType.SUBSCRIPTION_UPDATE_STATUS: ngettext_noop(
        "Status changed", "Status of {count} subscriptions changed"
    ),
}
_STATUSES: Mapping[str, Forms] = {
    SubscriptionStatus.COMPLETE: ngettext_noop(
        "Subscription completed", "{count} subscriptions completed"
    ),
    SubscriptionStatus.PAST_DUE: ngettext_noop(
        "Subscription past due", "{count} subscriptions past due"
    ),
}
_WITH_ISSUE: Mapping[str, Forms] = {
    EntryType.CLAIM_CLOSE: ngettext_noop(
        "Claim for issue {issue} closed", "{count} claims for issue {issue} closed"
    ),
    EntryType.CLAIM_CREATE: ngettext_noop(
        "Claim for issue {issue} recorded", "{count} claims for issue {issue} recorded"
    ),
    EntryType.COPY_MARK_SENT: ngettext_noop(
        "Copy of issue {issue} marked as sent", "{count} copies of issue {issue} marked as sent"
    ),
    EntryType.DISPATCH_MARK: ngettext_noop(
        "Copy of issue {issue} marked as sent (mailing {run})",
        "{count} copies of issue {issue} marked as sent (mailing {run})",
    ),
    EntryType.DISPATCH_UNDO: ngettext_noop(
        "Copy of issue {issue} no longer marked as sent (mailing {run})",
        "{count} copies of issue {issue} no longer marked as sent (mailing {run})",
    ),
    EntryType.DISPATCH_FREEZE: ngettext_noop(
        "Mailing {run} with one copy of issue {issue} prepared",
        "Mailing {run} with {count} copies of issue {issue} prepared",
    ),
    EntryType.DISPATCH_DISCARD: (gettext_noop("Mailing {run} of issue {issue} discarded"),),
    EntryType.DISPATCH_DOWNLOAD: (
        gettext_noop("File of mailing {run} of issue {issue} downloaded"),
    ),
    EntryType.DISPATCH_SHIPPED: ngettext_noop(
        "Copy of issue {issue} reported as shipped (mailing {run})",
        "{count} copies of issue {issue} reported as shipped (mailing {run})",
    ),
}


# A refund of billed orders: no money is paid back
_CREDITED = ngettext_noop("Order credited", "{count} orders credited")


def sentence_of(
    action: str,
    count: int,
    *,
    after: Mapping[str, Any],
    issue: int | None = None,
    run: int | None = None,
    number: WriteNumber = str,
) -> str:
    """What happened, in words. count: how many records. after: the fields that changed.

    number: writes the count.
    """
    forms = SENTENCES.get(action)
    if action == EntryType.SUBSCRIPTION_UPDATE_STATUS:
        forms = _STATUSES.get(after.get("status", ""), forms)
    if action == EntryType.SUBSCRIPTION_REFUND and after.get("is_billed"):
        forms = _CREDITED
    if issue is not None:
        forms = _WITH_ISSUE.get(action, forms)
    if forms is None:
        label = label_of(action)
        return label if count == 1 else f"{label} ({number(count)})"
    text = _(forms[0]) if len(forms) == 1 else ngettext(forms[0], forms[1], count)
    return text.format(count=number(count), issue=issue, run=run)
