"""The filters that all templates have."""

import re
from collections.abc import Callable
from typing import Any

from markupsafe import Markup, escape

from masthead.model.dispatch.built_in_profiles import profile_name
from masthead.model.email_failures import failure_in_words
from masthead.model.identity.browsers import describe_browser
from masthead.model.imports.guesses import field_of
from masthead.model.orders.period_coverage import issue_ranges
from masthead.model.subscribers.greetings import describe_salutation
from masthead.model.types.issue_names import name_with_number, own_name, shown_name
from masthead.model.types.product_names import known_product
from masthead.model.types.source_names import shown_source
from masthead.web.kit import formatting, words

_TAG_OR_HYPHENATED = re.compile(r"(?P<tag><[^>]*>)|\b\w-\w+")
_AT, _DOT = Markup("<wbr>@"), Markup(".<wbr>")


def breakable(text: object) -> Markup:
    """The text; an email address in it may break before its @ and after its dots."""
    safe = escape(text)
    return safe.replace("@", _AT).replace(".", _DOT) if "@" in safe else safe


def unbroken(text: object) -> Markup:
    """The text, in which a word such as “E-Mail” is never broken at its hyphen."""

    def whole(found: re.Match[str]) -> str:
        return found[0] if found["tag"] else f'<span class="nowrap">{found[0]}</span>'

    return Markup(_TAG_OR_HYPHENATED.sub(whole, escape(text)))  # noqa: S704 - it is escaped


FILTERS: dict[str, Callable[..., Any]] = {
    "day": formatting.day,
    "day_short": formatting.day_short,
    "moment": formatting.moment,
    "number": formatting.number,
    "percent": formatting.percent,
    "percent_tenths": formatting.percent_tenths,
    "file_size": formatting.file_size,
    "money": formatting.money,
    "minor_money": formatting.minor_money,
    "country": formatting.country,
    "issue_name": shown_name,
    "issue_title": name_with_number,
    "own_name": own_name,
    "known_product": known_product,
    "source_name": shown_source,
    "issue_ranges": issue_ranges,
    "contents": words.contents,
    "sentence": words.sentence,
    "envelope_lines": words.envelope_lines,
    "postal_lines": words.postal_lines,
    "salutation": describe_salutation,
    "groups": words.groups,
    "translated": words.translated,
    "status": words.status,
    "capitalized": words.capitalized,
    "copy_status": words.copy_status,
    "profile_name": profile_name,
    "actor_name": words.actor_name,
    "browser": describe_browser,
    "plain": words.plain,
    "breakable": breakable,
    "unbroken": unbroken,
    "field_of_column": field_of,
    "mail_error": failure_in_words,
}
