"""The values of the placeholders of a reminder; `stages` has the default texts."""

from collections.abc import Callable, Sequence
from datetime import date

from babel.dates import format_date

from masthead.model.billing.documents import Seller
from masthead.model.reminders.due import PlannedReminder
from masthead.model.translations import gettext as _, ngettext
from masthead.model.types.money import money_text, write_amount

MAX_REFERENCE = 140  # characters of a payment in SEPA


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
