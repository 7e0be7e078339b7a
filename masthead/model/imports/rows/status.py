"""The status of a row: what a shop calls it, and what follows from the data."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import (
    ASK,
    BY_INVOICE,
    IF_PAID,
    LEAVE_OUT,
    NOT_PAID,
    NOT_RECURRING,
    UNSTATED,
    ImportMapping,
)
from masthead.model.imports.plan import AccountFacts
from masthead.model.imports.rows.rules import Lookup
from masthead.model.imports.values.texts import plain, read_status
from masthead.model.orders.order import Order
from masthead.model.subscriptions.lifecycle import derive_status, is_period_complete, issues_covered
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType

Meaning = SubscriptionStatus | str
_NOT_OURS = (LEAVE_OUT, NOT_RECURRING, UNSTATED, IF_PAID, NOT_PAID)


class Statuses:
    """What the statuses of a file mean, by the mapping; ours are known in any case."""

    def __init__(self, mapping: ImportMapping) -> None:
        self.find = lru_cache(maxsize=256)(self._find)
        self._bills = mapping.unpaid == BY_INVOICE
        self._known = Lookup(
            {"*".join(map(plain, key.split("*"))): ours for key, ours in mapping.status.items()}
        )

    def _find(self, text: str) -> Meaning:
        """A status of ours, or what else a status can mean. Raises: Invalid."""
        meaning = self._known.find(plain(text))
        if meaning is None:
            return read_status("status", text)
        if meaning == ASK:
            message = _("`status` is `{text}`; say what this status means.").format(text=text)
            raise Invalid(message, field="status", value=text)
        return str(meaning) if meaning in _NOT_OURS else read_status("status", str(meaning))

    def of_row(self, text: str, given: dict[str, Any], paid_on: str | None) -> Meaning:
        """What the status of a row means; an order that is not paid may become one by invoice.

        given: the fields of the row. paid_on: its day of payment; None if the table has none.
        Raises: Invalid.
        """
        meaning = self.find(text)
        has_day = bool((paid_on or "").strip("0-: "))
        if meaning == IF_PAID:
            meaning = SubscriptionStatus.CANCELLED if has_day or paid_on is None else LEAVE_OUT
        if meaning != NOT_PAID:
            return meaning
        if not self._bills or has_day or "cancelled_date" in given:
            return LEAVE_OUT  # it was paid after all, or nothing is owed any more
        given["is_billed"] = True
        given.pop("transaction_id", None)  # of a payment that did not come
        return UNSTATED


def count_unpaid(statuses: Mapping[str, int], mapping: ImportMapping) -> int:
    """How many rows are not paid by their status. statuses: the number of rows, by status."""
    known, count = Statuses(mapping), 0
    for text, rows in statuses.items():
        with suppress(Invalid):
            count += rows if known.find(text) == NOT_PAID else 0
    return count


def describe_unpaid(statuses: Mapping[str, int], mapping: ImportMapping) -> list[str]:
    """What becomes of the orders that are not paid, if there are any."""
    count = count_unpaid(statuses, mapping)
    if not count:
        return []
    if mapping.unpaid == BY_INVOICE:
        message = counted(
            "By its status, {count} order is not paid. It becomes an order by invoice.",
            "By their status, {count} orders are not paid. They become orders by invoice.",
            count,
        )
    else:
        message = counted(
            "By its status, {count} order is not paid. It is left out, unless “Orders that are "
            "not paid” is set to take it as an order by invoice.",
            "By their status, {count} orders are not paid. They are left out, unless “Orders that "
            "are not paid” is set to take them as orders by invoice.",
            count,
        )
    return [message]


class Follows:
    """What status follows from the data of an order. It knows the issues of the account."""

    def __init__(self, facts: AccountFacts) -> None:
        self._numbers = {issue.number for issue in facts.issues}
        self._taken_as_sent, self._today = facts.taken_as_sent, facts.today

    def differs(self, stated: SubscriptionStatus, order: Order) -> SubscriptionStatus | None:
        """The status that the order's subscription gets, if it is not the stated one.

        None for renewals: what follows depends on the earlier periods.
        """
        if order.renews is not None:
            return None
        follows = derive_status(
            order.status or SubscriptionStatus.ACTIVE,
            type=order.type,
            is_recurring=order.is_recurring,
            periods_complete=[self._is_complete(order)],
        )
        return follows if follows is not stated else None

    def _is_complete(self, order: Order) -> bool:
        if order.type is SubscriptionType.MEMBERSHIP:
            missing = unsent = 0
        else:
            covered = issues_covered(order.start_issue or 0, order.length or 0)
            missing = len([each for each in covered if each not in self._numbers])
            sent = {*order.sent, *self._taken_as_sent.intersection(covered)}
            unsent = len(covered) - missing - len(sent)
        return is_period_complete(
            period_end=order.period_end,
            day=self._today,
            missing_issues=missing,
            unsent_copies=unsent,
        )
