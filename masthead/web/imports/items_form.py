"""The products of a file, and what each of them is in the account."""

import re
from collections.abc import Mapping
from itertools import takewhile

from msgspec import Struct, structs
from starlette.datastructures import FormData

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.mapping import ImportMapping, ItemOffer
from masthead.model.imports.rows.rules import Lookup
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.model.types.text import casefold, is_digits

LEAVE_OUT = "leave"
MAX_ISSUES = 999
MAX_ITEMS = 200  # of a file, as in its survey

# What the name of a product says
_ISSUES = re.compile(r"\b([1-9]\d?)[\s-]*(?:issues?|ausgaben?|hefte?|numéros?)\b", re.IGNORECASE)
_MONTHS = re.compile(r"\b([1-9]\d?)[\s-]*(?:months?|monate?|mois)\b", re.IGNORECASE)
_DIGITAL = re.compile(r"\b(?:digital|pdf|e-?paper|online)", re.IGNORECASE)
_PRINT = re.compile(r"\b(?:print|paper edition|druck)", re.IGNORECASE)


class ItemRow(Struct, frozen=True):
    """A product of the file, and what it is in the account. chosen: an id of ours, or KEEP."""

    name: str
    count: int
    chosen: str
    length: str
    months: str
    medium: str


def item_rows(
    items: Mapping[str, int], mapping: ImportMapping, products: Mapping[str, str]
) -> list[ItemRow]:
    """The products of the file, with the offers of the mapping. products: names by id."""
    offers = Lookup(mapping.products) if mapping.products else None
    ids = {casefold(name): id for id, name in products.items()}
    rows = []
    for name, count in items.items():
        offer = _find_offer(offers, name) if offers else _proposed_offer(name, ids)
        chosen = ids.get(casefold(offer.product), offer.product)
        rows.append(
            ItemRow(
                name=name,
                count=count,
                chosen=LEAVE_OUT if offer.leave_out else chosen,
                length=str(offer.length or ""),
                months=str(offer.interval_months or ""),
                medium=offer.medium,
            )
        )
    return rows


def _find_offer(offers: Lookup, name: str) -> ItemOffer:
    """What the mapping says about an item, which may be by a pattern; if nothing, leave it out."""
    found = offers.find(name)
    return found if isinstance(found, ItemOffer) else ItemOffer(leave_out=True)


def _proposed_offer(name: str, ids: Mapping[str, str]) -> ItemOffer:
    """What an item is likely to be, before anything is decided. ids: of products, by name."""
    product = ids.get(casefold(name), "")
    issues, months = _ISSUES.search(name), _MONTHS.search(name)
    return ItemOffer(
        product=product,
        medium=Medium.DIGITAL.value if _DIGITAL.search(name) and not _PRINT.search(name) else "",
        length=int(issues[1]) if issues and not product else None,
        interval_months=int(months[1]) if months and not issues and not product else None,
    )


def read_offers(fields: FormData, mapping: ImportMapping) -> ImportMapping:
    """The mapping with what was chosen for the products of the file. Raises: Invalid."""
    named = (fields.get(f"item-{place}") for place in range(MAX_ITEMS))
    names = [str(name) for name in takewhile(lambda name: name is not None, named)]
    if not names:
        return mapping
    offers, known = {}, Lookup(mapping.products)
    for place, name in enumerate(names):
        chosen = str(fields.get(f"offer-{place}", ""))
        offers[name] = ItemOffer(
            product="" if chosen == LEAVE_OUT else chosen,
            medium=str(fields.get(f"medium-{place}", "")),
            length=_read_number(str(fields.get(f"length-{place}", "")), name),
            interval_months=_read_number(str(fields.get(f"months-{place}", "")), name),
            source=_find_offer(known, name).source,  # which the form does not show
            leave_out=chosen == LEAVE_OUT,
        )
    others = {
        name: offer
        for name, offer in mapping.products.items()
        if casefold(name) not in {casefold(each) for each in names}
    }
    is_plain = not others and all(offer == ItemOffer() for offer in offers.values())
    return structs.replace(mapping, products={} if is_plain else {**others, **offers})


def _read_number(text: str, item: str) -> int | None:
    """A number of issues or months; None if it is empty. Raises: Invalid."""
    text = text.strip()
    if not text:
        return None
    if not is_digits(text, at_most=3) or not int(text):
        raise Invalid(
            _(
                "“{text}” at “{item}” is no number of issues or months. Type a number from 1 to "
                "{most}."
            ).format(text=excerpt(text), item=excerpt(item), most=MAX_ISSUES)
        )
    return int(text)
