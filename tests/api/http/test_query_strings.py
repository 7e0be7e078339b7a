"""Query strings: unknown and invalid parameters are refused, never ignored."""

import pytest

from masthead.api.authentication import Access
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from masthead.model import ids
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import import_row, make_issue, make_subscription
from tests.support.walk import walk

GUARDED = [
    route for route in ROUTES if route.path.startswith("/v1/") and route.access is not Access.PUBLIC
]
LISTS = {
    "/v1/subscribers/": ("search", "email"),
    "/v1/subscriptions/": (
        "subscriber",
        "country",
        "source",
        "is_gift",
        "search",
        "status",
        "order_id",
        "email",
    ),
    "/v1/sources/": (),
    "/v1/issues/": (),
    "/v1/issues/{id}/copies/": ("status", "subscriber", "subscription", "country"),
    "/v1/copies/": ("status", "issue", "subscriber", "subscription", "country"),
}
PARAMETERS = [
    (path, name) for path, filters in LISTS.items() for name in ("cursor", "limit", *filters)
]
ID_FILTERS = [
    (path, name)
    for path, name in PARAMETERS
    if name in ("subscriber", "subscription", "source", "issue")
]
COUNTRY_FILTERS = [path for path, name in PARAMETERS if name == "country"]
STATUS_FILTERS = [path for path, name in PARAMETERS if name == "status" and "copies" in path]


async def at(cast: Cast, path: str) -> str:
    """The address of a list; for the copies of an issue, with a new issue."""
    if "{id}" not in path:
        return path
    issues = await walk(cast, "/v1/issues/")
    issue = issues[0] if issues else await make_issue(cast)
    return path.replace("{id}", issue["id"])


# --- unknown parameters ---------------------------------------------------------------------------


@for_each("route", GUARDED, ids=str)
async def test_the_error_for_an_unknown_parameter_names_it(acme: Cast, route: Route) -> None:
    path = route.path.replace("{id}", "1").replace("{copy_id}", "1")
    body: object = {} if route.method != "GET" else None
    response = await acme.client.request(
        route.method, path, key=acme.key, params={"colour": "red"}, json=body
    )
    assert "`colour`" in refused(response, "unknown_parameter")


@for_each("name", ["Limit", "limit ", " limit", "limits", "page", "%6Cimit%00"])
async def test_a_mistyped_parameter_is_refused(acme: Cast, name: str) -> None:
    response = await acme.get(f"/v1/issues/?{name.replace(' ', '%20')}=1")
    refused(response, "unknown_parameter")


async def test_an_empty_part_between_two_parameters_is_ignored(acme: Cast) -> None:
    assert (await acme.get("/v1/issues/?&limit=1&&")).status_code == 200


async def test_a_mistyped_filter_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme)
    message = refused(await acme.get("/v1/subscriptions/", contry="FR"), "unknown_parameter")
    assert "`contry`" in message
    assert "`country`" in message


async def test_a_parameter_of_another_list_is_unknown(acme: Cast) -> None:
    refused(await acme.get("/v1/issues/", status="Sent"), "unknown_parameter")
    refused(await acme.get("/v1/subscribers/", country="DE"), "unknown_parameter")
    refused(await acme.get("/v1/sources/", search="Shop"), "unknown_parameter")
    path = await at(acme, "/v1/issues/{id}/copies/")
    refused(await acme.get(path, issue="1"), "unknown_parameter")


async def test_a_body_is_not_read_as_query_parameters(acme: Cast) -> None:
    response = await acme.client.post("/v1/issues/?number=5", key=acme.key, json={"number": 6})
    refused(response, "unknown_parameter")
    assert await walk(acme, "/v1/issues/") == []


async def test_parameter_names_may_be_escaped(acme: Cast) -> None:
    assert (await acme.get("/v1/issues/?%6Cimit=1")).status_code == 200


# --- repeated, empty, padded ----------------------------------------------------------------------


@for_each("path, name", PARAMETERS)
async def test_a_repeated_parameter_is_refused(acme: Cast, path: str, name: str) -> None:
    value = {"limit": "5", "is_gift": "true", "status": "Sent"}.get(name, "x")
    address = f"{await at(acme, path)}?{name}={value}&{name}={value}"
    response = await acme.get(address)
    assert response.status_code == 400
    assert response.json()["code"] in ("validation_error", "invalid_cursor")
    assert f"`{name}`" in response.json()["message"]


@for_each(
    "path, name",
    [(path, name) for path, name in PARAMETERS if name in ("limit", "status", "is_gift")],
)
async def test_an_empty_or_padded_value_is_refused(acme: Cast, path: str, name: str) -> None:
    value = {"limit": "5", "is_gift": "true", "status": "Sent"}[name]
    for text in ("", "%20", f"%20{value}", f"{value}%20", f"{value}+", f"{value}%09"):
        response = await acme.get(f"{await at(acme, path)}?{name}={text}")
        assert f"`{name}`" in refused(response, "validation_error")


@for_each("path, name", ID_FILTERS)
async def test_an_empty_id_filter_is_refused(acme: Cast, path: str, name: str) -> None:
    response = await acme.get(await at(acme, path), **{name: ""})
    assert f"`{name}`" in refused(response, "validation_error")


async def test_a_parameter_without_equals_sign_is_empty(acme: Cast) -> None:
    refused(await acme.get("/v1/issues/?limit"), "validation_error")
    refused(await acme.get("/v1/subscriptions/?subscriber"), "validation_error")


@for_each("value", ["True", "FALSE", "1", "0", "yes", "on", "null", "t"])
async def test_is_gift_is_true_or_false(acme: Cast, value: str) -> None:
    message = refused(await acme.get("/v1/subscriptions/", is_gift=value), "validation_error")
    assert "`is_gift`" in message
    assert value in message
    assert "true" in message
    assert "false" in message


@for_each("value", ["sent", "SENT", "Not%20Sent", "Not_sent", "Active", "null"])
@for_each("path", STATUS_FILTERS)
async def test_status_is_one_of_three_words(acme: Cast, path: str, value: str) -> None:
    response = await acme.get(f"{await at(acme, path)}?status={value}")
    message = refused(response, "validation_error")
    assert "`status`" in message
    assert all(f"`{each}`" in message for each in ("Sent", "Cancelled", "Not sent"))


@pytest.mark.parametrize("path", STATUS_FILTERS)
@pytest.mark.parametrize("value", ["Not%20sent", "Not+sent"])
async def test_a_space_may_be_written_as_plus_or_escaped(acme: Cast, path: str, value: str) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    response = await acme.get(f"{path.replace('{id}', issue['id'])}?status={value}")
    assert len(response.json()["items"]) == 1


# --- characters -----------------------------------------------------------------------------------


@for_each("text", ["%00", "a%00b", "%FF", "%C3", "%ED%A0%80", "%F5%80%80%80"])
@for_each("path, name", PARAMETERS)
async def test_nul_and_invalid_utf_8_are_refused(
    acme: Cast, path: str, name: str, text: str
) -> None:
    response = await acme.get(f"{await at(acme, path)}?{name}={text}")
    assert response.status_code == 400
    assert response.json()["code"] in ("validation_error", "invalid_cursor")


@pytest.mark.parametrize("name", ["%FF", "%00", "%ED%A0%80", "limit%00"])
async def test_nul_and_invalid_utf_8_are_refused_in_parameter_names(acme: Cast, name: str) -> None:
    response = await acme.get(f"/v1/issues/?{name}=1")
    assert response.status_code == 400
    assert response.json()["code"] in ("validation_error", "unknown_parameter")


@pytest.mark.parametrize("path", ["/v1/subscribers/", "/v1/subscriptions/"])
async def test_search_has_at_most_255_characters(acme: Cast, path: str) -> None:
    for letter in ("x", "é", "🙂"):
        assert (await acme.get(path, search=letter * 255)).status_code == 200
        message = refused(await acme.get(path, search=letter * 256), "validation_error")
        assert "`search`" in message
        assert "255" in message


# --- filters without matches ----------------------------------------------------------------------


@pytest.mark.parametrize("path, name", ID_FILTERS)
async def test_a_filter_with_an_unknown_or_foreign_id_finds_nothing(
    acme: Cast, rival: Cast, path: str, name: str
) -> None:
    theirs = await make_issue(rival)
    foreign = await make_subscription(rival)
    await make_issue(acme)
    await make_subscription(acme)
    ids_of = {
        "subscriber": foreign["subscriber"]["id"],
        "subscription": foreign["id"],
        "source": rival.shop,
        "issue": theirs["id"],
    }
    for id in (ids_of[name], ids.new_id(acme.account_id), "NOSUCHID"):
        response = await acme.get(await at(acme, path), **{name: id})
        assert response.status_code == 200
        assert response.json() == {"items": [], "has_more": False, "cursor": None}


@pytest.mark.parametrize("path", COUNTRY_FILTERS)
async def test_an_unused_country_finds_nothing(acme: Cast, path: str) -> None:
    await make_issue(acme)
    await make_subscription(acme, country="DE")
    response = await acme.get(await at(acme, path), country="FR")
    assert response.status_code == 200
    assert response.json()["items"] == []


@for_each("path", COUNTRY_FILTERS)
@for_each("code", ["UK", "uk", " uk "])
async def test_a_country_filter_names_the_code_of_the_united_kingdom(
    acme: Cast, path: str, code: str
) -> None:
    response = await acme.get(await at(acme, path), country=code)
    message = refused(response, "validation_error")
    assert "`country` is `UK`" in message
    assert "`GB`" in message


@pytest.mark.parametrize("path", COUNTRY_FILTERS)
async def test_a_country_filter_ignores_case(acme: Cast, path: str) -> None:
    await make_issue(acme)
    await make_subscription(acme, country="DE")
    await make_subscription(acme, country="FR")
    address = await at(acme, path)
    small = (await acme.get(address, country="de")).json()["items"]
    capital = (await acme.get(address, country="DE")).json()["items"]
    assert small == capital
    assert len(small) == 1


async def test_a_source_without_subscriptions_finds_nothing(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, source=acme.shop)
    response = await acme.get("/v1/subscriptions/", source=acme.imported)
    assert response.json()["items"] == []


async def test_filters_can_be_combined(acme: Cast) -> None:
    await make_issue(acme)
    wanted = await make_subscription(acme, country="FR", source=acme.shop)
    await make_subscription(acme, country="DE", source=acme.shop)
    await import_row(acme, start_issue="1", length="1", country="FR")
    listed = await walk(acme, "/v1/subscriptions/", country="FR", source=acme.shop)
    assert listed == [wanted]


@pytest.mark.parametrize("name", ["subscriber", "country", "source"])
async def test_a_filter_of_spaces_counts_as_empty(acme: Cast, name: str) -> None:
    refused(await acme.get("/v1/subscriptions/", **{name: " "}), "validation_error")


async def test_the_length_of_a_search_excludes_surrounding_spaces(acme: Cast) -> None:
    answer = await acme.get("/v1/subscribers/", search=" " + "x" * 255)
    assert answer.status_code == 200
