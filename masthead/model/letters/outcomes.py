"""Renewal letters: how each goes out, what became of it, and why a subscriber gets none."""

from msgspec import Struct

from masthead.model.subscribers.greetings import Addressed
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum


class LetterChannel(LabelledEnum):
    """How a letter goes out."""

    EMAIL = "email", gettext_noop("By email")
    PRINT = "print", gettext_noop("On paper")


class LetterStatus(LabelledEnum):
    """What became of a letter.

    An email is queued, then sent, failed or skipped; a failed one can be queued again. A printed
    letter is to print, then printed or skipped.
    """

    QUEUED = "queued", gettext_noop("Waiting to be sent")
    SENT = "sent", gettext_noop("Sent")
    FAILED = "failed", gettext_noop("Could not be sent")
    TO_PRINT = "to_print", gettext_noop("To be printed")
    PRINTED = "printed", gettext_noop("Printed")
    SKIPPED = "skipped", gettext_noop("Not sent")


class SkipReason(LabelledEnum):
    """Why a subscriber gets no letter."""

    RENEWED = "renewed", gettext_noop("already renewed")
    CANCELLED = "cancelled", gettext_noop("the subscription is cancelled")
    ERASED = "erased", gettext_noop("personal data erased")
    MERGED = "merged", gettext_noop("merged with another subscriber")
    UNSUBSCRIBED = "unsubscribed", gettext_noop("wants no letters")
    BOUNCED = "bounced", gettext_noop("the email address bounced")
    NO_EMAIL = "no_email", gettext_noop("no email address")
    NO_ADDRESS = "no_address", gettext_noop("neither an email address nor a postal address")
    ON_HOLD = "on_hold", gettext_noop("no email address, and the postal address is undeliverable")
    SAME_LETTER = "same_letter", gettext_noop("same letter for another subscription")
    EXCLUDED = "excluded", gettext_noop("left out of this round")  # by a user, for this round
    STOPPED = "stopped", gettext_noop("stopped before it went out")  # after it was written


class Addressee(Addressed, frozen=True, kw_only=True):
    """The subscriber that a letter is to: for a gift, who gave it. language: None for none.

    latest_country: of their newest order.
    """

    id: str
    language: str | None = None
    latest_country: str | None = None
    is_placeholder: bool
    is_unsubscribed: bool
    has_bounced: bool


class LetterFacts(Struct, frozen=True, kw_only=True):
    """The current facts that decide whether a letter still goes out.

    is_stopped: whether its batch was stopped. is_erased: whether the subscriber of the
    subscription was erased.
    """

    letter_id: str
    period_id: int
    channel: LetterChannel
    is_stopped: bool
    is_cancelled: bool
    is_erased: bool
    email: str
    is_placeholder: bool
    is_merged: bool
    is_unsubscribed: bool
    has_bounced: bool


def reason_to_skip(facts: LetterFacts, *, is_open: bool) -> SkipReason | None:
    """Why a letter must not go out any more; None if it still goes out.

    is_open: whether its period still needs to be renewed.
    """
    reasons = {
        SkipReason.STOPPED: facts.is_stopped,
        SkipReason.MERGED: facts.is_merged,
        SkipReason.CANCELLED: facts.is_cancelled,
        SkipReason.ERASED: facts.is_erased,
        SkipReason.RENEWED: not is_open,
        SkipReason.UNSUBSCRIBED: facts.is_unsubscribed,
    }
    if facts.channel is LetterChannel.EMAIL:
        reasons |= {
            SkipReason.NO_EMAIL: facts.is_placeholder,
            SkipReason.BOUNCED: facts.has_bounced,
        }
    return next((reason for reason, applies in reasons.items() if applies), None)


def choose_channel(
    *,
    is_unsubscribed: bool,
    has_bounced: bool,
    is_placeholder: bool,
    has_address: bool,
    is_on_hold: bool,
) -> LetterChannel | SkipReason:
    """How the letter to a subscriber goes out, or why it does not.

    A letter is printed only if the subscriber has no email address. is_placeholder: whether that is
    so. has_address: whether the subscription has the subscriber's own postal address. is_on_hold:
    whether that was reported as undeliverable.
    """
    if is_unsubscribed:
        return SkipReason.UNSUBSCRIBED
    if not is_placeholder:
        return SkipReason.BOUNCED if has_bounced else LetterChannel.EMAIL
    if not has_address:
        return SkipReason.NO_ADDRESS
    return SkipReason.ON_HOLD if is_on_hold else LetterChannel.PRINT
