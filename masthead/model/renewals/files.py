"""The columns of the files of a renewal list: all facts, or the placeholders of a mail merge."""

from collections.abc import Sequence
from typing import Any

from babel import Locale
from babel.dates import format_date
from msgspec import Struct

from masthead.model.dispatch.address_layout import address_lines, build_layout, person_name
from masthead.model.dispatch.runs import Layout
from masthead.model.renewals.lapsed import Candidate
from masthead.model.renewals.prices import RenewalPrices
from masthead.model.subscribers.greetings import describe_salutation, greeting
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.countries import country_name, known_country
from masthead.model.types.money import money_text

LIST_COLUMNS = (
    "subscription_id status last_issue period_end full_name email subscriber_id medium country"
    " country_name salutation title first_name last_name company address1 address2 city state"
    " postcode source order_id order_date price currency is_comp is_gift gifter_name gifter_email"
    " copies"
).split()
ADDRESS_LINES = 8  # from the name to the country: no country needs more
MERGE_COLUMNS = (
    *"salutation full_name first_name last_name company".split(),
    *(f"address_line_{number}" for number in range(1, ADDRESS_LINES + 1)),
    *"email medium last_issue period_end renewal_price currency subscription_id".split(),
    *"order_id subscriber_id copies".split(),
)


class FileFacts(Struct, frozen=True, kw_only=True):
    """What the files of an account have in common.

    home: the publisher's country. locale: of the user for a list, of the account for letters.
    placeholder_domain: of email addresses that stand for a missing one. prices: of today.
    """

    home: str | None
    locale: str
    placeholder_domain: str
    prices: RenewalPrices


def list_rows(candidates: Sequence[Candidate], facts: FileFacts) -> list[dict[str, Any]]:
    """A row with the columns `LIST_COLUMNS` for each candidate."""
    locale = Locale.parse(facts.locale)
    with in_language(facts.locale):
        return [
            {
                **{name: getattr(each, name, None) for name in LIST_COLUMNS},
                "status": _(each.status.value),
                "medium": _(each.medium.value),
                "salutation": describe_salutation(each.salutation),
                "email": _email(each, facts),
                "period_end": _last_day(each),
                "country": (code := known_country(each.country)),
                "country_name": code and (locale.territories.get(code) or country_name(code)),
                "source": each.source_name,
                "price": money_text(each.price, each.currency),
                "is_comp": bool(each.is_comp),
                "is_gift": bool(each.is_gift),
            }
            for each in candidates
        ]


def merge_rows(candidates: Sequence[Candidate], facts: FileFacts) -> list[dict[str, Any]]:
    """A row with the columns `MERGE_COLUMNS` for each candidate.

    Takes up to 10 ms for a country that the process has not used yet: call it in a thread.
    """
    layout = build_layout((each.country for each in candidates), facts.home)
    with in_language(facts.locale):
        return [_merge_row(each, facts, layout) for each in candidates]


def _merge_row(each: Candidate, facts: FileFacts, layout: Layout) -> dict[str, Any]:
    lines = address_lines(each, layout)
    shown = [*lines[: ADDRESS_LINES - 1], ", ".join(lines[ADDRESS_LINES - 1 :])]
    shown += [""] * (ADDRESS_LINES - len(shown))
    name = person_name(each)
    last_day = _last_day(each)
    return {
        "salutation": f"{greeting(each.salutation, each.title, each.first_name, each.last_name)},",
        "full_name": name or each.company or "",
        "first_name": each.first_name,
        "last_name": each.last_name,
        "company": each.company,
        **{f"address_line_{number}": line for number, line in enumerate(shown, 1)},
        "email": _email(each, facts),
        "medium": _(each.medium.value),
        "last_issue": each.last_issue,
        "period_end": format_date(last_day, "long", locale=facts.locale) if last_day else None,
        "renewal_price": money_text(facts.prices.of(each), each.currency),
        "currency": each.currency,
        "subscription_id": each.subscription_id,
        "order_id": each.order_id,
        "subscriber_id": each.subscriber_id,
        "copies": each.copies,
    }


def _email(each: Candidate, facts: FileFacts) -> str:
    """The subscriber's email address; empty if there is none."""
    is_missing = each.is_placeholder or each.email.endswith(f"@{facts.placeholder_domain}")
    return "" if is_missing else each.email


def _last_day(each: Candidate) -> Any:
    """A subscription ends with its last issue, a membership on its last day."""
    return None if each.last_issue else each.period_end
