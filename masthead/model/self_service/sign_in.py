"""How subscribers sign in: the limits, and how long links and sessions are valid."""

import hashlib
from datetime import timedelta
from enum import StrEnum

from masthead.model.identity.login_throttling import Throttle

LINK_VALID = timedelta(minutes=15)  # from the moment in which its email is sent
LINK_WAITS = timedelta(hours=1)  # for the email server; then its email is not sent any more
CONFIRMATION_VALID = timedelta(days=1)  # of a new email address
SESSION_VALID = timedelta(days=30)

# Requests for a link: from one network, for one address, and for one subscriber
BY_NETWORK = Throttle(free=10, cap=timedelta(hours=1), step=timedelta(seconds=15))
BY_ADDRESS = Throttle(free=3, cap=timedelta(hours=6), step=timedelta(minutes=1))
BY_PERSON = Throttle(free=3, cap=timedelta(hours=6), step=timedelta(minutes=1))
# Links that do not work, opened from one network
BAD_LINKS = Throttle(free=20, cap=timedelta(hours=1), step=timedelta(seconds=15))

# What one subscriber changes, as each change writes an email
CHANGES = Throttle(free=30, cap=timedelta(hours=1), step=timedelta(seconds=15))


class LinkPurpose(StrEnum):
    """What a link in an email does: sign in, or confirm a new email address from one of the two."""

    SIGN_IN = "sign_in"
    CONFIRM_OLD = "confirm_old"
    CONFIRM_NEW = "confirm_new"

    @property
    def valid(self) -> timedelta:
        """How long the link works after its email was sent."""
        return LINK_VALID if self is LinkPurpose.SIGN_IN else CONFIRMATION_VALID

    @property
    def waits(self) -> timedelta:
        """How long the email may wait for the email server; then it is not sent any more."""
        return LINK_WAITS if self is LinkPurpose.SIGN_IN else CONFIRMATION_VALID

    @property
    def other(self) -> "LinkPurpose":
        """The link to the other address, which must be confirmed too."""
        return {
            LinkPurpose.CONFIRM_OLD: LinkPurpose.CONFIRM_NEW,
            LinkPurpose.CONFIRM_NEW: LinkPurpose.CONFIRM_OLD,
        }.get(self, self)


def digest_of_email(email_key: str) -> str:
    """What links and sessions store of the address that they were sent to.

    They end when the address of their subscriber is another one.
    """
    return hashlib.sha256(email_key.encode()).hexdigest()
