"""The texts of reminders: placeholders, the default text of each stage, and its values."""

from collections.abc import Callable, Sequence
from datetime import date

from babel.dates import format_date
from msgspec import structs

from masthead.model.billing.documents import Seller
from masthead.model.reminders.due import PlannedReminder
from masthead.model.reminders.stages import ReminderStage
from masthead.model.translations import gettext as _, in_language, language_of, ngettext
from masthead.model.types.money import money_text, write_amount

MAX_REFERENCE = 140  # characters of a payment in SEPA


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


def stage_in(stage: ReminderStage, own: str, locale: str) -> tuple[ReminderStage, str]:
    """The stage as a payer gets it, and the locale that all of the letter is in.

    own: the locale of the account. Only the texts that come with masthead are in all languages.
    """
    if language_of(locale) == language_of(own):
        return stage, own
    with in_language(own):
        mine = {each.text: each.stage for each in default_stages() if each.subject == stage.subject}
    if stage.text not in mine:
        return stage, own
    with in_language(locale):
        there = default_stages()[mine[stage.text] - 1]
    return structs.replace(stage, name=there.name, subject=there.subject, text=there.text), locale


def reminder_words(
    letter: PlannedReminder, seller: Seller, *, day: date, magazine: str, locale: str
) -> dict[str, str]:
    """The value of each placeholder, in the current language."""
    money = _money_writer(letter.currency, locale)
    return {
        "greeting": letter.to.greeting,
        "name": letter.to.full_name,
        "magazine": magazine,
        "invoices": "\n".join(_lines(letter, money, day=day, locale=locale)),
        "amount": money(letter.amount),
        "fee": money(letter.fee) if letter.fee else "",
        "total": money(letter.total),
        "days": str(max(each.invoice.days_overdue(day) for each in letter.items)),
        "reference": reference_of([each.invoice.number for each in letter.items]),
        "bank": "\n".join(bank_lines(seller)),
        "seller": seller.name,
    }


def _lines(
    letter: PlannedReminder, money: Callable[[int], str], *, day: date, locale: str
) -> list[str]:
    def write(when: date) -> str:
        return format_date(when, "medium", locale=locale)

    lines = []
    for each in letter.items:
        overdue = each.invoice.days_overdue(day)
        text = ngettext(
            "Invoice {number} of {date}, due on {due}, {days} day overdue: {amount}",
            "Invoice {number} of {date}, due on {due}, {days} days overdue: {amount}",
            overdue,
        )
        lines.append(
            text.format(
                number=each.invoice.number,
                date=write(each.invoice.issue_date),
                due=write(each.invoice.due_date),
                days=overdue,
                amount=money(each.invoice.open_amount),
            )
        )
    if letter.open_fees:
        lines.append(
            _("Fees of earlier reminders: {amount}").format(amount=money(letter.open_fees))
        )
    if letter.fee:
        lines.append(_("Fee of this reminder: {amount}").format(amount=money(letter.fee)))
    if letter.credit:
        lines.append(_("Your credit: {amount}").format(amount=money(-letter.credit)))
    if len(lines) > 1:
        lines.append(_("Together: {amount}").format(amount=money(letter.total)))
    return lines


def reference_of(numbers: Sequence[str]) -> str:
    """The numbers of invoices as the reference of one payment, as many as fit into it."""
    text = ""
    for number in numbers:
        longer = f"{text} {number}".strip()
        if len(longer) > MAX_REFERENCE:
            break
        text = longer
    return text


def bank_lines(seller: Seller) -> list[str]:
    """Where to pay; without an IBAN, the name of the publisher only."""
    lines = [_("Account holder: {name}").format(name=seller.name)]
    if seller.iban:
        grouped = " ".join(seller.iban[at : at + 4] for at in range(0, len(seller.iban), 4))
        lines.append(f"IBAN: {grouped}")
        lines.extend(f"BIC: {bic}" for bic in [seller.bic] if bic)
        lines.extend(_("Bank: {bank}").format(bank=bank) for bank in [seller.bank] if bank)
    return lines


def _money_writer(currency: str, locale: str) -> Callable[[int], str]:
    return lambda amount: write_amount(money_text(amount, currency), currency, locale)
