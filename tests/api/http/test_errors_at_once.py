"""An error tells all that is wrong with a request: `errors`, each with its `field`."""

from typing import Any

import msgspec
from hypothesis import given, settings, strategies as st

from masthead.api.http.codec import decode_json_body, decode_query_string
from masthead.api.http.errors import error_response
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from masthead.model.errors import MAX_ERRORS, Invalid
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import require_first_told
from tests.support.rounds import rounds

ORDERS = "/v1/subscriptions/"
REPORTS = "/v1/delivery-reports/"
ORDER = {
    "source": "S",
    "start_issue": 1,
    "length": 4,
    "country": "DE",
    "order_id": "1",
    "order_date": "2026-01-05",
    "price": "42.00",
    "company": "Acme",
}
WRONG = {"start_issue": "9", "country": "Germany", "price": 42}
COMP = {"is_comp": True, "currency": "EUR", "discount_amount": "1.234", "company": "", "length": 0}
REPORTED = [{"kind": "lost", "date": "soon"}, 3, {"kind": "moved", "kye": "K"}]
SALE = {each: ORDER[each] for each in ("source", "country", "order_id", "order_date", "price")}
RENEWAL = {each: ORDER[each] for each in ("source", "order_id", "order_date")}
GIVER = {"gifter_id": "G", "gifter_email": "grace@example.test"}
PAID = {"transaction_id": "T", "payment_method": "card"}
PLACE = {"subscriptions": ["S"], "address1": "1 Mill Lane", "country": "GB"}
INVALID, UNKNOWN = "validation_error", "unknown_field"

# Requests, and the fields that are wrong
AT_ONCE: list[tuple[str, str, Any, str]] = [
    ("POST", ORDERS, {**ORDER, **WRONG}, "start_issue price country"),
    (
        "POST",
        ORDERS,
        {},
        "source start_issue length country order_id order_date price company",
    ),
    ("POST", ORDERS, {**ORDER, **COMP}, "length company discount_amount price"),
    ("POST", ORDERS, {**ORDER, "company": "", "price": "1.234"}, "company price"),
    (
        "POST",
        ORDERS,
        {**ORDER, "colour": 1, "email": "ada", "size": 2, "city": "x" * 256},
        "?colour email city ?size",
    ),
    (
        "PATCH",
        f"{ORDERS}1/",
        {"country": "ZZ", "city": None, "status": "x"},
        "?status country city",
    ),
    ("POST", f"{ORDERS}1/cancel/", {"mode": "pause", "when": "now"}, "?when mode"),
    (
        "POST",
        f"{ORDERS}1/renewals/",
        {"price": "x", "length": 0, "currency": "EURO"},
        "source order_id order_date length price currency",
    ),
    (
        "PATCH",
        "/v1/subscribers/1/",
        {"email": "ada", "with_subscriptions": 1},
        "with_subscriptions email",
    ),
    (
        "POST",
        "/v1/issues/",
        {"name": " ", "release_date_actual": "x"},
        "number release_date_actual",
    ),
    (
        "PATCH",
        "/v1/issues/1/",
        {"number": 2, "name": "", "newsstand_ean": 4},
        "?number newsstand_ean name",
    ),
    ("POST", "/v1/copies/mark-sent/", {"ids": [1, "2", 3, None], "date": 5}, "date ids[1] ids[3]"),
    (
        "POST",
        "/v1/dispatches/",
        {"countries": ["DE", "ZZ", "UK"], "sources": [], "only_replacements": 1},
        "issue sources only_replacements countries[1] countries[2]",
    ),
    (
        "POST",
        REPORTS,
        {"reports": REPORTED},
        "reports[0].kind reports[0].date reports[0].key reports[1] reports[2].address1 "
        "reports[2].key ?reports[2].kye",
    ),
    (
        "POST",
        REPORTS,
        {"reports": [{"kind": "shipped"}, {"kind": "moved", "key": "K", "address1": "Weg 1"}]},
        "reports[0].key reports[1].city",
    ),
    (
        "POST",
        REPORTS,
        {"reports": [{"kind": "shipped"}, {"kind": "lost", "key": "K"}]},
        "reports[0].key reports[1].kind",
    ),
    ("POST", "/v1/claims/", {"copy": 0, "notes": 1}, "copy reason notes"),
    ("POST", "/v1/claims/", {"reason": "lost"}, "reason copy"),
    ("POST", "/v1/claims/", {"reason": "other", "copy": 1, "key": "K"}, "copy"),
    (
        "POST",
        "/v1/orders/",
        {**SALE, "is_gift": True, "is_comp": True, "currency": "EUR", "discount_amount": "1.234"},
        "company start_issue length gifter_email gifter_first_name price discount_amount",
    ),
    (
        "POST",
        "/v1/orders/",
        {**SALE, **GIVER, "type": "membership", "due_days": 0, "city": 1},
        "city company interval_months gifter_id gifter_email due_days",
    ),
    (
        "POST",
        "/v1/orders/",
        {**SALE, "company": "A", "product": "X", "is_billed": True, **PAID},
        "transaction_id payment_method",
    ),
    (
        "POST",
        "/v1/orders/bulk/",
        {"orders": [{**SALE, "product": "X"}, {**SALE, "product": "X", "company": 1}]},
        "orders[0].company orders[1].company",
    ),
    (
        "POST",
        f"{ORDERS}1/renewals/",
        {**RENEWAL, **PAID, "currency": "JPY", "price": "1.5", "is_billed": True},
        "price transaction_id payment_method",
    ),
    (
        "POST",
        "/v1/address-changes/",
        {**PLACE, "last_issue": 3, "last_name": "King"},
        "first_issue city first_name",
    ),
    (
        "POST",
        "/v1/address-changes/",
        {**PLACE, "city": 5, "first_issue": 5, "last_issue": 3},
        "last_issue city",
    ),
    (
        "POST",
        "/v1/address-changes/",
        {**PLACE, "postcode": "1", "first_day": "2026-01-05", "last_issue": 3},
        "first_day",
    ),
    ("POST", "/v1/payments/", {"amount": "x"}, "amount payer"),
    (
        "GET",
        "/v1/copies/?limit=0&statsu=Sent&country=UK&status=lost",
        None,
        "?statsu country limit status",
    ),
    ("GET", "/v1/issues/1/why/?who=x", None, "?who subscriber"),
]


@for_each("method, path, body, fields", AT_ONCE)
async def test_all_that_is_wrong_is_told_at_once(
    acme: Cast, method: str, path: str, body: object, fields: str
) -> None:
    write = acme.post if method == "POST" else acme.patch
    response = await (acme.get(path) if method == "GET" else write(path, body))
    assert response.status_code == 400
    told = response.json()
    require_first_told(told)
    codes = {INVALID: "", UNKNOWN: "?", "unknown_parameter": "?"}
    found = [f"{codes[each['code']]}{each['field']}" for each in told["errors"]]
    assert sorted(found) == sorted(fields.split()), told
    for each in told["errors"]:
        assert each["field"].rpartition(".")[2].partition("[")[0] in each["message"]


def test_at_most_twenty_errors_are_told() -> None:
    for struct, body in (
        ("mark_copies_sent", {"ids": ["x"] * 9_999}),
        ("create_delivery_reports", {"reports": [{"kind": 1, "date": 2}] * 499}),
        ("create_subscription", {f"colour_{number}": 1 for number in range(999)}),
    ):
        route = next(each for each in ROUTES if each.name == struct)
        assert len(sent(route, msgspec.json.encode(body))["errors"]) == MAX_ERRORS


def sent(route: Route, raw: bytes) -> dict[str, Any]:
    """The error of a body; empty if it has none."""
    assert route.body is not None
    try:
        decode_json_body(raw, None, route.body)
    except Invalid as error:
        told: dict[str, Any] = msgspec.json.decode(error_response(error).body)
        return told
    return {}


NAMES = [
    *dict.fromkeys(name for each in ROUTES if each.body for name in each.body.__struct_fields__)
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9)
    | st.sampled_from(["DE", "2026-01-05", "42.00", "1.234", "EUR", "Print", "moved", "a@b.test"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=9), inner, max_size=6)
    ),
    max_leaves=12,
)
BODIES = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=9), VALUES, max_size=12)


@settings(max_examples=rounds(100), deadline=None)
@given(st.sampled_from([each for each in ROUTES if each.body is not None]), BODIES)
def test_any_body_is_decoded_or_refused_with_all_errors(route: Route, body: dict[str, Any]) -> None:
    told = sent(route, msgspec.json.encode(body))
    if told:
        require_first_told(told)
        fields = [each["field"] for each in told.get("errors", ())]
        assert len({each["message"] for each in told.get("errors", ())}) == len(fields)
        known = {*route.body.__struct_fields__, *body}  # type: ignore[union-attr]
        assert all(field in known or field.partition("[")[0] in known for field in fields)


@settings(max_examples=rounds(100), deadline=None)
@given(
    st.sampled_from(ROUTES),
    st.lists(
        st.tuples(
            st.sampled_from(["limit", "cursor", "status", "country", "email", "copy", "search"])
            | st.text(max_size=4),
            st.text(max_size=9) | st.sampled_from(["0", "UK", "true", "9" * 20]),
        ),
        max_size=6,
    ),
)
def test_any_query_is_decoded_or_refused_with_all_errors(
    route: Route, pairs: list[tuple[str, str]]
) -> None:
    query = "&".join(f"{name}={text}" for name, text in pairs).encode()
    try:
        decode_query_string(query, route.query)
    except Invalid as error:
        require_first_told(msgspec.json.decode(error_response(error).body))
