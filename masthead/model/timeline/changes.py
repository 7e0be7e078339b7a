"""What the history of a subscription says about each change."""

from collections.abc import Mapping
from typing import Any

from masthead.model.audit_entries import EntryType
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import SubscriptionStatus

# The history of a subscription is about one record only, so its labels are shorter
_HISTORY_LABELS: Mapping[str, str] = {
    EntryType.SUBSCRIPTION_CREATE: gettext_noop("Ordered"),
    EntryType.SUBSCRIPTION_MOVE: gettext_noop("Moved from one subscriber to another"),
    EntryType.SUBSCRIPTION_RENEW: gettext_noop("Renewed"),
    EntryType.SUBSCRIPTION_REOPEN: gettext_noop("Status corrected"),
    EntryType.SUBSCRIPTION_CANCEL: gettext_noop("Cancelled"),
    EntryType.SUBSCRIPTION_STOP_RENEWALS: gettext_noop("Renewals stopped"),
    EntryType.SUBSCRIPTION_CHANGE_PRICE: gettext_noop("Price of an order changed"),
    EntryType.SUBSCRIPTION_CHANGE_TERMS: gettext_noop("Medium or issues changed"),
    EntryType.SUBSCRIPTION_DELETE_REFUND: gettext_noop("Refund deleted"),
    EntryType.SUBSCRIPTION_REFUND: gettext_noop("Refunded"),
    EntryType.SUBSCRIPTION_TAKE_BACK: gettext_noop("Imported order taken back"),
    EntryType.SUBSCRIPTION_UNDO_CANCEL: gettext_noop("Reopened"),
    EntryType.SUBSCRIPTION_PLAN_ADDRESS: gettext_noop("Change of address planned"),
    EntryType.SUBSCRIPTION_CANCEL_ADDRESS: gettext_noop("Change of address cancelled"),
}
_CLAIMS: Mapping[str, str] = {
    EntryType.CLAIM_CREATE: gettext_noop("Claim for issue {issue} recorded"),
    EntryType.CLAIM_CLOSE: gettext_noop("Claim for issue {issue} withdrawn"),
}
_SKIPS: Mapping[str, str] = {
    EntryType.SUBSCRIPTION_SKIP: gettext_noop("Skipped: issue {issues}"),
    EntryType.SUBSCRIPTION_TAKE_BACK_SKIP: gettext_noop("Included again: issue {issues}"),
}
_HOLDS: Mapping[str, tuple[str, str]] = {
    EntryType.SUBSCRIPTION_HOLD: (
        gettext_noop("Copies held: invoice {invoice} is not paid"),
        gettext_noop("Copies held: {reason}"),
    ),
    EntryType.SUBSCRIPTION_RELEASE: (
        gettext_noop("Copies released: invoice {invoice} is settled"),
        gettext_noop("Copies released: {reason}"),
    ),
}
_NOT_SENT = gettext_noop("Copies released: the reminder of invoice {invoice} did not go out")
_STATUS_LABELS: Mapping[str, str] = {
    SubscriptionStatus.COMPLETE: gettext_noop("Complete"),
    SubscriptionStatus.PAST_DUE: gettext_noop("Past due"),
}
_OTHER = gettext_noop("Changed")
_NAMES = {"first_name", "last_name"}


def describe_subscription_event(
    action: str, after: Mapping[str, Any], *, issue: int | None = None
) -> list[str]:
    """The lines that the history of a subscription shows for an audit entry.

    after: the fields that changed, with their new values.
    issue: the issue number, if the entry is about a copy or a claim.
    """
    if action in _CLAIMS:
        return [_(_CLAIMS[action]).format(issue=issue)]
    if issue is not None:
        return [_("Copy of issue {issue} marked as sent").format(issue=issue)]
    if action == EntryType.SUBSCRIPTION_UPDATE:
        changed = [
            (_("Name changed"), after.keys() & _NAMES),
            (_("Address changed"), after.keys() - _NAMES - {"notes"}),
            (_("Notes changed"), after.keys() & {"notes"}),
        ]
        return [line for line, fields in changed if fields]
    if action == EntryType.SUBSCRIPTION_UPDATE_STATUS:
        return [_(_STATUS_LABELS.get(after["status"], _OTHER))]
    if action == EntryType.SUBSCRIPTION_REFUND and after.get("is_billed"):
        return [_("Credited")]
    if action in _HOLDS:
        return [_describe_hold(action, after)]
    if action in _SKIPS:
        return [_(_SKIPS[action]).format(issues=after["issues"])]
    return [_(_HISTORY_LABELS.get(action, _OTHER))]


def _describe_hold(action: str, after: Mapping[str, Any]) -> str:
    """Why copies are held, or released."""
    of_invoice, by_hand = _HOLDS[action]
    if "invoice" not in after:
        return _(by_hand).format(reason=after["reason"])
    text = _NOT_SENT if after.get("reminder_stopped") else of_invoice
    return _(text).format(invoice=after["invoice"])
