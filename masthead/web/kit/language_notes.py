"""What a user reads after a change of a language: what is in it now, and what is not.

The pages have the language of the user; letters, emails, invoices and the words on labels have that
of the account.
"""

from typing import TypedDict

from masthead.model.identity.rights import Right
from masthead.model.translations import gettext as _, language_of
from masthead.model.types.recipient_languages import name_language
from masthead.web.kit.context import PageContext


class LanguageNote(TypedDict):
    """What `redirect` shows: a message, a link to all languages, a button for the other one."""

    message: str
    link: tuple[str, str]
    button: tuple[str, str]


def note_of_pages(context: PageContext, locale: str) -> LanguageNote:
    """After the user chose the language of their pages. locale: the one of the pages now."""
    desk = context.desk
    if desk is None:
        return LanguageNote(message=_("Your language is saved."), link=("", ""), button=("", ""))
    pages, others = name_language(locale), name_language(desk.account_locale)
    may_change = desk.may(Right.SETTINGS)
    text = _("These pages, and the files that you download, are in {language} now, for you alone.")
    button = ("", "")
    if language_of(locale) == language_of(desk.account_locale):
        rest = _(
            "So are letters, emails, invoices and the words on labels, unless the subscriber or "
            "their country has another language."
        )
    else:
        rest = _(
            "Letters, emails, invoices and the words on labels have not changed: they are in "
            "{language}, unless the subscriber or their country has another language."
        )
        if may_change:
            address = f"/desk/{desk.subdomain}/settings/account/language/"
            label = _("Letters, emails, invoices and the words on labels in {language}, too")
            button = address, label.format(language=pages)
        else:
            rest = f"{rest} {_('An owner can change that under Settings, Account.')}"
    return LanguageNote(
        message=" ".join([text.format(language=pages), rest.format(language=others)]),
        link=_link(desk.subdomain) if may_change else ("", ""),
        button=button,
    )


def note_of_account(context: PageContext, locale: str) -> LanguageNote:
    """After the account got another language. locale: the one of the account now."""
    pages = context.user.locale or locale
    text = _(
        "Letters, emails, invoices and the words on labels are in {language} now, unless the "
        "subscriber or their country has another language. Texts that you wrote stay as they are."
    )
    button = ("", "")
    if language_of(pages) == language_of(locale):
        rest = _("These pages are in {language}, too, for all users who have chosen no other one.")
    else:
        rest = _("These pages have not changed: you have chosen {language} for yourself.")
        label = _("These pages in {language}, too").format(language=name_language(locale))
        button = "/you/locale/", label
    return LanguageNote(
        message=" ".join(
            [
                text.format(language=name_language(locale)),
                rest.format(language=name_language(pages)),
            ]
        ),
        link=_link(context.membership.subdomain),
        button=button,
    )


def _link(subdomain: str) -> tuple[str, str]:
    """The overview of all languages."""
    return f"/desk/{subdomain}/settings/account/#which-language", _("What has which language")
