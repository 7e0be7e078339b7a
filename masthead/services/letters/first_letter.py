"""The letter of a plan that a preview shows: the first that goes out, and its text."""

from masthead.model.emails import EmailTemplate
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.letters.stage_texts import StageText
from masthead.model.translations import language_of
from masthead.model.types.recipient_languages import locale_in
from masthead.services.letters.recipients import LetterPlan, PlannedLetter, locale_of
from masthead.store.accounts import Account


def first_going_out(
    account: Account, plan: LetterPlan, text: StageText, language: str | None = None
) -> PlannedLetter | None:
    """The first letter of a plan that goes out by email, or else on paper.

    language: of the letter; None for any.
    """
    for channel in LetterChannel:
        for each in plan.going_out(channel):
            _template, locale = text.for_locale(locale_of(account, each))
            if language in (None, language_of(locale)):
                return each
    return None


def text_to_show(
    account: Account, plan: LetterPlan, text: StageText, language: str = ""
) -> tuple[EmailTemplate, str]:
    """The text that recipients with a language get, and its locale.

    language: empty for that of the first letter that goes out; without one, the account's.
    """
    if language:
        return text.for_locale(locale_in(language, account.locale))
    first = first_going_out(account, plan, text)
    return text.for_locale(locale_of(account, first) if first else account.locale)
