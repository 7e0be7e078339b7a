"""The stages of reminders: when each is due, what it says, and what it costs."""

from collections.abc import Sequence

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


def placeholders() -> dict[str, str]:
    """The placeholders of reminders, each with a description of its value."""
    return {
        "greeting": _("how the letter begins, such as “Dear Ms Schmidt”"),
        "name": _("the full name of the payer"),
        "magazine": _("the name of the magazine"),
        "invoices": _("the overdue invoices: number, date, due day, days overdue, open amount"),
        "amount": _("what is open of these invoices, without fees"),
        "fee": _("the fee of this reminder; empty if there is none"),
        "total": _("what is to pay, with all open fees"),
        "days": _("how many days the oldest invoice is overdue"),
        "reference": _("the numbers of the invoices, as the reference of the payment"),
        "bank": _("account holder, IBAN, BIC and bank"),
        "seller": _("the name of the publisher"),
    }


def default_stages() -> list[ReminderStage]:
    """Three stages in the current language, which an account can adopt. They have no fee."""
    letter = _("{invoices}\n\nPlease transfer {total} with the reference {reference}.\n\n{bank}")
    crossed = _("If you have paid meanwhile, please ignore this letter.")
    end = _("Kind regards\n{seller}")
    texts = (
        (
            _("Payment reminder"),
            _("Payment reminder: {magazine}"),
            _(
                "{greeting},\n\nPerhaps it has escaped your notice: we have not received a payment "
                "for {magazine} yet."
            ),
            crossed,
        ),
        (
            _("First overdue notice"),
            _("First overdue notice: {magazine}"),
            _(
                "{greeting},\n\nIn spite of our reminder, we have not received a payment for "
                "{magazine}. It is {days} days overdue. Please pay within 7 days."
            ),
            crossed,
        ),
        (
            _("Second overdue notice"),
            _("Second overdue notice: {magazine}"),
            _(
                "{greeting},\n\nThe payment for {magazine} is {days} days overdue, although we "
                "have reminded you twice. Please pay within 7 days."
            ),
            crossed,
        ),
    )
    return [
        ReminderStage(
            stage=place,
            name=name,
            days=7 if place == 1 else 14,
            fee=0,
            subject=subject,
            text="\n\n".join((begin, letter, middle, end)) + "\n",
            encloses_invoices=place > 1,
            is_printed=False,
        )
        for place, (name, subject, begin, middle) in enumerate(texts, 1)
    ]


def check_stage(stage: ReminderStage) -> ReminderStage:
    """The stage with tidy texts. Raises: Invalid, which names the field and the solution."""
    if not 0 <= stage.days <= MAX_DAYS:
        raise Invalid(
            _("Type a number of days from 0 to {most}.").format(most=MAX_DAYS),
            field="days",
            value=stage.days,
        )
    if not 0 <= stage.fee <= MAX_FEE:
        raise Invalid(_("Type a fee of 0 or more, at most 1000.00."), field="fee", value=stage.fee)
    known = placeholders()
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
