"""Email templates: validates their placeholders in braces, and replaces them with values."""

import re
from collections.abc import Collection, Mapping

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.subscribers.greetings import greeting
from masthead.model.translations import gettext as _, gettext_noop
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
