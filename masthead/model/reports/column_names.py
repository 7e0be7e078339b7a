"""The headings of the files that staff open: the names of columns in the current language.

In English they are the names that the documentation and the API use, except that a run is a
mailing to people. Files that are stored with a hash, and those for other programs, keep these
names in every language.
"""

from collections.abc import Sequence

from masthead.model.translations import pgettext

# The columns of decimal numbers: money, and shares between 0 and 1
AMOUNTS = frozenset(
    "amount balance came_in credit deferred discount_amount discounts earned "
    "kept_after_cancellation late_30 late_60 late_90 later net not_due open_amount ordered paid "
    "paid_at_once payments per_copy price rate refunded refunds renewal_price share_with_next "
    "share_within_2 share_within_3 total unused_amount vat vat_converted vat_rate".split()
)

# The columns that only users who may see money get
MONEY = AMOUNTS.difference(
    "rate share_with_next share_within_2 share_within_3 vat_rate".split()
) | {"currency", "paid_other_currencies"}


def columns_noop(names: str) -> dict[str, str]:
    """Names of columns by themselves, each marked for the catalogue."""
    return {name: name for name in names.split()}


_NAMES = columns_noop(
    "address address1 address2 address_line_1 address_line_2 address_line_3 address_line_4 "
    "address_line_5 address_line_6 address_line_7 address_line_8 after already_here amount "
    "balance before benefits came_in cancelled_date channel city claims company copies "
    "copies_not_sent copies_sent copies_to_send copy_id country country_name created_at credit "
    "credit_account credit_number currency customer_number damaged date_as_start_issue "
    "date_created date_sent day days_late debit_account debit_number deferred difference digital "
    "discount_amount discounts document due_date earned email ended ended_at entry exchange_rate "
    "expires_at first_issue first_name full_name gifter_email gifter_name grace_copies group "
    "has_active_subscription iban if_all_renew import imported interval_months invoice invoices "
    "is_active is_automatic is_comp is_final is_gift is_recurring is_undone issue issue_date "
    "issue_name issue_number kept_after_cancellation key_id kind last_issue last_name "
    "last_used_at late_30 late_60 late_90 later latest_order_date length letter_date letters line "
    "lines medium method month name net never_arrived new_address newsstand_ean next_charge_date "
    "not_decided not_due not_renewed notes number old_address open_amount order_date order_id "
    "ordered orders oss other_address other_email other_full_name other_subscriber_id paid "
    "paid_at_once paid_other_currencies payer payment_date payments pays_for per_copy period_end "
    "period_start phone postcode prefix price prices printed problem product product_id rate "
    "ready_at reason record_id recurring_charge_date reference refund_date refunded refunds "
    "refused release_date renewal_order_id renewal_price renewed_date renewed_how "
    "renewed_with_next renewed_within_2 renewed_within_3 renews_automatically replacement "
    "replacements rights role salutation scope seen_at sent sha256 share_with_next share_within_2 "
    "share_within_3 source source_id spare stage state status subscriber_id subscription_id "
    "subscriptions supplied_to text title to_print to_print_if_all_renew to_print_usual_renewals "
    "total two_step type ultimate_name unused_amount user usual_renewals vat vat_category "
    "vat_converted vat_currency vat_paid vat_rate vat_rate_paid vat_rate_supplied vat_supplied "
    "what who"
) | {"run": columns_noop("mailing")["mailing"]}


def translated_columns(columns: Sequence[str]) -> list[str]:
    """The headings of columns in the current language. Raises: KeyError for an unknown column."""
    return [pgettext("column", _NAMES[each]) for each in columns]
