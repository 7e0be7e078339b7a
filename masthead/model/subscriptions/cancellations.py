"""Why subscriptions are cancelled, and which ones a batch of orders cancels."""

from collections.abc import Sequence
from enum import StrEnum

from masthead.model.audit_events import AuditEvent
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SubscriptionStatus


class CancelReason(StrEnum):
    """Why a subscriber cancels. The API and imports give no reason: an empty text is stored."""

    MOVED = "moved"
    TOO_EXPENSIVE = "too expensive"
    NO_TIME = "no time to read"
    NOT_SATISFIED = "not satisfied"
    DELIVERY_PROBLEMS = "delivery problems"
    DIED = "died"
    UNPAID = "unpaid"
    OTHER = "other"


def describe_reason(reason: str) -> str:
    """A reason in words, in the current language; empty if there is none."""
    names = {
        CancelReason.MOVED: _("The subscriber has moved"),
        CancelReason.TOO_EXPENSIVE: _("Too expensive"),
        CancelReason.NO_TIME: _("No time to read"),
        CancelReason.NOT_SATISFIED: _("Not satisfied"),
        CancelReason.DELIVERY_PROBLEMS: _("Delivery problems"),
        CancelReason.DIED: _("The subscriber has died"),
        CancelReason.UNPAID: _("Not paid"),
        CancelReason.OTHER: _("Another reason"),
    }
    return names[CancelReason(reason)] if reason else ""


_ACTIVE = {"status": SubscriptionStatus.ACTIVE}


def cancelled_by_orders(events: Sequence[AuditEvent]) -> dict[str, SubscriptionStatus]:
    """The subscriptions that orders cancel, with the status of each before, by id.

    events: those of orders. A subscription that is created as cancelled was Active before.
    """
    return {
        str(event.subject_id): SubscriptionStatus(str((event.before or _ACTIVE)["status"]))
        for event in events
        if event.after is not None and event.after["status"] is SubscriptionStatus.CANCELLED
    }
