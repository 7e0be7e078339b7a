"""Email templates: validates their placeholders in braces, and replaces them with values."""

import re
from collections.abc import Collection, Mapping

import msgspec
from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.subscribers.greetings import greeting
from masthead.model.translations import (
    gettext as _,
    gettext_noop,
    in_language,
    language_of,
    list_languages,
)
from masthead.model.types.clean_text import one_line, several_lines
from masthead.model.types.enums import Salutation
from masthead.model.types.text import MAX_LONG_TEXT, MAX_TEXT, short_text


class Site(Struct, frozen=True):
    """The site that emails link to. public_url: its address. domain: that of Message-IDs."""

    public_url: str
    domain: str


class EmailTemplate(Struct, frozen=True):
    """The subject and text of an email, with placeholders in braces."""

    subject: str
    text: str


class TranslatedTemplate(Struct, frozen=True, kw_only=True):
    """The text of an email or a letter: in the language of the account, and in others.

    own: the locale of the account. is_default: not changed by an owner. translations: what owners
    wrote in other languages, by language.
    """

    template: EmailTemplate
    own: str
    is_default: bool
    translations: Mapping[str, EmailTemplate] = {}

    def default(self) -> EmailTemplate:
        """The text that comes with masthead, in the current language."""
        raise NotImplementedError

    @property
    def languages(self) -> frozenset[str]:
        """The languages in which recipients get a text: all that masthead has, if it is its own."""
        written = {language_of(self.own), *self.translations}
        return list_languages() | written if self.is_default else frozenset(written)

    def other_languages(self, locale: str) -> list[str]:
        """Those besides the language of a locale."""
        return sorted(self.languages - {language_of(locale)})

    def for_locale(self, locale: str) -> tuple[EmailTemplate, str]:
        """The text for a recipient, and the locale that all of it is in.

        It is that of the account if an owner changed the text, and wrote none in their language.
        """
        language = language_of(locale)
        if language == language_of(self.own):
            return self.template, self.own
        if language in self.translations:
            return self.translations[language], locale
        if self.is_default:
            with in_language(locale):
                return self.default(), locale
        return self.template, self.own

    def text_in(self, locale: str) -> EmailTemplate:
        """The text to begin with in another language than that of the account."""
        with in_language(locale):
            return self.translations.get(language_of(locale)) or self.default()

    def with_translation(
        self, language: str, template: EmailTemplate | None
    ) -> dict[str, EmailTemplate]:
        """The translations after one of them is changed, or deleted with None."""
        others = {name: each for name, each in self.translations.items() if name != language}
        return others if template is None else {**others, language: template}


def read_translations(stored: str) -> dict[str, EmailTemplate]:
    """Texts in other languages, by language, from how they are stored: JSON, or empty for none."""
    return msgspec.json.decode(stored, type=dict[str, EmailTemplate]) if stored else {}


def write_translations(translations: Mapping[str, EmailTemplate]) -> str:
    """The inverse of `read_translations`."""
    return msgspec.json.encode(translations).decode() if translations else ""


# The placeholders of the welcome email, each with a description of its value
PLACEHOLDERS = {
    "greeting": gettext_noop("how the email begins, such as “Dear Ms Schmidt”"),
    "name": gettext_noop("the subscriber's full name"),
    "magazine": gettext_noop("the name of the account"),
    "start_issue": gettext_noop("the name of the start issue; empty for memberships"),
    "my_page": gettext_noop(
        "the address of the page on which subscribers see what they have; in an email, a link "
        "that opens it, if you allow that under Self-service; empty if the page is closed"
    ),
}
# The welcome email of accounts that have not changed it, in the language of their locale
WELCOME = EmailTemplate(
    gettext_noop("Welcome to {magazine}"),
    gettext_noop("{greeting},\n\nThank you for your subscription to {magazine}.\n"),
)
# What the database has instead of that text: every version of masthead knows its placeholder
STORED_WELCOME_TEXT = "Dear {name},\n\nthank you for your subscription to {magazine}.\n"


def default_welcome() -> EmailTemplate:
    """The welcome email that comes with masthead, in the current language."""
    return EmailTemplate(_(WELCOME.subject), _(WELCOME.text))


class WelcomeText(TranslatedTemplate, frozen=True, kw_only=True):
    """The welcome email."""

    def default(self) -> EmailTemplate:
        """The text that comes with masthead, in the current language."""
        return default_welcome()


def sample_words(my_page: str = "") -> dict[str, str]:
    """The values of the placeholders for a sample subscriber, in the current language."""
    return {
        "my_page": my_page,
        "greeting": greeting(Salutation.MS, None, "Ada", "Lovelace"),
        "name": "Ada Lovelace",
        "start_issue": "Summer 2026",
    }


_BRACES = re.compile(r"\{([^{}\n]*)\}")


def subject_template(
    field: str, text: str, placeholders: Collection[str] = PLACEHOLDERS.keys()
) -> str:
    """A valid subject: one line, with known placeholders only. Raises: Invalid."""
    return _template(field, short_text(field, one_line(text), MAX_TEXT), placeholders)


def text_template(
    field: str, text: str, placeholders: Collection[str] = PLACEHOLDERS.keys()
) -> str:
    """A valid text, with known placeholders only. Raises: Invalid."""
    lines = several_lines(text) + "\n"
    return _template(field, short_text(field, lines, MAX_LONG_TEXT), placeholders)


def _template(field: str, text: str, placeholders: Collection[str]) -> str:
    if not text.strip():
        raise Invalid(_("`{field}` is empty; it is required.").format(field=field), field=field)
    known = ", ".join(f"`{{{name}}}`" for name in placeholders)
    for word in _BRACES.findall(text):
        if word not in placeholders:
            raise Invalid(
                _("`{word}` in `{field}` is not a placeholder. You can use {known}.").format(
                    word=f"{{{word}}}", field=field, known=known
                ),
                field=field,
                value=text,
            )
    return text


def filled(template: str, words: Mapping[str, str]) -> str:
    """A text with its placeholders replaced. Other words in braces are kept."""
    return _BRACES.sub(lambda found: words.get(found[1], found[0]), template)
