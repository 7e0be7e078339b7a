"""A sentence for each event type of a subscriber, a subscription or an issue.

Each sentence has its own entry, so that translators see whole sentences. An event type without one
gets its label, and a test names it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from masthead.model.audit_events import EventType, label_of
from masthead.model.translations import gettext as _, ngettext
from masthead.model.types.enums import SubscriptionStatus

Sentence = Callable[[int], str]
WriteNumber = Callable[[int], str]

SENTENCES: Mapping[str, Sentence] = {
    EventType.CLAIM_CLOSE: lambda n: ngettext("Claim closed", "{count} claims closed", n),
    EventType.CLAIM_CREATE: lambda n: ngettext("Claim recorded", "{count} claims recorded", n),
    EventType.COPY_MARK_SENT: lambda n: ngettext(
        "Copy marked as sent", "{count} copies marked as sent", n
    ),
    EventType.DELIVERY_REPORT_ACCEPT: lambda n: ngettext(
        "New address accepted", "{count} new addresses accepted", n
    ),
    EventType.DELIVERY_REPORT_CREATE: lambda n: ngettext(
        "Delivery problem recorded", "{count} delivery problems recorded", n
    ),
    EventType.DELIVERY_REPORT_DISMISS: lambda n: ngettext(
        "Delivery problem dismissed", "{count} delivery problems dismissed", n
    ),
    EventType.DISPATCH_DISCARD: lambda n: ngettext(
        "Mailing discarded", "{count} mailings discarded", n
    ),
    EventType.DISPATCH_DOWNLOAD: lambda n: ngettext(
        "File of a mailing downloaded", "{count} files of mailings downloaded", n
    ),
    EventType.DISPATCH_FREEZE: lambda n: ngettext(
        "Mailing prepared", "{count} mailings prepared", n
    ),
    EventType.DISPATCH_MARK: lambda n: ngettext(
        "Mailing marked as sent", "{count} mailings marked as sent", n
    ),
    EventType.DISPATCH_SHIPPED: lambda n: ngettext(
        "Copies of a mailing reported as shipped",
        "Copies of {count} mailings reported as shipped",
        n,
    ),
    EventType.DISPATCH_UNDO: lambda n: ngettext(
        "Mailing no longer marked as sent", "{count} mailings no longer marked as sent", n
    ),
    EventType.ISSUE_CREATE: lambda n: ngettext("Issue created", "{count} issues created", n),
    EventType.ISSUE_DELETE: lambda n: ngettext("Issue deleted", "{count} issues deleted", n),
    EventType.ISSUE_DELETE_COVER: lambda n: ngettext("Cover deleted", "{count} covers deleted", n),
    EventType.ISSUE_RENUMBER: lambda n: ngettext("Number changed", "{count} numbers changed", n),
    EventType.ISSUE_SET_COVER: lambda n: ngettext("Cover added", "{count} covers added", n),
    EventType.ISSUE_DOWNLOAD: lambda n: ngettext(
        "Addresses downloaded", "Addresses downloaded {count} times", n
    ),
    EventType.ISSUE_UPDATE: lambda n: ngettext("Issue changed", "{count} issues changed", n),
    EventType.SUBSCRIBER_ADD_MANDATE: lambda n: ngettext(
        "Mandate added", "{count} mandates added", n
    ),
    EventType.SUBSCRIBER_REVOKE_MANDATE: lambda n: ngettext(
        "Mandate revoked", "{count} mandates revoked", n
    ),
    EventType.SUBSCRIBER_UPDATE_MANDATE: lambda n: ngettext(
        "Signed mandate stored", "{count} signed mandates stored", n
    ),
    EventType.SUBSCRIBER_ADD_NOTE: lambda n: ngettext("Note added", "{count} notes added", n),
    EventType.SUBSCRIBER_CREATE: lambda n: ngettext("Payer added", "{count} payers added", n),
    EventType.SUBSCRIBER_CLEAR_BOUNCE: lambda n: ngettext(
        "Email address works again", "{count} email addresses work again", n
    ),
    EventType.SUBSCRIBER_DELETE_NOTE: lambda n: ngettext(
        "Note deleted", "{count} notes deleted", n
    ),
    EventType.SUBSCRIBER_DISMISS_DUPLICATE: lambda n: ngettext(
        "Not the same person as another subscriber", "Not the same person as {count} others", n
    ),
    EventType.SUBSCRIBER_ERASE: lambda n: ngettext(
        "Personal data erased", "Personal data of {count} subscribers erased", n
    ),
    EventType.SUBSCRIBER_EXPORT: lambda n: ngettext(
        "All data exported", "All data exported {count} times", n
    ),
    EventType.SUBSCRIBER_MARK_BOUNCED: lambda n: ngettext(
        "Email address bounced", "{count} email addresses bounced", n
    ),
    EventType.SUBSCRIBER_MERGE: lambda n: ngettext(
        "Merged with another subscriber", "{count} subscribers merged", n
    ),
    EventType.SUBSCRIBER_RESUBSCRIBE: lambda n: ngettext(
        "Gets renewal letters again", "{count} subscribers get renewal letters again", n
    ),
    EventType.SUBSCRIBER_REQUEST: lambda n: ngettext(
        "Request of the subscriber", "{count} requests of subscribers", n
    ),
    EventType.SUBSCRIBER_RESTORE_DUPLICATE: lambda n: ngettext(
        "Perhaps the same person as another subscriber after all",
        "Perhaps the same person as {count} others after all",
        n,
    ),
    EventType.SUBSCRIBER_STOP_REMINDERS: lambda n: ngettext(
        "Reminders to the payer changed", "Reminders to {count} payers changed", n
    ),
    EventType.SUBSCRIBER_UNDO_MERGE: lambda n: ngettext("Merge undone", "{count} merges undone", n),
    EventType.SUBSCRIBER_UNSUBSCRIBE: lambda n: ngettext(
        "Unsubscribed from renewal letters",
        "{count} subscribers unsubscribed from renewal letters",
        n,
    ),
    EventType.SUBSCRIBER_UPDATE_PAYER: lambda n: ngettext(
        "VAT id or billing changed", "VAT id or billing of {count} subscribers changed", n
    ),
    EventType.SUBSCRIBER_UPDATE: lambda n: ngettext(
        "Subscriber corrected", "{count} subscribers corrected", n
    ),
    EventType.SUBSCRIPTION_CANCEL: lambda n: ngettext(
        "Subscription cancelled", "{count} subscriptions cancelled", n
    ),
    EventType.SUBSCRIPTION_CANCEL_ADDRESS: lambda n: ngettext(
        "Planned change of address cancelled", "{count} planned changes of address cancelled", n
    ),
    EventType.SUBSCRIPTION_CHANGE_PRICE: lambda n: ngettext(
        "Price of an order changed", "Prices of {count} orders changed", n
    ),
    EventType.SUBSCRIPTION_CHANGE_TERMS: lambda n: ngettext(
        "Medium or issues changed", "Medium or issues of {count} subscriptions changed", n
    ),
    EventType.SUBSCRIPTION_CREATE: lambda n: ngettext(
        "Subscription ordered", "{count} subscriptions ordered", n
    ),
    EventType.SUBSCRIPTION_HOLD: lambda n: ngettext(
        "Copies held", "Copies of {count} subscriptions held", n
    ),
    EventType.SUBSCRIPTION_MOVE: lambda n: ngettext(
        "Subscription moved to another subscriber",
        "{count} subscriptions moved to another subscriber",
        n,
    ),
    EventType.SUBSCRIPTION_PLAN_ADDRESS: lambda n: ngettext(
        "Change of address planned", "{count} changes of address planned", n
    ),
    EventType.SUBSCRIPTION_REFUND: lambda n: ngettext(
        "Order refunded", "{count} orders refunded", n
    ),
    EventType.SUBSCRIPTION_RELEASE: lambda n: ngettext(
        "Copies released", "Copies of {count} subscriptions released", n
    ),
    EventType.SUBSCRIPTION_RENEW: lambda n: ngettext(
        "Subscription renewed", "{count} subscriptions renewed", n
    ),
    EventType.SUBSCRIPTION_REOPEN: lambda n: ngettext(
        "Status corrected", "Status of {count} subscriptions corrected", n
    ),
    EventType.SUBSCRIPTION_SKIP: lambda n: ngettext(
        "Issues skipped", "Issues of {count} subscriptions skipped", n
    ),
    EventType.SUBSCRIPTION_STOP_RENEWALS: lambda n: ngettext(
        "Renewals stopped", "Renewals of {count} subscriptions stopped", n
    ),
    EventType.SUBSCRIPTION_TAKE_BACK: lambda n: ngettext(
        "Imported order taken back", "{count} imported orders taken back", n
    ),
    EventType.SUBSCRIPTION_TAKE_BACK_SKIP: lambda n: ngettext(
        "Skipped issue included again", "Skipped issues of {count} subscriptions included again", n
    ),
    EventType.SUBSCRIPTION_UNDO_CANCEL: lambda n: ngettext(
        "Cancelled subscription reopened", "{count} cancelled subscriptions reopened", n
    ),
    EventType.SUBSCRIPTION_UPDATE: lambda n: ngettext(
        "Subscription changed", "{count} subscriptions changed", n
    ),
    EventType.SUBSCRIPTION_UPDATE_STATUS: lambda n: ngettext(
        "Status changed", "Status of {count} subscriptions changed", n
    ),
}
_STATUSES: Mapping[str, Sentence] = {
    SubscriptionStatus.COMPLETE: lambda n: ngettext(
        "Subscription completed", "{count} subscriptions completed", n
    ),
    SubscriptionStatus.PAST_DUE: lambda n: ngettext(
        "Subscription past due", "{count} subscriptions past due", n
    ),
}
_WITH_ISSUE: Mapping[str, Sentence] = {
    EventType.CLAIM_CLOSE: lambda n: ngettext(
        "Claim for issue {issue} closed", "{count} claims for issue {issue} closed", n
    ),
    EventType.CLAIM_CREATE: lambda n: ngettext(
        "Claim for issue {issue} recorded", "{count} claims for issue {issue} recorded", n
    ),
    EventType.COPY_MARK_SENT: lambda n: ngettext(
        "Copy of issue {issue} marked as sent", "{count} copies of issue {issue} marked as sent", n
    ),
    EventType.DISPATCH_MARK: lambda n: ngettext(
        "Copy of issue {issue} marked as sent (mailing {run})",
        "{count} copies of issue {issue} marked as sent (mailing {run})",
        n,
    ),
    EventType.DISPATCH_UNDO: lambda n: ngettext(
        "Copy of issue {issue} no longer marked as sent (mailing {run})",
        "{count} copies of issue {issue} no longer marked as sent (mailing {run})",
        n,
    ),
    EventType.DISPATCH_FREEZE: lambda n: ngettext(
        "Mailing {run} with one copy of issue {issue} prepared",
        "Mailing {run} with {count} copies of issue {issue} prepared",
        n,
    ),
    EventType.DISPATCH_DISCARD: lambda n: _("Mailing {run} of issue {issue} discarded"),
    EventType.DISPATCH_DOWNLOAD: lambda n: _("File of mailing {run} of issue {issue} downloaded"),
    EventType.DISPATCH_SHIPPED: lambda n: ngettext(
        "Copy of issue {issue} reported as shipped (mailing {run})",
        "{count} copies of issue {issue} reported as shipped (mailing {run})",
        n,
    ),
}


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
    sentence = SENTENCES.get(action)
    if action == EventType.SUBSCRIPTION_UPDATE_STATUS:
        sentence = _STATUSES.get(after.get("status", ""), sentence)
    if issue is not None:
        sentence = _WITH_ISSUE.get(action, sentence)
    if sentence is None:
        label = label_of(action)
        return label if count == 1 else f"{label} ({number(count)})"
    return sentence(count).format(count=number(count), issue=issue, run=run)
