"""Where to send what a request does not take: advice by the name of a field or a parameter."""

from collections.abc import Mapping
from types import MappingProxyType

from masthead.model.types.postal_fields import ADDRESS_FIELDS

_CANCEL = "`POST /v1/subscriptions/{id}/cancel/`"
_RENEW = "`POST /v1/subscriptions/{id}/renewals/`"
_UPDATE = "`PATCH /v1/subscriptions/{id}/`"
_SUBSCRIBER = "`PATCH /v1/subscribers/{id}/`"

_ADDRESS = (*ADDRESS_FIELDS, "phone")
_PERIOD = (
    *("issue_list", "total_length", "interval_months", "period_start"),
    *("order_id", "order_date", "price", "currency", "discount_amount", "transaction_id"),
    "periods",
)


def _advice(*parts: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({name: text for part in parts for name, text in part.items()})


_ADDRESS_PARTS = dict.fromkeys(
    ("address", "shipping_address"),
    "Send the parts of the address as fields: `address1`, `city`, `postcode`, `country` and more.",
)
_ORDER = _advice(
    _ADDRESS_PARTS,
    dict.fromkeys(("issue", "issue_list"), "Send `start_issue`, a number, and `length`."),
    dict.fromkeys(
        ("status", "next_charge_date"),
        "masthead derives it from the order. To end a subscription or its renewals, use "
        f"{_CANCEL}.",
    ),
    dict.fromkeys(
        ("renews", "subscription"), f"To renew a subscription that exists, use {_RENEW}."
    ),
    {
        "name": "Send `first_name` and `last_name`, or `company`.",
        "start_date": "Send `start_issue`, the number of the first issue.",
    },
)
NEW_SUBSCRIPTION = _advice(
    _ORDER,
    dict.fromkeys(
        ("subscriber", "subscriber_id", "customer_id"),
        "Send the `email` of the subscriber: it finds the subscriber, or creates one.",
    ),
    dict.fromkeys(
        (
            *("copies", "quantity", "interval_months", "product", "type"),
            *("is_gift", "gifter", "gifter_email", "gifter_name"),
        ),
        "`POST /v1/orders/` takes gifts, memberships, products and several copies.",
    ),
)
NEW_ORDER = _advice(
    _ORDER,
    dict.fromkeys(
        ("subscriber", "customer_id"),
        "Send `subscriber_id`, or the `email` of the subscriber: it finds the subscriber, or "
        "creates one.",
    ),
    dict.fromkeys(
        ("gifter", "gifter_name", "giver"),
        "Send `gifter_email` and `gifter_first_name`, or the `gifter_id` of a subscriber.",
    ),
    {"quantity": "Send `copies`, the number of copies of each issue."},
)
ISSUE = _advice(
    {"release_date": "Send `release_date_actual`, a date, or `release_date_fuzzy`, a text."},
)
ISSUE_CHANGE = _advice(ISSUE, {"number": "The number of an issue cannot change here."})
SUBSCRIPTION = _advice(
    _ADDRESS_PARTS,
    dict.fromkeys(
        ("status", "is_recurring", "mode", "cancelled"),
        f"To end the subscription or its renewals, use {_CANCEL}.",
    ),
    dict.fromkeys(
        ("email", "full_name"),
        f"It belongs to the subscriber: use {_SUBSCRIBER}, with the id in `subscriber`.",
    ),
    dict.fromkeys(
        ("start_issue", "length", "medium"),
        "`POST /v1/subscriptions/{id}/terms/` corrects what was ordered.",
    ),
    {"refunded": "`POST /v1/subscriptions/{id}/refunds/` records a refund."},
    dict.fromkeys(_PERIOD, f"An order cannot change here; to add the next period, use {_RENEW}."),
    {
        "date_sent": "It belongs to a copy: use `POST /v1/copies/mark-sent/`.",
        "price": "`POST /v1/subscriptions/{id}/price/` changes what an order costs.",
        "subscriber": "`POST /v1/subscriptions/{id}/move/` gives it to another subscriber.",
    },
    {"name": "Send `first_name` and `last_name`, or `company`."},
)
SUBSCRIBER = _advice(
    dict.fromkeys(
        (*_ADDRESS, "address", "shipping_address", "notes"),
        f"It belongs to each subscription: use {_UPDATE}.",
    ),
    {"status": f"It belongs to a subscription: to end one, use {_CANCEL}."},
    dict.fromkeys(("name", "full_name"), "Send `first_name` and `last_name`, or `company`."),
)
MOVE = _advice(
    dict.fromkeys(
        ("subscriber_id", "customer_id", "to", "email"),
        "Send the id of who gets the subscription as `subscriber`.",
    ),
    dict.fromkeys((*_ADDRESS, "address"), f"To change the address, use {_UPDATE} after that."),
)
PRICE = _advice(
    dict.fromkeys(("amount", "total"), "Send `price`: what the whole order costs."),
    {"order": "Send the id of the order as `order_id`."},
    {"currency": "An order keeps its currency; leave it out."},
)
CANCEL = _advice(
    dict.fromkeys(
        ("status", "is_recurring"), "Send `mode`: `cancel` to end it, or `stop_renewals`."
    )
)
RENEWAL = _advice(
    dict.fromkeys(
        ("start_issue", "issue_list"),
        "A renewal begins after the last issue of the subscription; leave it out.",
    ),
    dict.fromkeys(
        (*_ADDRESS, "first_name", "last_name", "company", "notes"),
        f"A renewal does not change it; use {_UPDATE}.",
    ),
    {"email": f"A renewal does not change it; use {_SUBSCRIBER}."},
    {"status": f"To end the subscription or its renewals, use {_CANCEL}."},
)
COPIES = _advice(
    dict.fromkeys(
        ("issue", "issue_id"),
        "Send the `ids` of the copies; `GET /v1/copies/?issue=…` lists them. A whole issue is sent "
        "out by `POST /v1/dispatches/`.",
    ),
    {"status": "The copies become Sent; leave it out."},
)
CLAIM = _advice(
    dict.fromkeys(
        ("subscriber", "subscription", "issue", "subscriber_id", "subscription_id"),
        "A claim is about a `copy`; `GET /v1/copies/?subscriber=…&issue=…` has its id.",
    ),
    {"status": "To withdraw a claim, use `POST /v1/claims/{id}/close/`."},
)
DISPATCH = _advice(
    dict.fromkeys(
        ("date", "date_sent", "status"),
        "A run is marked as sent by `POST /v1/dispatches/{id}/mark-sent/`.",
    ),
    dict.fromkeys(("number", "issue_number"), "Send the id of the issue as `issue`."),
)
REPORTS = _advice(
    dict.fromkeys(
        ("key", "copy", "kind", "date", "reason", *_ADDRESS),
        'It belongs to one report; send a list of reports: `{"reports": [{…}]}`.',
    )
)
_SINCE = ("since", "updated_since", "updated_after", "modified_since", "changed_since")
EVENTS = _advice(
    dict.fromkeys(
        (*_SINCE, "after", "number"),
        "The list begins with the oldest event; go on with the `cursor` of the last response.",
    )
)
LISTS = _advice(
    dict.fromkeys(
        _SINCE,
        "`updated_since` finds subscriptions, subscribers and issues; `GET /v1/events/` lists what "
        "changed.",
    ),
    dict.fromkeys(
        ("page", "offset", "skip", "starting_after", "after"),
        "To get the next page, pass the `cursor` of the previous one.",
    ),
    dict.fromkeys(
        ("sort", "sort_by", "order", "order_by", "ordering"),
        "A list has one order; sort what you have read.",
    ),
    dict.fromkeys(("per_page", "page_size", "count", "size"), "Use `limit`, up to 200."),
    {
        "order_id": "`GET /v1/subscriptions/?order_id=…` finds the subscription of an order.",
        "email": "`GET /v1/subscribers/?email=…` finds the subscriber with an email address.",
        "number": "`GET /v1/issues/` lists the issues, each with its `number` and its id.",
    },
)
# What other programs call a field or a parameter, which a request may have or not
SYNONYMS = _advice(
    dict.fromkeys(("street", "street1", "address_1", "address_line_1", "line1"), "address1"),
    dict.fromkeys(("street2", "address_2", "address_line_2", "line2"), "address2"),
    dict.fromkeys(("zip", "zip_code", "zipcode", "postal_code", "plz"), "postcode"),
    dict.fromkeys(("town", "ort"), "city"),
    dict.fromkeys(("province", "region", "county"), "state"),
    dict.fromkeys(("tel", "telephone", "mobile"), "phone"),
    dict.fromkeys(("organisation", "organization", "business_name"), "company"),
    dict.fromkeys(("given_name", "vorname"), "first_name"),
    dict.fromkeys(("family_name", "nachname"), "last_name"),
    dict.fromkeys(("comment", "comments", "remarks"), "notes"),
    dict.fromkeys(("amount", "total", "total_price"), "price"),
    dict.fromkeys(("coupon", "coupon_code", "voucher", "discount_code"), "promo_code"),
    dict.fromkeys(("order_number", "order_no", "external_id"), "order_id"),
    dict.fromkeys(("date", "ordered_at", "created_at"), "order_date"),
    dict.fromkeys(("events", "topics"), "types"),
    dict.fromkeys(("q", "query", "term"), "search"),
)
COPY_LIST = _advice(
    LISTS,
    dict.fromkeys(
        _SINCE,
        "`updated_since` finds the subscriptions that changed; `GET /v1/copies/?subscription=…` "
        "lists the copies of one. `GET /v1/events/` lists which copies were sent.",
    ),
)
FOUND_BY = MappingProxyType(
    {
        "change of address": "`GET …/address-changes/?subscription=…` finds those of a "
        "subscription.",
        "claim": "`GET …/claims/?copy=…` finds the claims of a copy.",
        "copy": "`GET …/copies/?subscription=…` finds the copies of a subscription.",
        "delivery report": "`GET …/delivery-reports/?subscription=…` finds those of a "
        "subscription.",
        "dispatch run": "`GET …/dispatches/?issue=…` finds the runs of an issue.",
        "invoice": "`GET …/invoices/?number=…` finds one by its number.",
        "issue": "`GET …/issues/` lists the issues, each with its `number` and its id.",
        "payment": "`GET …/payments/?payer=…` finds the payments of a payer.",
        "product": "`GET …/products/` lists the products.",
        "subscriber": "`GET …/subscribers/?email=…` finds one by an email address.",
        "subscription": "`GET …/subscriptions/?order_id=…` finds one by an order id.",
        "webhook": "`GET …/webhooks/` lists the webhooks.",
    }
)
"""How to find a record by another key, by its noun; each unknown id gets the same message."""
_STAFF_CREATE = "Staff create {} on the pages."
# What to do in place of a method, by itself and the path
OTHER_METHODS = _advice(
    {
        "POST /v1/subscribers/": "The first order of a subscriber creates them: "
        "`POST /v1/orders/`.",
        "POST /v1/products/": _STAFF_CREATE.format("products"),
        "POST /v1/sources/": _STAFF_CREATE.format("sources"),
        "DELETE /v1/subscriptions/{id}/": f"To end a subscription, use {_CANCEL}.",
        "DELETE /v1/subscribers/{id}/": "The API deletes no subscribers; staff can erase them on "
        "the pages.",
        "DELETE /v1/issues/{id}/": "The API deletes no issues; staff can delete them on the pages.",
        "DELETE /v1/webhooks/{id}/": "To delete a webhook, use `POST /v1/webhooks/{id}/delete/`.",
    },
)
# The request that gets a program out of an error whose message, which pages show too, names none
_WAYS_OUT = _advice(
    dict.fromkeys(
        ("address_planned", "address_change_overlaps"),
        "`GET …/address-changes/?subscription=…` lists the changes, and "
        "`POST …/address-changes/{id}/cancel/` cancels one.",
    ),
    dict.fromkeys(("claim_held", "copy_in_run"), "`POST …/dispatches/{id}/discard/` discards it."),
    {
        "already_marked": "`POST …/dispatches/{id}/undo/` undoes it.",
        "cancelled": "`POST …/subscriptions/{id}/reopen/` reopens it.",
        "claim_exists": "`POST …/claims/{id}/close/` withdraws it.",
        "costs_more": "Send `invoice_action` as `replace`.",
        "duplicate_order_id": "If it is the same order, it was placed before.",
        "is_on_invoice": "Send `invoice_action`: `replace`, or `credit` if the order costs less.",
        "no_address": "`PATCH …/subscribers/{id}/` adds it.",
        "paid_back": "`POST …/payments/{id}/undo/` undoes it.",
        "temporary_address_planned": "Send `temporary_addresses`: `keep` or `cancel`.",
        "too_many_webhooks": "`POST …/webhooks/{id}/delete/` deletes it.",
        "unknown_invoice": "`GET …/invoices/` lists the invoices, each with its `number`.",
        "unknown_product": FOUND_BY["product"],
        "unknown_release_dates": "`PATCH …/issues/{id}/` sets `release_date_actual`.",
        "webhook_disabled": '`PATCH …/webhooks/{id}/` enables it: `{"status": "enabled"}`.',
    },
)


def with_way_out(message: str, code: str) -> str:
    """A message for programs: with the request that comes next, if there is one for its code."""
    return f"{message} {_WAYS_OUT.get(code, '')}".rstrip()
