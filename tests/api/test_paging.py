"""Pagination of all lists: order, limits, cursors, and concurrent writes."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote

import pytest

from masthead.api.routes import ROUTES
from masthead.model.types.enums import SourceType
from masthead.services import sources
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast, Client, make_account
from tests.support.billing import bill, turn_on_billing
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import (
    copies_of,
    made,
    make_claim,
    make_dispatch,
    make_issue,
    make_issues,
    make_subscription,
)
from tests.support.walk import page_of, walk

ISSUE_COPIES = "/v1/issues/{id}/copies/"
ISSUE_ADDRESSES = "/v1/issues/{id}/addresses/"
DISPATCH_LINES = "/v1/dispatches/{id}/lines/"
OF_ISSUES = (ISSUE_COPIES, ISSUE_ADDRESSES)
LISTS = (
    "/v1/subscribers/",
    "/v1/subscriptions/",
    "/v1/sources/",
    "/v1/issues/",
    ISSUE_COPIES,
    ISSUE_ADDRESSES,
    "/v1/copies/",
    "/v1/dispatches/",
    DISPATCH_LINES,
    "/v1/claims/",
    "/v1/delivery-reports/",
    "/v1/invoices/",
    "/v1/payments/",
)
TESTED_ELSEWHERE = {
    "/v1/events/",  # oldest first
    "/v1/products/",  # an account has few of these
    "/v1/webhooks/",
    "/v1/webhooks/{id}/deliveries/",
    "/v1/address-changes/",
    "/v1/sandbox/emails/",
    "/v1/subscriptions/{id}/refunds/",  # has no pages
}
CROWD = 51  # one more than the default limit

each_list = for_each("path", LISTS)


class Crowd:
    """An account with more than a page of everything. Tests only read it; writers create others."""

    def __init__(self, cast: Cast, first_issue: str, run: str) -> None:
        self.cast = cast
        self.first_issue = first_issue
        self.run = run

    def at(self, path: str) -> str:
        """The address of a list."""
        return path.replace("{id}", self.first_issue if path in OF_ISSUES else self.run)


def id_of(item: Mapping[str, Any]) -> Any:
    """The id of an item; an address has that of its copy."""
    return item["id"] if "id" in item else item["copy_id"]


async def make_runs(cast: Cast, issue_id: str, count: int) -> str:
    """Freeze runs of an issue, and discard all but the last; returns the id of that."""
    for _ in range(count - 1):
        run = await make_dispatch(cast, issue_id)
        await cast.post(f"/v1/dispatches/{run['id']}/discard/")
    return str((await make_dispatch(cast, issue_id))["id"])


async def make_claims(cast: Cast, issue_id: str) -> None:
    """Mark the copies of an issue as sent, and claim each of them."""
    copies = await walk(cast, "/v1/copies/", limit=200, issue=issue_id)
    await cast.post("/v1/copies/mark-sent/", {"ids": [copy["id"] for copy in copies]})
    for copy in copies:
        made(await cast.post("/v1/claims/", {"copy": copy["id"], "reason": "never_arrived"}))


async def make_reports(cast: Cast, issue_id: str) -> None:
    """Report that the subscribers of an issue moved."""
    copies = await walk(cast, "/v1/copies/", limit=200, issue=issue_id)
    address = {"address1": "Neuer Weg 7", "city": "Bonn"}
    reports = [{"copy": copy["id"], "kind": "moved", **address} for copy in copies]
    made(await cast.post("/v1/delivery-reports/", {"reports": reports}))


async def bill_and_pay(cast: Cast, **fields: object) -> None:
    """A subscription that is billed, and a payment of a part of the invoice."""
    (ordered,) = (await bill(cast, **fields)).subscriptions
    paid = {"amount": "10", "payer": ordered.subscriber.id}
    made(await cast.post("/v1/payments/", paid))


async def make_source(cast: Cast, name: str) -> str:
    """The id of a new source."""
    source = await sources.create_source(
        cast.db, cast.account_id, name=name, type=SourceType.SHOP, by=BY
    )
    return source.id


@pytest.fixture(scope="module")
async def crowd(client: Client, db: Database) -> Crowd:
    """51 issues, 51 subscribers with a subscription of 4 issues each, 204 copies, 51 sources.

    There are 51 runs of issue 2, of which the last one is not discarded, and 51 claims of issue 3,
    whose subscribers moved. Each subscription has an invoice, of which a part is paid.
    """
    cast = await make_account(client, db, "Crowd")
    issues = await make_issues(cast, 1, CROWD)
    await turn_on_billing(cast, has_issue=True)
    for number in range(CROWD):
        await bill_and_pay(cast, email=f"subscriber{number}@example.test")
    for number in range(CROWD - 4):
        await make_source(cast, f"Shop {number}")
    await make_claims(cast, issues[2]["id"])
    await make_reports(cast, issues[2]["id"])
    return Crowd(cast, issues[0]["id"], await make_runs(cast, issues[1]["id"], CROWD))


def test_the_tested_lists_are_all_lists_of_the_route_table() -> None:
    listing = {route.path for route in ROUTES if route.name.startswith("list_")}
    assert listing == {*LISTS, *TESTED_ELSEWHERE}


# --- walking --------------------------------------------------------------------------------------


@each_list
async def test_paging_with_limits_1_2_3_and_200_returns_the_same_items_in_the_same_order(
    crowd: Crowd, path: str
) -> None:
    walks = [await walk(crowd.cast, crowd.at(path), limit=limit) for limit in (1, 2, 3, 200)]
    assert len(walks[0]) == (4 * CROWD if path == "/v1/copies/" else CROWD)
    assert len({id_of(item) for item in walks[0]}) == len(walks[0])
    assert walks[0] == walks[1] == walks[2] == walks[3]


@each_list
async def test_lists_are_sorted_newest_first_issues_by_number_and_lines_as_in_files(
    crowd: Crowd, path: str
) -> None:
    items = await walk(crowd.cast, crowd.at(path), limit=200)
    keys = [item["number"] if path == "/v1/issues/" else id_of(item) for item in items]
    assert keys == sorted(keys, reverse=path != DISPATCH_LINES)


@each_list
async def test_the_default_limit_is_50(crowd: Crowd, path: str) -> None:
    page = page_of(await crowd.cast.get(crowd.at(path)))
    assert len(page["items"]) == 50
    assert page["has_more"] is True
    assert isinstance(page["cursor"], str)
    assert page == page_of(await crowd.cast.get(crowd.at(path), limit=50))


@each_list
async def test_on_the_last_page_has_more_is_false_and_cursor_is_null(
    crowd: Crowd, path: str
) -> None:
    total = len(await walk(crowd.cast, crowd.at(path), limit=200))
    first = page_of(await crowd.cast.get(crowd.at(path), limit=total // 3))
    middle = page_of(await crowd.cast.get(crowd.at(path), limit=total // 3, cursor=first["cursor"]))
    last = page_of(await crowd.cast.get(crowd.at(path), limit=total // 3, cursor=middle["cursor"]))
    assert [page["has_more"] for page in (first, middle, last)] == [True, True, False]
    assert last["cursor"] is None
    assert len(last["items"]) == total // 3


@pytest.mark.parametrize(
    "path",
    # there are always sources, and lines in a run
    [path for path in LISTS if path not in ("/v1/sources/", DISPATCH_LINES)],
)
async def test_an_empty_list_returns_an_empty_page(acme: Cast, path: str) -> None:
    if path in OF_ISSUES:
        path = path.replace("{id}", (await make_issue(acme))["id"])
    page = page_of(await acme.get(path))
    assert page == {"items": [], "has_more": False, "cursor": None}


@each_list
async def test_the_limit_may_change_from_page_to_page(crowd: Crowd, path: str) -> None:
    whole = await walk(crowd.cast, crowd.at(path), limit=200)
    first = page_of(await crowd.cast.get(crowd.at(path), limit=7))
    second = page_of(await crowd.cast.get(crowd.at(path), limit=30, cursor=first["cursor"]))
    assert first["items"] + second["items"] == whole[:37]


@each_list
async def test_a_cursor_gives_the_same_page_again(crowd: Crowd, path: str) -> None:
    first = page_of(await crowd.cast.get(crowd.at(path), limit=20))
    second = await crowd.cast.get(crowd.at(path), limit=20, cursor=first["cursor"])
    again = await crowd.cast.get(crowd.at(path), limit=20, cursor=first["cursor"])
    assert page_of(second) == page_of(again)


# --- limits ---------------------------------------------------------------------------------------


@each_list
async def test_limits_from_1_to_200_are_accepted(crowd: Crowd, path: str) -> None:
    for limit in (1, 49, 200):
        page = page_of(await crowd.cast.get(crowd.at(path), limit=limit))
        assert len(page["items"]) == min(limit, 4 * CROWD if path == "/v1/copies/" else CROWD)


BAD_LIMITS = ("0", "201", "-1", "500", "", " 5", "5 ", "abc", "1.0", "1e1", "٥", "+5", "0x5")
HUGE_LIMITS = ("9" * 19, "9" * 20, "9" * 5000)


@for_each("limit", [*BAD_LIMITS, *HUGE_LIMITS], ids=lambda limit: repr(limit)[:9])
@each_list
async def test_any_other_limit_is_refused_and_never_clamped(
    crowd: Crowd, path: str, limit: str
) -> None:
    message = refused(await crowd.cast.get(crowd.at(path), limit=limit), "validation_error")
    assert "`limit`" in message
    assert "1 to 200" in message


async def test_the_error_for_a_limit_names_the_value_and_the_maximum(crowd: Crowd) -> None:
    message = refused(await crowd.cast.get("/v1/issues/", limit=500), "validation_error")
    assert "500" in message
    assert "`cursor`" in message


# --- cursors --------------------------------------------------------------------------------------


async def cursor_of(cast: Cast, path: str, **filters: object) -> str:
    """The cursor after the first item of a list."""
    cursor = page_of(await cast.get(path, limit=1, **filters))["cursor"]
    assert isinstance(cursor, str)
    return cursor


@pytest.mark.parametrize("path", LISTS)
async def test_a_cursor_is_only_valid_for_its_account(
    crowd: Crowd, acme: Cast, rival: Cast, path: str
) -> None:
    for cast in (acme, rival):
        await make_issues(cast, 1, 2)
        await make_subscription(cast)
        await make_subscription(cast)
    mine, theirs = path, path
    if path in OF_ISSUES:
        mine, theirs = [
            path.replace("{id}", (await walk(cast, "/v1/issues/"))[0]["id"])
            for cast in (acme, rival)
        ]
    elif "dispatches" in path:
        ids = [
            await make_runs(cast, (await walk(cast, "/v1/issues/"))[0]["id"], 2)
            for cast in (acme, rival)
        ]
        mine, theirs = [path.replace("{id}", id) for id in ids]
    elif path == "/v1/claims/":
        for cast in (acme, rival):
            await make_claims(cast, (await walk(cast, "/v1/issues/"))[1]["id"])
    elif path == "/v1/delivery-reports/":
        for cast in (acme, rival):
            await make_reports(cast, (await walk(cast, "/v1/issues/"))[1]["id"])
    elif path in ("/v1/invoices/", "/v1/payments/"):
        for cast in (acme, rival):
            await turn_on_billing(cast, has_issue=True)
            await bill_and_pay(cast)
            await bill_and_pay(cast)
    cursor = await cursor_of(acme, mine)
    refused(await rival.get(theirs, cursor=cursor), "invalid_cursor")
    assert (await acme.get(mine, cursor=cursor)).status_code == 200


@each_list
async def test_a_cursor_is_only_valid_for_its_list(crowd: Crowd, path: str) -> None:
    cursor = await cursor_of(crowd.cast, crowd.at(path))
    second_issue = (await walk(crowd.cast, "/v1/issues/"))[-2]["id"]
    others = [crowd.at(other) for other in LISTS if other != path]
    if path in OF_ISSUES:
        others.append(path.replace("{id}", second_issue))
    if path == DISPATCH_LINES:
        others.append(path.replace("{id}", (await walk(crowd.cast, "/v1/dispatches/"))[1]["id"]))
    for other in others:
        refused(await crowd.cast.get(other, cursor=cursor), "invalid_cursor")


FILTERS: dict[str, dict[str, tuple[str, str]]] = {
    "/v1/subscribers/": {
        "search": ("subscriber", "example"),
        "updated_since": ("1970-01-01", "1971-01-01"),
    },
    "/v1/subscriptions/": {
        "status": ("Active", "Active,Complete"),
        "type": ("subscription", "membership"),
        "updated_since": ("1970-01-01", "1971-01-01"),
        "search": ("subscriber", "example"),
        "country": ("DE", "FR"),
        "is_gift": ("false", "true"),
        "subscriber": ("ID1", "ID2"),
        "source": ("ID1", "ID2"),
    },
    ISSUE_COPIES: {
        "status": ("Not sent", "Sent"),
        "country": ("DE", "FR"),
        "subscriber": ("ID1", "ID2"),
        "subscription": ("ID1", "ID2"),
    },
    "/v1/copies/": {
        "status": ("Not sent", "Sent"),
        "country": ("DE", "FR"),
        "issue": ("ID1", "ID2"),
        "subscriber": ("ID1", "ID2"),
        "subscription": ("ID1", "ID2"),
    },
    ISSUE_ADDRESSES: {"country": ("DE", "FR"), "medium": ("Print", "Digital")},
    "/v1/dispatches/": {"issue": ("ID1", "ID2"), "status": ("discarded", "frozen")},
    DISPATCH_LINES: {
        "country": ("DE", "FR"),
        "medium": ("Print", "Digital"),
        "status": ("held", "left"),
    },
    "/v1/claims/": {
        "status": ("open", "closed"),
        "reason": ("never_arrived", "other"),
        "issue": ("ID1", "ID2"),
        "subscriber": ("ID1", "ID2"),
        "subscription": ("ID1", "ID2"),
        "country": ("DE", "FR"),
        "copy": ("1", "2"),
    },
    "/v1/delivery-reports/": {
        "kind": ("moved", "undeliverable"),
        "status": ("open", "dismissed"),
        "subscriber": ("ID1", "ID2"),
        "subscription": ("ID1", "ID2"),
    },
    "/v1/invoices/": {
        "kind": ("invoice", "credit_note"),
        "status": ("open", "settled"),
        "payer": ("ID1", "ID2"),
        "subscription": ("ID1", "ID2"),
        "number": ("1", "2"),
    },
    "/v1/payments/": {"payer": ("ID1", "ID2"), "invoice": ("ID1", "ID2")},
}
FILTERED = [(path, name) for path, filters in FILTERS.items() for name in filters]


@for_each("path, name", FILTERED)
async def test_a_cursor_of_the_unfiltered_list_is_not_valid_with_a_filter(
    crowd: Crowd, path: str, name: str
) -> None:
    cursor = await cursor_of(crowd.cast, crowd.at(path))
    for value in FILTERS[path][name]:
        response = await crowd.cast.get(crowd.at(path), cursor=cursor, **{name: value})
        refused(response, "invalid_cursor")


@for_each(
    "path, name",
    [  # a filter with an unknown id has no second page
        (path, name)
        for path, name in FILTERED
        if FILTERS[path][name] not in (("1", "2"), ("ID1", "ID2"))
    ],
)
async def test_a_cursor_is_only_valid_with_its_filter(crowd: Crowd, path: str, name: str) -> None:
    value, other = FILTERS[path][name]
    cursor = await cursor_of(crowd.cast, crowd.at(path), **{name: value})
    for filters in ({}, {name: other}, {name: value, "country": "FR"}):
        if "country" in filters and "country" not in FILTERS[path]:
            continue
        refused(await crowd.cast.get(crowd.at(path), cursor=cursor, **filters), "invalid_cursor")
    assert page_of(await crowd.cast.get(crowd.at(path), cursor=cursor, **{name: value}))["items"]


@each_list
async def test_a_cursor_with_any_altered_character_is_refused(crowd: Crowd, path: str) -> None:
    cursor = await cursor_of(crowd.cast, crowd.at(path))
    for place, letter in enumerate(cursor):
        other = "B" if letter == "A" else "A"
        for altered in (
            cursor[:place] + other + cursor[place + 1 :],
            cursor[:place] + cursor[place + 1 :],
            cursor[:place] + other + cursor[place:],
        ):
            refused(await crowd.cast.get(crowd.at(path), cursor=altered), "invalid_cursor")


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=."


@each_list
async def test_a_cursor_can_be_written_in_only_one_way(crowd: Crowd, path: str) -> None:
    cursor = await cursor_of(crowd.cast, crowd.at(path))
    spellings = [cursor[:-1] + letter for letter in ALPHABET if letter != cursor[-1]]
    spellings += [cursor + "=", cursor + "==", cursor + ".", cursor[:4] + "\n" + cursor[4:]]
    for spelling in spellings:
        refused(await crowd.cast.get(crowd.at(path), cursor=spelling), "invalid_cursor")


@for_each("cursor", ["", " ", "x", "AAAA", "é", "=", "null", "A" * 5000, "🙂"])
@each_list
async def test_a_text_that_is_not_a_cursor_is_refused(crowd: Crowd, path: str, cursor: str) -> None:
    refused(await crowd.cast.get(crowd.at(path), cursor=cursor), "invalid_cursor")


@each_list
async def test_a_cursor_with_surrounding_spaces_is_refused(crowd: Crowd, path: str) -> None:
    cursor = await cursor_of(crowd.cast, crowd.at(path))
    for padded in (f" {cursor}", f"{cursor} "):
        refused(await crowd.cast.get(crowd.at(path), cursor=padded), "invalid_cursor")


async def test_the_error_for_an_invalid_cursor_says_what_to_do(crowd: Crowd) -> None:
    message = refused(await crowd.cast.get("/v1/issues/", cursor="AAAA"), "invalid_cursor")
    assert "`cursor`" in message
    assert "first page" in message


@each_list
async def test_a_cursor_needs_no_escaping(crowd: Crowd, path: str) -> None:
    cursor = await cursor_of(crowd.cast, crowd.at(path))
    assert quote(cursor, safe="") == cursor


# --- paging while rows are written ----------------------------------------------------------------

Write = Callable[[Cast, int], Awaitable[object]]


async def write_everywhere(cast: Cast, turn: int) -> None:
    """New rows in every list, before and after the existing ones, and changes to old ones."""
    await make_issue(cast, number=100 + turn)
    issue = await make_issue(cast, number=10 + turn)
    subscription = await make_subscription(cast, start_issue=1, length=30, country="FR")
    await make_claim(cast, subscription)
    await make_dispatch(cast, issue["id"])
    await make_source(cast, f"Shop {turn}")
    await bill_and_pay(cast, length=1)
    newest = (await cast.get("/v1/subscriptions/", limit=2)).json()["items"][-1]
    await cast.patch(f"/v1/subscriptions/{newest['id']}/", {"city": f"City {turn}"})
    oldest = (await walk(cast, "/v1/subscriptions/", limit=200))[-1]
    await cast.patch(f"/v1/subscriptions/{oldest['id']}/", {"city": f"City {turn}"})
    copies = await copies_of(cast, oldest["id"])
    await cast.post("/v1/copies/mark-sent/", {"ids": [copies[turn % len(copies)]["id"]]})
    await cast.post(f"/v1/subscriptions/{newest['id']}/cancel/", {"mode": "cancel"})


async def walk_while_writing(
    cast: Cast, path: str, write: Write, *, limit: int, params: Mapping[str, object]
) -> list[dict[str, Any]]:
    """All pages of a list, with writes between them."""
    page = page_of(await cast.get(path, limit=limit, **params))
    items: list[dict[str, Any]] = page["items"]
    turn = 0
    while page["has_more"]:
        await write(cast, turn)
        turn += 1
        page = page_of(await cast.get(path, limit=limit, cursor=page["cursor"], **params))
        items += page["items"]
    assert turn > 1, "a walk without writes in between shows nothing"
    return items


@pytest.fixture
async def few(acme: Cast) -> Crowd:
    """An account with six of everything, for tests that write."""
    issues = await make_issues(acme, 1, 6)
    await turn_on_billing(acme, has_issue=True)
    for number in range(6):
        await bill_and_pay(acme, length=2, email=f"subscriber{number}@example.test")
    await make_source(acme, "Fair")
    await make_source(acme, "Kiosk")
    await make_claims(acme, issues[0]["id"])
    await make_reports(acme, issues[0]["id"])
    return Crowd(acme, issues[0]["id"], await make_runs(acme, issues[1]["id"], 6))


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize(
    "path",
    [path for path in LISTS if path != ISSUE_ADDRESSES],  # sent copies leave it
)
async def test_paging_returns_each_existing_item_once_while_rows_are_written(
    few: Crowd, path: str, limit: int
) -> None:
    cast, at = few.cast, few.at(path)
    before = [id_of(item) for item in await walk(cast, at, limit=200)]
    seen = [
        id_of(item)
        for item in await walk_while_writing(cast, at, write_everywhere, limit=limit, params={})
    ]
    assert len(seen) == len(set(seen))
    assert [id for id in seen if id in set(before)] == before


@pytest.mark.parametrize(
    "path, params",
    [
        ("/v1/subscribers/", {"search": "subscriber"}),
        ("/v1/subscriptions/", {"country": "DE"}),
        ("/v1/subscriptions/", {"is_gift": "false"}),
        ("/v1/subscriptions/", {"search": "subscriber example"}),
        (ISSUE_COPIES, {"country": "DE"}),
        ("/v1/copies/", {"country": "DE"}),
        ("/v1/dispatches/", {"status": "discarded"}),
        (DISPATCH_LINES, {"country": "DE"}),
        ("/v1/claims/", {"status": "open", "country": "DE"}),
        ("/v1/delivery-reports/", {"kind": "moved"}),
        ("/v1/invoices/", {"status": "open"}),
    ],
)
async def test_paging_with_a_filter_returns_each_item_once_while_rows_are_written(
    few: Crowd, path: str, params: dict[str, object]
) -> None:
    cast, at = few.cast, few.at(path)
    before = [item["id"] for item in await walk(cast, at, limit=200, **params)]
    seen = [
        item["id"]
        for item in await walk_while_writing(cast, at, write_everywhere, limit=1, params=params)
    ]
    assert len(seen) == len(set(seen))
    assert [id for id in seen if id in set(before)] == before


async def test_items_that_still_match_are_returned_once_when_others_stop_matching(
    few: Crowd,
) -> None:
    cast = few.cast
    unsent = {"status": "Not sent"}
    before = [copy["id"] for copy in await walk(cast, "/v1/copies/", limit=200, **unsent)]
    marked: set[int] = set()

    async def mark_one_before_and_one_behind(cast: Cast, turn: int) -> None:
        ids = [before[turn], before[-1 - turn]]
        marked.update(ids)
        await cast.post("/v1/copies/mark-sent/", {"ids": ids})

    seen = [
        copy["id"]
        for copy in await walk_while_writing(
            cast, "/v1/copies/", mark_one_before_and_one_behind, limit=2, params=unsent
        )
    ]
    assert len(seen) == len(set(seen))
    assert [id for id in seen if id not in marked] == [id for id in before if id not in marked]
