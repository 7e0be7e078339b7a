"""Sandboxes: accounts for trying out, with a clock of their own that only moves forward."""

from datetime import date
from enum import StrEnum

from msgspec import Struct

from masthead.model.errors import Invalid, MastheadError
from masthead.model.inputs import Creation
from masthead.model.resources import Moment
from masthead.model.translations import gettext as _
from masthead.model.types.fields import Day

FIRST_DAY = date(2026, 1, 1)  # of the clock, so that demo data is the same each time
MAX_DAYS = 1_100  # of one move: three years
MAX_YEARS = 20  # that a clock can be ahead of its first day
MAX_SANDBOXES = 50  # of a server
MAX_SANDBOXES_OF_OWNER = 5

SHOP = "Sandbox shop"  # the source whose recurring orders the sandbox itself charges
# How the email address of a subscriber begins whose charges fail, or are paid days later
DECLINED, LATE = "declined", "late"
LATE_DAYS = 7


class SandboxData(StrEnum):
    """What a sandbox begins with: made-up data, or the settings of another account."""

    DEMO = "demo"
    SETTINGS = "settings"


class SandboxNext(StrEnum):
    """The next day to which a clock can move: of an issue that is out, or of a charge."""

    ISSUE = "issue"
    CHARGE = "charge"


class Sandbox(Struct, frozen=True):
    """The clock of a sandbox. first_date: its first day, to which a reset leads.

    done_date: the last day of which everything was done. goal_date: the day that it moves to, which
    is later only while it moves. source_id: of the shop that it charges itself. is_automatic:
    whether it sends by itself what staff would send.
    """

    data: SandboxData
    first_date: date
    done_date: date
    goal_date: date
    source_id: str | None
    is_automatic: bool


class SandboxMove(Creation, kw_only=True):
    """Where the clock of a sandbox moves to: a day, or the next issue or charge.

    to: the day, after today of the sandbox, at most three years ahead.
    next: `issue` for the next release date of an issue, or `charge` for the next charge.
    is_automatic: whether the sandbox sends letters and reminders by itself, and collects direct
        debits, from now on; without `to` and `next`, the clock stays.
    """

    to: Day | None = None
    next: SandboxNext | None = None
    is_automatic: bool | None = None


class SandboxClock(Struct, frozen=True):
    """The clock of a sandbox.

    day: today in the sandbox.
    first_day: the day to which a reset leads.
    is_automatic: whether the sandbox sends letters and reminders by itself, and collects direct
        debits. Staff do that in other accounts.
    """

    day: date
    first_day: date
    is_automatic: bool


class KeptEmail(Struct, frozen=True):
    """An email that a sandbox did not send.

    id: id of the email.
    recipient: the address to which it would have been sent.
    subject: its subject.
    text: its text.
    created_at: when it would have been sent, at the time of the sandbox.
    invoice_id: id of the invoice that would have been attached; null without one.
    """

    id: str
    recipient: str
    subject: str
    text: str
    created_at: Moment
    invoice_id: str | None


class NotSandbox(MastheadError):
    """The account is not a sandbox, and its time is real."""

    code = "not_a_sandbox"

    def __init__(self) -> None:
        super().__init__(
            _(
                "This account is not a sandbox: its time is real, and cannot be moved or reset. "
                "Use the key of a sandbox."
            )
        )


def require_one(move: SandboxMove) -> None:
    """Raises: Invalid unless a move says either a day or what is next, or only a setting."""
    is_setting = move.to is None and move.next is None and move.is_automatic is not None
    if (move.to is None) == (move.next is None) and not is_setting:
        raise Invalid(
            "Give either `to`, a day such as 2027-01-01, or `next`, which is `issue` or `charge`.",
            field="to",
        )


def require_goal(goal: date, *, day: date, first_day: date) -> date:
    """The day to which a clock can move. Raises: Invalid. day: its today."""
    if goal < day:
        message = _(
            "`to` is {goal}, before {day}, which is today in the sandbox. The clock only moves "
            "forward. A reset leads back to {first_day}."
        )
    elif (goal - day).days > MAX_DAYS:
        message = _(
            "`to` is {goal}, more than {days} days after {day}. Move the clock in several steps."
        )
    elif goal.year - first_day.year > MAX_YEARS:
        message = _(
            "`to` is {goal}. A sandbox ends {years} years after its first day, {first_day}. Reset "
            "it to begin again."
        )
    else:
        return goal
    text = message.format(goal=goal, day=day, first_day=first_day, days=MAX_DAYS, years=MAX_YEARS)
    raise Invalid(text, field="to", value=goal)


def no_next(next: SandboxNext, day: date) -> Invalid:
    """The error if nothing comes after a day."""
    if next is SandboxNext.ISSUE:
        message = _(
            "No issue has a release date after {day}. Give one to an issue, or choose a day."
        )
    else:
        message = _(
            "No charge is due after {day}: no recurring subscription has a next charge date. "
            "Choose a day."
        )
    return Invalid(message.format(day=day), field="next", value=next)
