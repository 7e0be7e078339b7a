"""The texts of renewal letters: placeholders, the default text of each stage, and its values."""

from collections.abc import Mapping
from functools import lru_cache

from babel import Locale
from babel.dates import format_date

from masthead.model.emails import PLACEHOLDERS, EmailTemplate, filled
from masthead.model.letters.outcomes import Addressee
from masthead.model.renewals.lapsed import Candidate, RenewalStage
from masthead.model.renewals.prices import RenewalPrices
from masthead.model.subscribers.greetings import greeting
from masthead.model.translations import gettext as _, ngettext
from masthead.model.types.enums import Salutation
from masthead.model.types.full_names import full_name
from masthead.model.types.money import money_text, write_amount

AMOUNTS = ("price", "renewal_price")  # the placeholders that are amounts; `offer` is a sentence

SAMPLE_ISSUE = 24  # with which the subscription of a sample ends, if no issue is current


def placeholders() -> dict[str, str]:
    """The placeholders of renewal letters, each with a description of its value."""
    return {
        "greeting": _("how the letter begins, such as “Dear Ms Schmidt” or “Dear Ada Schmidt”"),
        "name": _("the full name of the subscriber; for a gift, that of the giver"),
        "recipient": _("the name of the person who gets the issues"),
        "magazine": _("the name of the magazine"),
        "subscription": _(
            "which subscription it is, such as “your subscription to Lantern & Tide”; it names the "
            "recipient of a gift, and says how many copies there are if there are several"
        ),
        "end": _("when the subscription ends, such as “with issue 24” or “on 31 March 2027”"),
        "last_issue": _("the number of the last issue; empty for memberships"),
        "copies": _("how many copies of each issue the address gets, such as “3 copies”"),
        "price": _("the price of the last order, such as “€42.00”; of all copies"),
        "renewal_price": _(
            "what a renewal costs on the day of the letter: the price of the product, or else "
            "that of the last order; of all copies"
        ),
        "offer": _(
            "a sentence that says what a renewal costs, and for how many issues or months; empty "
            "if no price is known"
        ),
        "my_page": _(PLACEHOLDERS["my_page"]),
    }


def default_template(stage: RenewalStage) -> EmailTemplate:
    """The text of a stage until an owner changes it: what ends, what a renewal costs, and how.

    It is also true for a membership, which ends on a day between two issues.
    """
    thanks = _("Kind regards\n{magazine}")
    how = _(
        "To renew it, simply answer this letter, by email or by post. You pay when our invoice "
        "arrives."
    )
    if stage is RenewalStage.BEFORE:
        subject = _("Your subscription to {magazine} ends soon")
        text = _(
            "{greeting},\n\nWe are writing because {subscription} ends {end}. We would be glad if "
            "you stayed with us."
        )
    elif stage is RenewalStage.LAST:
        subject = _("Please renew your subscription to {magazine}")
        text = _(
            "{greeting},\n\nWe are writing because {subscription} ends {end}. After that, we will "
            "not send any more issues. Please renew it now."
        )
    elif stage is RenewalStage.AFTER_1:
        subject = _("Your subscription to {magazine} has ended")
        text = _(
            "{greeting},\n\nUnfortunately, {subscription} ended {end}. If you renew it now, "
            "we will send the next issues again."
        )
    else:
        subject = _("We miss you at {magazine}")
        text = _(
            "{greeting},\n\nWe are writing because {subscription} ended {end}. This is our last "
            "letter about it. We would be glad if you read us again."
        )
    return EmailTemplate(subject, f"{text} {{offer}}\n\n{how}\n\n{thanks}\n")


def letter_words(
    candidate: Candidate,
    to: Addressee,
    *,
    magazine: str,
    locale: Locale,
    prices: RenewalPrices,
    my_page: str = "",
) -> dict[str, str]:
    """The values of the placeholders for a subscriber, in the current language. Takes 10 µs.

    my_page: the address of their page.
    """
    recipient = full_name(
        candidate.first_name, candidate.last_name, candidate.company, to.full_name
    )
    return {
        "greeting": to.greeting,
        "name": to.full_name,
        "recipient": recipient,
        "magazine": magazine,
        "subscription": subscription_in_words(
            magazine, "" if recipient == to.full_name else recipient, candidate.copies
        ),
        "end": _end_of(candidate, locale),
        "last_issue": str(candidate.last_issue or ""),
        "copies": _copies(candidate.copies),
        "price": _price(candidate.price, candidate.currency, locale),
        "renewal_price": _price(prices.of(candidate), candidate.currency, locale),
        "offer": _offer(
            prices.of(candidate),
            candidate.currency,
            candidate.length,
            candidate.interval_months,
            locale,
        ),
        "my_page": my_page,
    }


def _offer(
    amount: int, currency: str, issues: int | None, months: int | None, locale: Locale
) -> str:
    """What a renewal costs, as a sentence; empty if it costs nothing, as no price is known."""
    if not amount:
        return ""
    price = _price(amount, currency, locale)
    if issues or months:
        length = (
            ngettext("{count} issue", "{count} issues", issues).format(count=issues)
            if issues
            else ngettext("{count} month", "{count} months", months or 0).format(count=months)
        )
        return _("The renewal costs {price} for {length}.").format(price=price, length=length)
    return _("The renewal costs {price}.").format(price=price)


@lru_cache(maxsize=4096)
def _price(amount: int, currency: str, locale: Locale) -> str:
    """An amount in minor units, as the locale writes it. The first time, it takes 100 µs."""
    return write_amount(money_text(amount, currency), currency, locale)


def subscription_in_words(magazine: str, recipient: str, copies: int) -> str:
    """A subscription in words. recipient: who gets it; empty if the letter goes to them."""
    text = (
        _("the subscription to {magazine} for {recipient}")
        if recipient
        else _("your subscription to {magazine}")
    ).format(magazine=magazine, recipient=recipient)
    several = _("{subscription}, {count} copies of each issue,")
    return several.format(subscription=text, count=copies) if copies > 1 else text


def _copies(count: int) -> str:
    return ngettext("{count} copy", "{count} copies", count).format(count=count)


def _end_of(candidate: Candidate, locale: Locale) -> str:
    if candidate.period_end is not None:
        return _("on {day}").format(day=format_date(candidate.period_end, "long", locale=locale))
    return _("with issue {number}").format(number=candidate.last_issue)


def sample_words(
    *, magazine: str, locale: Locale, my_page: str = "", last_issue: int = SAMPLE_ISSUE
) -> dict[str, str]:
    """The values of the placeholders for a sample subscriber, if an account has no real one.

    last_issue: of the subscription.
    """
    return {
        "greeting": greeting(Salutation.MS, None, "Ada", "Lovelace"),
        "name": "Ada Lovelace",
        "recipient": "Ada Lovelace",
        "magazine": magazine,
        "subscription": subscription_in_words(magazine, "", 1),
        "end": _("with issue {number}").format(number=last_issue),
        "last_issue": str(last_issue),
        "copies": _copies(1),
        "price": _price(4200, "EUR", locale),
        "renewal_price": _price(4200, "EUR", locale),
        "offer": _offer(4200, "EUR", 4, None, locale),
        "my_page": my_page,
    }


def without_amounts(words: Mapping[str, str]) -> dict[str, str]:
    """The values of the placeholders as users who may not see money read them."""
    return {**words, **dict.fromkeys(AMOUNTS, _("(amount)")), "offer": ""}


def written(template: EmailTemplate, words: Mapping[str, str]) -> EmailTemplate:
    """The subject and the text of a letter to one subscriber."""
    return EmailTemplate(filled(template.subject, words), filled(template.text, words))


def with_unsubscribe_link(text: str, address: str) -> str:
    """The text of an email, with the link that ends these emails."""
    ending = _("If you do not want to get these letters any more, unsubscribe here:")
    return f"{text.rstrip()}\n\n-- \n{ending}\n{address}\n"
