"""Why subscriptions are cancelled, and which ones a batch of orders cancels."""

from collections.abc import Sequence

from masthead.model.audit_entries import NewEntry
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum, SubscriptionStatus


class CancelReason(LabelledEnum):
    """Why a subscriber cancels. The API and imports give no reason: an empty text is stored."""

    MOVED = "moved", gettext_noop("The subscriber has moved")
    TOO_EXPENSIVE = "too expensive", gettext_noop("Too expensive")
    NO_TIME = "no time to read", gettext_noop("No time to read")
    NOT_SATISFIED = "not satisfied", gettext_noop("Not satisfied")
    DELIVERY_PROBLEMS = "delivery problems", gettext_noop("Delivery problems")
    ILL = "illness", gettext_noop("Illness")
    DIED = "died", gettext_noop("The subscriber has died")
    UNPAID = "unpaid", gettext_noop("Not paid")
    OTHER = "other", gettext_noop("Another reason")


_ACTIVE = {"status": SubscriptionStatus.ACTIVE}


def cancelled_by_orders(entries: Sequence[NewEntry]) -> dict[str, SubscriptionStatus]:
    """The subscriptions that orders cancel, with the status of each before, by id.

    events: those of orders. A subscription that is created as cancelled was Active before.
    """
    return {
        str(event.subject_id): SubscriptionStatus(str((event.before or _ACTIVE)["status"]))
        for event in entries
        if event.after is not None and event.after["status"] is SubscriptionStatus.CANCELLED
    }
