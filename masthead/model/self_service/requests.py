"""What subscribers did or asked for on their page."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from masthead.model.self_service.settings import Action
from masthead.model.translations import gettext as _

REQUEST_CLOSED = "request_closed"  # a code that only pages show


class RequestStatus(StrEnum):
    """What became of a request.

    done: it was carried out at once. waiting: a user of the desk decides. closed: a user did.
    """

    DONE = "done"
    WAITING = "waiting"
    CLOSED = "closed"


class SubscriberRequest(Struct, frozen=True, kw_only=True):
    """What a subscriber did or asked for. copy_id, reason, notes: of a copy that did not arrive."""

    id: str
    subscriber_id: str
    name: str
    action: Action
    status: RequestStatus
    copy_id: int | None
    issue_number: int | None
    reason: str | None
    notes: str | None
    created_at: datetime

    @property
    def sentence(self) -> str:
        """What happened, in words."""
        return describe_request(self.action, self.status, self.issue_number)


def describe_request(action: Action, status: RequestStatus, issue: int | None) -> str:
    """What a subscriber did or asked for, in words. issue: of a copy that did not arrive."""
    if action is Action.CLAIM and status is not RequestStatus.DONE:
        return _("Issue {number} did not arrive; a person decides about the replacement").format(
            number=issue
        )
    if action is Action.CLAIM:
        return _("Issue {number} did not arrive; a replacement is on its way").format(number=issue)
    return {
        Action.ADDRESS: _("Address changed"),
        Action.NAME: _("Name corrected"),
        Action.EMAIL: _("Email address changed"),
        Action.LETTERS: _("Renewal letters stopped or allowed"),
        Action.RENEWALS: _("Automatic renewal stopped"),
        Action.DATA: _("All data downloaded"),
        Action.ERASURE: _("Erasure of all personal data requested"),
        Action.RENEW: _("Renewed"),
        Action.RENEW_BY_INVOICE: _("Renewed by invoice"),
        Action.INVOICES: _("Invoices downloaded"),
        Action.READING: _("Page read by a link"),
    }[action]
