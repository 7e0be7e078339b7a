"""The stages of reminders: when each is due, and what it costs; `texts` has what they say."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from masthead.model.emails import subject_template, text_template
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.fields import required_text

MAX_STAGES = 6
MAX_DAYS = 365
MAX_FEE = 100_000  # minor units


class ReminderStage(Struct, frozen=True, kw_only=True):
    """A stage. stage: its place, from 1 on.

    days: after the due day, or after the stage before. fee: in minor units of the account's
    currency. is_printed: always on paper, also to payers with an email address.
    """

    stage: int
    name: str
    days: int
    fee: int
    subject: str
    text: str
    encloses_invoices: bool
    is_printed: bool


class ReminderSettings(Struct, frozen=True, kw_only=True):
    """How an account reminds. least_amount: nobody is reminded of less, in minor units.

    hold_stage: the stage from which on copies of unpaid subscriptions are held; 0 for never.
    """

    least_amount: int = 0
    hold_stage: int = 0


def check_stage(stage: ReminderStage, known: Collection[str]) -> ReminderStage:
    """The stage with tidy texts. known: the placeholders. Raises: Invalid."""
    if not 0 <= stage.days <= MAX_DAYS:
        raise Invalid(
            _("Type a number of days from 0 to {most}.").format(most=MAX_DAYS),
            field="days",
            value=stage.days,
        )
    if not 0 <= stage.fee <= MAX_FEE:
        raise Invalid(_("Type a fee of 0 or more, at most 1000.00."), field="fee", value=stage.fee)
    return ReminderStage(
        stage=stage.stage,
        name=required_text("name", stage.name),
        days=stage.days,
        fee=stage.fee,
        subject=subject_template("subject", stage.subject, known),
        text=text_template("text", stage.text, known),
        encloses_invoices=stage.encloses_invoices,
        is_printed=stage.is_printed,
    )


def check_settings(settings: ReminderSettings, stages: Sequence[ReminderStage]) -> None:
    """Raises: Invalid if the settings do not fit the stages."""
    if settings.least_amount < 0:
        raise Invalid(_("Type an amount of 0 or more."), field="least_amount")
    if settings.hold_stage not in (0, *(each.stage for each in stages)):
        raise Invalid(
            _("There is no stage {stage}. Choose one of the list.").format(
                stage=settings.hold_stage
            ),
            field="hold_stage",
            value=settings.hold_stage,
        )
