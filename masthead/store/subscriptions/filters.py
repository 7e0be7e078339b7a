"""The filters of the lists of subscriptions, and which index each is read by."""

from datetime import timedelta

from masthead.model.queries import SubscriptionFilters, SubscriptionLookup
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.pagination import PaginatedList
from masthead.store.subscribers.conditions import (
    SEVERAL_EMAILS,
    has_email,
    has_one_of_emails,
    is_of_subscriber,
)
from masthead.store.subscriptions.bundles import FIRST_OF_GROUP

_OF_ORDER = """s.id = (
    SELECT ordered.subscription_id
    FROM period ordered
    WHERE ordered.account_id = :account_id AND ordered.order_id = :order_id
)"""
# The next charge of an issue subscription is on the date of the issue after its last one, that of a
# membership on the day after its last period: `model.subscriptions.lifecycle.next_charge_date`
_CHARGED = """(
    SELECT c.id
    FROM issue n
    CROSS JOIN subscription c
    WHERE n.account_id = :account_id
      AND c.account_id = :account_id
      AND c.last_issue = n.number - 1
      AND n.recurring_charge_date <= :next_charge_before
      AND c.is_recurring
      AND (c.status IN ('Active', 'Past due')) IS TRUE
    UNION ALL
    SELECT c.id
    FROM subscription c
    WHERE c.account_id = :account_id
      AND c.type = 'membership'
      AND c.status IN ('Active', 'Past due')
      AND c.is_recurring
      AND (
          SELECT p.period_end
          FROM period p
          WHERE p.account_id = :account_id AND p.subscription_id = c.id
          ORDER BY p.id DESC
          LIMIT 1
      ) < :next_charge_before
)"""
# JSON of an older masthead, and changes that it marked, have no moment, and count as just changed.
# `id > ''`: as in `store.read_model.stored_pages`
_CHANGED = """(
    SELECT id
    FROM subscription_document
    WHERE account_id = :account_id AND changed_at >= :updated_since
    UNION ALL
    SELECT id
    FROM subscription_document
    WHERE account_id = :account_id AND id > '' AND format_revision IS DISTINCT FROM revision
    UNION ALL
    SELECT id
    FROM subscription_change
    WHERE account_id = :account_id AND (changed_at IS NULL OR changed_at >= :updated_since)
)"""
_OF_FEW = {"order_id", "subscriber", "email", "emails"}  # filters that match few subscriptions
SUBSCRIPTIONS = PaginatedList(
    table="subscription",
    alias="s",
    conditions={
        "subscriber": is_of_subscriber("s.subscriber_id"),
        "country": "s.country = :country",
        "source": "s.source_id = :source",
        "is_gift": "s.is_gift = :is_gift",
        "type": "s.type = :type",
        "status": "s.status = :status",
        "statuses": "s.status IN (:statuses...)",
        "order_id": _OF_ORDER,
        "email": has_email("s.subscriber_id"),
        "emails": has_one_of_emails("s.subscriber_id"),
        "next_charge_before": f"s.id IN {_CHARGED}",
        "updated_since": f"s.id IN {_CHANGED}",
        "is_first_of_group": FIRST_OF_GROUP,
    },
    tables={"updated_since": _CHANGED, "next_charge_before": _CHARGED},
    selective=("order_id", "subscriber", "email", "emails", "statuses", "status"),
    each={"statuses": "s.status = :statuses_{}"},
    before={"statuses": "type"},
    several=SEVERAL_EMAILS,
    last="is_gift",
    last_values=("s.is_gift = true", "s.is_gift = false"),
)


def filters_of(query: SubscriptionFilters) -> dict[str, object]:
    """The filters that a query sets, with their values as the conditions need them."""
    filters = SUBSCRIPTIONS.filters_of(query)
    if isinstance(query, SubscriptionLookup):
        status = filters.get("status")
        if isinstance(status, list) and len(status) == 1:
            filters["status"] = status[0]
        elif isinstance(status, list):
            filters["statuses"] = filters.pop("status")
        if query.next_charge_before:  # the last day of such a charge
            filters["next_charge_before"] = query.next_charge_before - timedelta(days=1)
    if "type" in filters and not filters.keys() & _OF_FEW:  # by the index on type and status
        one = [filters.pop("status")] if "status" in filters else None
        filters.setdefault("statuses", one or [*SubscriptionStatus])
    return filters
