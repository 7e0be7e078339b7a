"""Subscriptions whose copies wait: because an invoice is not paid, or because a user said so.

Their copies stay owed. Mailings leave them out until the hold ends; then they are in the next one.
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class HoldEnd(StrEnum):
    """Why a hold ended. After `settled`, it begins again if the invoice is open again."""

    SETTLED = "settled"
    STOPPED = "stopped"  # the reminder that began it did not go out
    RELEASED = "released"  # by a user


class Hold(Struct, frozen=True, kw_only=True):
    """A hold of a subscription.

    invoice_id, invoice_number: of the unpaid invoice; None if a user holds the subscription.
    reason: what the user typed; empty for an invoice. ended_at: None as long as it lasts.
    """

    id: str
    subscription_id: str
    invoice_id: str | None
    invoice_number: str | None
    reason: str
    created_at: datetime
    ended_at: datetime | None
    ended_by: HoldEnd | None

    @property
    def is_open(self) -> bool:
        """Whether the copies wait."""
        return self.ended_at is None

    def held_at(self, moment: datetime) -> bool:
        """Whether the copies waited at that moment."""
        ended = self.ended_at is not None and self.ended_at <= moment
        return self.created_at <= moment and not ended
