"""Assembles the fields of an order from the values of a row, helpers included."""

from collections.abc import Collection, Mapping
from typing import Any

from masthead.model.errors import Invalid
from masthead.model.imports.issue_dates import StartIssues
from masthead.model.imports.made_order_ids import make_order_id
from masthead.model.imports.mapping import ADD_ZEROS, ASK, ImportMapping
from masthead.model.imports.plan import AccountFacts
from masthead.model.imports.rows.last_issue import ISSUE_FIELDS, fill_issues
from masthead.model.imports.rows.payers import (
    PLACE,
    bill,
    drop_payer,
    drop_shared_email,
    find_payer,
    name_of,
    names_payer,
    person_of,
)
from masthead.model.imports.rows.periods import HELPERS, fill_period
from masthead.model.imports.targets import ADDRESS_BLOCK, NAMES
from masthead.model.imports.values.person_names import split_name
from masthead.model.imports.values.postcodes import has_lost_zero, restore_zeros
from masthead.model.imports.values.texts import read_medium
from masthead.model.orders.entry_checks import list_missing_address
from masthead.model.subscribers.corrections import FORMS_OF_ADDRESS
from masthead.model.translations import gettext as _, ngettext
from masthead.model.types.countries import UNKNOWN_COUNTRY
from masthead.model.types.email_addresses import written_key
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.types.streets import HOUSE_NUMBER
from masthead.model.types.text import fold, fold_letters

Given = dict[str, Any]

_PERIOD_FIELDS = ("interval_months", "period_start", "period_end")
_IMPLY_RECURRING = (SubscriptionStatus.PAST_DUE, SubscriptionStatus.RENEWALS_STOPPED)
# What makes the id of an order without one: who ordered what and when, but not where they live
_IDENTITY = "order_date start_issue start_date length period_start period_end price product".split()
_IDENTITY += ["transaction_id", "renews"]
MAX_MADE_ID = 64


class Assembly:
    """Assembles rows of one table.

    targets: the fields that the mapping fills. is_own: whether the columns are those of masthead,
    in which nothing is made from other fields.
    """

    def __init__(
        self, mapping: ImportMapping, facts: AccountFacts, targets: Collection[str], *, is_own: bool
    ) -> None:
        self._mapping, self._facts, self._is_own = mapping, facts, is_own
        self._issues = StartIssues(facts.issues, mapping.start_issue_rule)
        self._has_full_name = "full_name" in targets
        self._has_payer_name = not {"payer_name", "payer_company"}.isdisjoint(targets)
        self._has_billing = any(
            name.startswith("billing_") for name in targets if name not in HELPERS
        )
        self._finds_gifts = mapping.gifts in ("by_name", ASK)  # the answer that is proposed
        without = mapping.medium_without_address
        self._medium_without_address = read_medium("medium", without) if without else None

    def assemble(self, given: Given) -> list[Invalid]:
        """Complete the fields of a row; returns what cannot be."""
        _join_salutation(given)
        refusals = self._complete(given)
        if self._mapping.postcodes == ADD_ZEROS:
            _add_zeros(given)
        return refusals

    def _complete(self, given: Given) -> list[Invalid]:
        if self._is_own:
            _split_street(given)
            self._fill_country(given)
            return []
        if not given.get("is_billed"):
            drop_payer(given)
        drop_shared_email(given)
        if self._has_billing:
            self._take_billing(given)
        elif given.get("is_billed"):
            find_payer(given, {}, has_name=self._has_payer_name)
        if self._has_full_name:
            self._split("full_name", given)
        _split_street(given)
        if self._medium_without_address and not ("address1" in given and "country" in given):
            given.setdefault("medium", self._medium_without_address)
        self._fill_country(given)
        return self._fill_coverage(given)

    def _take_billing(self, given: Given) -> None:
        """Take the billing address as a whole if there is no shipping address; see gifts."""
        billing = {
            name: value
            for name in (*NAMES, *ADDRESS_BLOCK, "phone")
            if (value := given.pop(f"billing_{name}", None)) is not None
        }
        has_name = any(name in given for name in NAMES)
        is_found = has_name and self._finds_gifts and self._find_gift(given, billing)
        if has_name and given.get("is_billed") and not is_found:
            find_payer(given, billing, has_name=self._has_payer_name)
        if not any(name in given for name in PLACE):
            for name in ADDRESS_BLOCK:
                given.pop(name, None)
            given.update({name: billing[name] for name in ADDRESS_BLOCK if name in billing})
        if not has_name:
            given.update({name: billing[name] for name in NAMES if name in billing})
        if "phone" in billing:
            given.setdefault("phone", billing["phone"])

    def _find_gift(self, given: Given, billing: Mapping[str, Any]) -> bool:
        """If the names differ, the order is a gift of the buyer, who owns the email address.

        A company that is billed pays, and gives nothing. Returns whether it is a gift.
        """
        is_billed = given.get("is_billed")
        buyer = person_of(billing) if is_billed else name_of(billing)
        if not buyer or fold(buyer) == fold(name_of(given)):
            return False
        own = given.get("payer_email")
        if is_billed and self._mapping.gifts == ASK and not (own or "email" in given):
            return False  # a gift needs the email address of its giver
        given.setdefault("is_gift", True)
        given.setdefault("gifter_name", buyer)
        if own:
            given.setdefault("gifter_email", own)
        elif "email" in given:
            given.setdefault("gifter_email", given.pop("email"))
        if is_billed and not names_payer(given):
            bill(given, billing, ADDRESS_FIELDS)
            if own:
                given["payer_name"] = buyer
        return True

    def _split(self, target: str, given: Given) -> None:
        """A name in one column, unless there are columns for its parts."""
        name = given.pop(target, None)
        if name and "first_name" not in given and "last_name" not in given:
            first, last = split_name(name)
            given.update(
                {key: value for key, value in (("first_name", first), ("last_name", last)) if value}
            )

    def _fill_country(self, given: Given) -> None:
        if given.get("medium") is Medium.DIGITAL and "country" not in given:
            given["country"] = self._facts.country or UNKNOWN_COUNTRY

    def _fill_coverage(self, given: Given) -> list[Invalid]:
        """Decide between issues and months, and fill what follows from dates."""
        fill_period(given, today=self._facts.today)
        start_date = given.pop("start_date", None)
        type = given.get("type")
        if type is None:
            is_counted = not given.keys().isdisjoint(ISSUE_FIELDS)
            is_timed = any(name in given for name in _PERIOD_FIELDS) and not is_counted
            type = SubscriptionType.MEMBERSHIP if is_timed else SubscriptionType.SUBSCRIPTION
            given["type"] = type
        if type is SubscriptionType.MEMBERSHIP:
            for name in ISSUE_FIELDS:
                given.pop(name, None)
            return []
        day = start_date or given.get("period_start") or given.get("order_date")
        for name in (*_PERIOD_FIELDS, "billed_days"):
            given.pop(name, None)
        try:
            fill_issues(given, day, self._issues.find)
        except Invalid as refusal:
            return [refusal]
        return []

    def apply_status(self, given: Given, *, is_stated: bool) -> None:
        """Make the fields fit a status of a shop: what renews, and when it was cancelled."""
        if self._is_own:
            return
        status = given.get("status")
        if status in _IMPLY_RECURRING:
            given.setdefault("is_recurring", True)
        if "cancelled_date" in given:
            if not is_stated:
                given["status"] = SubscriptionStatus.CANCELLED
            elif status is SubscriptionStatus.ACTIVE and given.get("is_recurring"):
                given["status"] = SubscriptionStatus.RENEWALS_STOPPED  # paid until the period ends
                del given["cancelled_date"]
            elif status is not SubscriptionStatus.CANCELLED:
                del given["cancelled_date"]

    def made_order_id(self, given: Given, product: str, own: str) -> str:
        """The order id of a row without one; the same whenever the row is imported.

        product: the text of its product. own: the texts of the columns in `order_id_from`.
        """
        if own:
            return make_order_id(own) if "@" in own or len(own) > MAX_MADE_ID else own
        email = given.get("email") or given.get("gifter_email")
        parts = [
            written_key(email) if email else "",
            fold_letters(name_of(given)),
            fold_letters(product),
        ]
        parts += [str(given.get(name, "")) for name in _IDENTITY]
        return make_order_id(chr(31).join(parts))


def _join_salutation(given: Given) -> None:
    """The salutation and the title, each of which may be in the column of the other."""
    salutation, title = (given.pop(name, None) or (None, None) for name in FORMS_OF_ADDRESS)
    for name, found in (
        ("salutation", salutation[0] or title[0]),
        ("title", " ".join(filter(None, (salutation[1], title[1])))),
    ):
        if found:
            given[name] = found


def _add_zeros(given: Given) -> None:
    """Add the lost zeros to the postcodes of the address and of the payer."""
    for prefix in ("", "payer_"):
        lost = given.get(f"{prefix}postcode")
        whole = restore_zeros(lost, given.get(f"{prefix}country"))
        if whole:
            given[f"{prefix}postcode"] = whole
            given["lost_zeros"] = [*given.get("lost_zeros", ()), (lost, whole)]


def _split_street(given: Given) -> None:
    """A street of several lines, which no label has room for: the other lines are `address2`.

    A house number in a line of its own, before or after its street, stays in the first line.
    """
    if "\n" not in given.get("address1", ""):
        return
    lines = list(filter(None, map(str.strip, given["address1"].splitlines())))
    if len(lines) > 1 and _is_number_apart(lines[0], lines[1]):
        lines[:2] = [f"{lines[0]} {lines[1]}"]
    given["address1"], *others = lines
    if others:
        given["address2"] = ", ".join(filter(None, [*others, given.get("address2", "")]))


def _is_number_apart(first: str, second: str) -> bool:
    """Whether one of two lines is the house number of the other, which has no digit."""
    pairs = ((first, second), (second, first))
    return any(
        HOUSE_NUMBER.fullmatch(number) and not any(map(str.isdigit, street))
        for number, street in pairs
    )


def warnings_of(given: Mapping[str, Any], columns: Collection[str]) -> list[str]:
    """What may be wrong with a row that can be imported. columns: the fields that the file has."""
    found = []
    postcode, is_print = given.get("postcode", ""), given.get("medium") is not Medium.DIGITAL
    if has_lost_zero(postcode, given.get("country")):
        message = _("Postcode `{postcode}` is too short; a spreadsheet may have lost a zero.")
        found.append(message.format(postcode=postcode))
    for lost, whole in given.get("lost_zeros", ()):
        message = _("Postcode `{lost}` has lost a zero; it is imported as `{whole}`.")
        found.append(message.format(lost=lost, whole=whole))
    if "billed_days" in given:
        found.append(_describe_billing(given["billed_days"], given["interval_months"]))
    if is_print and "renews" not in given and "address1" not in given:
        found.append(_("There is no street, so copies cannot be posted."))
    elif is_print and "renews" not in given:
        found += [str(each) for each in list_missing_address(given) if each.field in columns]
    return found


def _describe_billing(days: int, months: int) -> str:
    """What becomes of an interval that is not a number of months."""
    message = ngettext(
        "It is billed every day. Intervals are kept in months, so this one becomes {months}; the "
        "price and the paid days stay as they are in the file.",
        "It is billed every {days} days. Intervals are kept in months, so this one becomes "
        "{months}; the price and the paid days stay as they are in the file.",
        days,
    )
    length = ngettext("{months} month", "{months} months", months).format(months=months)
    return message.format(days=days, months=length)
