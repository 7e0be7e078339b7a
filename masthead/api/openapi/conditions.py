"""What the fields of a body require of each other, in JSON Schema.

Programs that check a body understand these keywords; generated clients ignore them. A blank text in
an optional field counts as absent, so a field has a text only if something of it can be seen.

Each rule lists what a body may be. Schemathesis multiplies the lists of a body to make requests,
and gives up at some hundred cases: orders have no rule for the decimals of their amounts.
"""

from masthead.model.resources import Document
from masthead.model.types.clean_text import UNSEEN, VISIBLE
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.money import CURRENCIES, NOTHING

TEXT: Document = {"type": "string", "pattern": VISIBLE}
STRING: Document = {"type": "string"}
NUMBER: Document = {"type": "integer"}
NULL: Document = {"type": "null"}
# Texts that count as absent, and null, which no pattern is for
BLANK: Document = {"pattern": f"^[{UNSEEN}]*$"}
TRUE: Document = {"const": True}
NOT_TRUE: Document = {"enum": [False, None]}
NONE: Document = {"not": {}}  # no value at all


def any_of(*bodies: Document) -> Document:
    """That a body is at least one of these; as `anyOf`, it would be part of the generated types."""
    return {"if": {"anyOf": [*bodies]}, "else": NONE}


def has(optional: Document | None = None, **required: Document) -> Document:
    """A body with fields of these values. optional: values of fields that may be missing.

    Other fields may have any value; without saying so, Redocly allows none.
    """
    schema: Document = {"properties": required | (optional or {}), "additionalProperties": True}
    return schema | {"required": [*required]} if required else schema


NAME = any_of(has(first_name=TEXT), has(company=TEXT))
PLACE = any_of(has(city=TEXT), has(postcode=TEXT))
COMP_IS_FREE = any_of(has({"is_comp": NOT_TRUE}), has(price={"pattern": NOTHING}))
# A product may say how many; a missing type is `subscription`
LENGTH = any_of(
    has(product=TEXT),
    has(
        {"type": {"enum": [SubscriptionType.SUBSCRIPTION, None]}}, start_issue=NUMBER, length=NUMBER
    ),
    has(type={"const": SubscriptionType.MEMBERSHIP}, interval_months=NUMBER),
)
GIVER = any_of(
    has(
        {"is_gift": NOT_TRUE}
        | {f"gifter_{each}": BLANK for each in "id email first_name last_name company".split()}
    ),
    has(is_gift=TRUE, gifter_id=TEXT),
    has(is_gift=TRUE, gifter_email=STRING, gifter_first_name=TEXT),
    has(is_gift=TRUE, gifter_email=STRING, gifter_company=TEXT),
)
COPY_OR_KEY = any_of(has(copy=NUMBER), has(key=TEXT))
ONE_OF_COPY_AND_KEY = any_of(has({"key": BLANK}, copy=NUMBER), has({"copy": NULL}, key=TEXT))
MOVED = any_of(
    has({"kind": {"not": {"const": "moved"}}}),
    has(address1=TEXT, city=TEXT),
    has(address1=TEXT, postcode=TEXT),
)
LAST_ISSUE = any_of(has({"last_issue": NULL}), has(first_issue=NUMBER))
NEW_NAME = any_of(has({"last_name": BLANK}), has(first_name=TEXT), has(company=TEXT))
# A change that does not name a field keeps it
NAME_IS_KEPT = any_of(
    has({"first_name": NONE}), has({"company": NONE}), has(first_name=TEXT), has(company=TEXT)
)


def _amounts() -> Document:
    """The decimals of each currency; without one, it is that of the account."""
    by_decimals: dict[int, list[str | None]] = {}
    for code, decimals in sorted(CURRENCIES.items()):
        by_decimals.setdefault(decimals, []).append(code)
    by_decimals[max(by_decimals)].append(None)
    return any_of(
        *(
            has({"currency": {"enum": codes}, "price": amount, "discount_amount": amount})
            for decimals, codes in sorted(by_decimals.items())
            for amount in [{"pattern": _pattern(decimals)}]
        )
    )


def _pattern(decimals: int) -> str:
    return rf"^[0-9]+(\.[0-9]{{1,{decimals}}})?$" if decimals else "^[0-9]+$"


AMOUNTS = _amounts()
CONDITIONS: dict[str, list[Document]] = {
    "SubscriptionCreate": [NAME, COMP_IS_FREE, AMOUNTS],
    "SubscriptionUpdate": [NAME_IS_KEPT],
    "RenewalCreate": [AMOUNTS],
    "OrderCreate": [NAME, COMP_IS_FREE, LENGTH, GIVER],
    "AddressChangeCreate": [PLACE, NEW_NAME, LAST_ISSUE],
    "ClaimCreate": [ONE_OF_COPY_AND_KEY],
    "DeliveryReportCreate": [COPY_OR_KEY, MOVED],
}
