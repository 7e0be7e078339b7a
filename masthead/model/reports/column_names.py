"""The headings of the files that staff open: the names of columns in the current language.

In English they are the names that the documentation and the API use. Files that are stored with a
hash, and those for other programs, keep these names in every language.
"""

from collections.abc import Sequence

from masthead.model.translations import pgettext


def translated_columns(columns: Sequence[str]) -> list[str]:
    """The headings of columns in the current language. Raises: KeyError for an unknown column."""
    names = _names()
    return [names[each] for each in columns]


def _names() -> dict[str, str]:
    return {
        "address1": pgettext("column", "address1"),
        "address2": pgettext("column", "address2"),
        "address_line_1": pgettext("column", "address_line_1"),
        "address_line_2": pgettext("column", "address_line_2"),
        "address_line_3": pgettext("column", "address_line_3"),
        "address_line_4": pgettext("column", "address_line_4"),
        "address_line_5": pgettext("column", "address_line_5"),
        "address_line_6": pgettext("column", "address_line_6"),
        "address_line_7": pgettext("column", "address_line_7"),
        "address_line_8": pgettext("column", "address_line_8"),
        "city": pgettext("column", "city"),
        "company": pgettext("column", "company"),
        "copies_sent": pgettext("column", "copies_sent"),
        "country": pgettext("column", "country"),
        "country_name": pgettext("column", "country_name"),
        "currency": pgettext("column", "currency"),
        "day": pgettext("column", "day"),
        "discounts": pgettext("column", "discounts"),
        "earned": pgettext("column", "earned"),
        "email": pgettext("column", "email"),
        "ended": pgettext("column", "ended"),
        "first_name": pgettext("column", "first_name"),
        "full_name": pgettext("column", "full_name"),
        "gifter_email": pgettext("column", "gifter_email"),
        "gifter_name": pgettext("column", "gifter_name"),
        "is_comp": pgettext("column", "is_comp"),
        "is_final": pgettext("column", "is_final"),
        "is_gift": pgettext("column", "is_gift"),
        "issue": pgettext("column", "issue"),
        "issue_name": pgettext("column", "issue_name"),
        "last_issue": pgettext("column", "last_issue"),
        "last_name": pgettext("column", "last_name"),
        "medium": pgettext("column", "medium"),
        "month": pgettext("column", "month"),
        "not_renewed": pgettext("column", "not_renewed"),
        "order_date": pgettext("column", "order_date"),
        "order_id": pgettext("column", "order_id"),
        "orders": pgettext("column", "orders"),
        "per_copy": pgettext("column", "per_copy"),
        "period_end": pgettext("column", "period_end"),
        "postcode": pgettext("column", "postcode"),
        "price": pgettext("column", "price"),
        "product": pgettext("column", "product"),
        "refunds": pgettext("column", "refunds"),
        "renewal_price": pgettext("column", "renewal_price"),
        "renewed_with_next": pgettext("column", "renewed_with_next"),
        "renewed_within_2": pgettext("column", "renewed_within_2"),
        "renewed_within_3": pgettext("column", "renewed_within_3"),
        "salutation": pgettext("column", "salutation"),
        "share_with_next": pgettext("column", "share_with_next"),
        "share_within_2": pgettext("column", "share_within_2"),
        "share_within_3": pgettext("column", "share_within_3"),
        "source": pgettext("column", "source"),
        "state": pgettext("column", "state"),
        "status": pgettext("column", "status"),
        "subscriber_id": pgettext("column", "subscriber_id"),
        "subscription_id": pgettext("column", "subscription_id"),
        "takings": pgettext("column", "takings"),
    }
