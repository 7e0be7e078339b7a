"""The `gettext` of templates: counts as the locale writes them, and the names of the erased."""

from collections.abc import Mapping

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from masthead.model.translations import gettext, ngettext
from masthead.web.kit.formatting import number
from masthead.web.kit.words import known_name

COUNTS = ("count", "n", "num")  # what texts call a count; other numbers are as they are given


@pass_context
def gettext_with_counts(context: Context, text: str, /, **values: object) -> Markup:
    """A text in the language of the reader, with its values."""
    return Markup(gettext(text)) % _grouped(context, values)  # noqa: S704 - texts of the code


@pass_context
def ngettext_with_counts(
    context: Context, one: str, many: str, count: int, /, **values: object
) -> Markup:
    """A text for a number of things in the language of the reader, with its values."""
    text = ngettext(one, many, count)
    return Markup(text) % _grouped(context, {"num": count, **values})  # noqa: S704 - as above


def _grouped(context: Context, values: Mapping[str, object]) -> dict[str, object]:
    return {name: _shown(context, name, value) for name, value in values.items()}


def _shown(context: Context, name: str, value: object) -> object:
    if name in COUNTS and type(value) is int:
        return number(context, value)
    return known_name(value) if isinstance(value, str) else value
