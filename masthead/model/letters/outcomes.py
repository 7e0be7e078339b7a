"""Renewal letters: how each goes out, what became of it, and why a subscriber gets none."""

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.subscribers.greetings import Addressed
from masthead.model.translations import gettext as _


class LetterChannel(StrEnum):
    """How a letter goes out."""

    EMAIL = "email"
    PRINT = "print"


class LetterStatus(StrEnum):
    """What became of a letter.

    An email is queued, then sent, failed or skipped; a failed one can be queued again. A printed
    letter is to print, then printed or skipped.
    """

    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"
    TO_PRINT = "to_print"
    PRINTED = "printed"
    SKIPPED = "skipped"


class SkipReason(StrEnum):
    """Why a subscriber gets no letter."""

    RENEWED = "renewed"
    CANCELLED = "cancelled"
    ERASED = "erased"
    MERGED = "merged"
    UNSUBSCRIBED = "unsubscribed"
    BOUNCED = "bounced"
    NO_EMAIL = "no_email"
    NO_ADDRESS = "no_address"
    ON_HOLD = "on_hold"
    SAME_LETTER = "same_letter"
    EXCLUDED = "excluded"  # by a user, for this round
    STOPPED = "stopped"  # after it was written


class Addressee(Addressed, frozen=True, kw_only=True):
    """The subscriber that a letter is to: for a gift, who gave it."""

    id: str
    is_placeholder: bool
    is_unsubscribed: bool
    has_bounced: bool


def describe_stage(stage: RenewalStage) -> str:
    """When the letters of a stage are sent."""
    names: dict[RenewalStage, Callable[[], str]] = {
        RenewalStage.BEFORE: lambda: _("One issue before the last one"),
        RenewalStage.LAST: lambda: _("With the last issue"),
        RenewalStage.AFTER_1: lambda: _("One issue after the last one"),
        RenewalStage.AFTER_2: lambda: _("Two issues after the last one"),
    }
    return names[stage]()


def describe_channel(channel: LetterChannel) -> str:
    """How a letter goes out, in words."""
    return _("By email") if channel is LetterChannel.EMAIL else _("On paper")


def describe_status(status: LetterStatus) -> str:
    """What became of a letter, in words."""
    names: dict[LetterStatus, Callable[[], str]] = {
        LetterStatus.QUEUED: lambda: _("Waiting to be sent"),
        LetterStatus.SENT: lambda: _("Sent"),
        LetterStatus.FAILED: lambda: _("Could not be sent"),
        LetterStatus.TO_PRINT: lambda: _("To be printed"),
        LetterStatus.PRINTED: lambda: _("Printed"),
        LetterStatus.SKIPPED: lambda: _("Not sent"),
    }
    return names[status]()


def describe_reason(reason: SkipReason) -> str:
    """Why a subscriber gets no letter, in words."""
    names: dict[SkipReason, Callable[[], str]] = {
        SkipReason.RENEWED: lambda: _("already renewed"),
        SkipReason.CANCELLED: lambda: _("the subscription is cancelled"),
        SkipReason.ERASED: lambda: _("personal data erased"),
        SkipReason.MERGED: lambda: _("merged with another subscriber"),
        SkipReason.UNSUBSCRIBED: lambda: _("wants no letters"),
        SkipReason.BOUNCED: lambda: _("the email address bounced"),
        SkipReason.NO_EMAIL: lambda: _("no email address"),
        SkipReason.NO_ADDRESS: lambda: _("neither an email address nor a postal address"),
        SkipReason.ON_HOLD: lambda: _("no email address, and the postal address is undeliverable"),
        SkipReason.SAME_LETTER: lambda: _("same letter for another subscription"),
        SkipReason.EXCLUDED: lambda: _("left out of this round"),
        SkipReason.STOPPED: lambda: _("stopped before it went out"),
    }
    return names[reason]()


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
