"""The read model: every change of the data of a subscription is visible immediately."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import pytest

from masthead.model.ids import LAST_ID
from masthead.services.background import read_model as service
from masthead.services.background.daily import run_daily_pass
from masthead.services.background.read_model import refresh_read_model
from masthead.services.sources import rename_source
from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from masthead.store.read_model import subscription_json
from tests.conftest import BY, Cast
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.read_model import list_outdated, render_all, render_subscription

PATH = "/v1/subscriptions/"


@dataclass
class Desk:
    """An account with issues 1 and 2 and every kind of subscription, with all JSON stored."""

    cast: Cast
    issues: list[dict[str, Any]]
    subscriptions: dict[str, str]  # ids by kind

    async def patch(self, kind: str, **fields: object) -> None:
        await self.cast.patch(f"{PATH}{self.subscriptions[kind]}/", fields)

    async def cancel(self, kind: str, mode: str) -> None:
        answer = await self.cast.post(f"{PATH}{self.subscriptions[kind]}/cancel/", {"mode": mode})
        assert answer.status_code == 200

    async def send(self, kind: str, *which: int) -> None:
        """Mark some of a subscription's copies as sent."""
        copies = await copies_of(self.cast, self.subscriptions[kind])
        await self.cast.post(
            "/v1/copies/mark-sent/", {"ids": [copies[number]["id"] for number in which]}
        )

    async def change_issue(self, number: int, **fields: object) -> None:
        id = self.issues[number - 1]["id"]
        assert (await self.cast.patch(f"/v1/issues/{id}/", fields)).status_code == 200

    async def renew(self, order_id: str, **columns: str) -> None:
        await import_row(self.cast, renews=order_id, **columns)

    async def rename(self, source: str, name: str = "Kiosk") -> None:
        await rename_source(self.cast.db, self.cast.account_id, source, name=name, by=BY)

    async def pass_day(self, day: date) -> None:
        assert await run_daily_pass(self.cast.db, self.cast.account_id, day, by=BY)

    async def documents(self) -> dict[str, bytes]:
        """The response of the API for each, by kind."""
        return {
            kind: (await self.cast.get(f"{PATH}{id}/")).content
            for kind, id in self.subscriptions.items()
        }


@pytest.fixture
async def desk(acme: Cast) -> Desk:
    """Three kinds of active subscription, and one that has ended."""
    issues = await make_issues(acme, 1, 2)
    made = {
        "short": await make_subscription(acme, order_id="S-1", length=2),
        "recurring": await make_subscription(acme, order_id="R-1", length=2, is_recurring=True),
        "late": await make_subscription(acme, order_id="L-1", start_issue=2, length=3),
        "member": await make_membership(acme, order_id="M-1", is_recurring="yes"),
        "ended": await make_subscription(acme, order_id="E-1", length=3),
    }
    desk = Desk(acme, issues, {kind: each["id"] for kind, each in made.items()})
    await desk.cancel("ended", "cancel")
    await render_all(acme)
    return desk


# each change, and the kinds of subscriptions that show it
CHANGES: dict[str, tuple[Callable[[Desk], Awaitable[None]], set[str]]] = {
    "notes": (lambda desk: desk.patch("short", notes="moved away"), {"short"}),
    "country": (lambda desk: desk.patch("late", country="FR"), {"late"}),
    "name of an ended one": (lambda desk: desk.patch("ended", first_name="Grace"), {"ended"}),
    "cancel": (lambda desk: desk.cancel("member", "cancel"), {"member"}),
    "stop renewals": (lambda desk: desk.cancel("recurring", "stop_renewals"), {"recurring"}),
    "last copy sent": (lambda desk: desk.send("short", 0, 1), {"short"}),
    "period complete": (lambda desk: desk.send("recurring", 0, 1), {"recurring"}),
    "issue renamed": (
        lambda desk: desk.change_issue(1, name="Spring"),
        {"short", "recurring", "ended"},
    ),
    "next charge": (
        lambda desk: _issue_then(desk, lambda: desk.change_issue(3, recurring_charge_date=DAY)),
        {"recurring"},
    ),
    "next charge of a new issue": (
        lambda desk: _make_issue(desk, 3, recurring_charge_date=DAY),
        {"recurring", "ended"},  # and issue 3 completes the subscriptions that have ended
    ),
    "issue that completes what was ended": (lambda desk: _make_issue(desk, 3), {"ended"}),
    "issue in a membership's time": (
        lambda desk: _make_issue(desk, 9, release_date_actual="2099-02-01"),
        {"member"},
    ),
    "issue dated": (
        lambda desk: desk.change_issue(2, release_date_actual="2099-02-01"),
        {"member"},
    ),
    "source renamed": (
        lambda desk: desk.rename(desk.cast.shop),
        {"short", "recurring", "late", "ended"},
    ),
    "source of a renewal renamed": (
        lambda desk: _renew_then(desk, lambda: desk.rename(desk.cast.imported)),
        {"recurring", "member"},
    ),
    "renewal": (lambda desk: desk.renew("R-1", length="2"), {"recurring"}),
    "membership renewed": (lambda desk: desk.renew("M-1"), {"member"}),
    "membership over": (lambda desk: desk.pass_day(date(2100, 1, 1)), {"member"}),
}
NO_CHANGES: dict[str, Callable[[Desk], Awaitable[None]]] = {
    "nothing patched": lambda desk: desk.patch("short"),
    "the same again": lambda desk: desk.patch("short", country="DE"),
    "cancelled again": lambda desk: desk.cancel("ended", "cancel"),
    "one of several copies sent": lambda desk: desk.send("short", 0),
    "issue without a date": lambda desk: _make_issue(desk, 9),
    "issue dated elsewhere": lambda desk: desk.change_issue(2, release_date_actual="2020-02-01"),
    "source called the same": lambda desk: desk.rename(desk.cast.shop, "Shop"),
    "source without subscriptions renamed": lambda desk: desk.rename(desk.cast.checkout),
    "another day": lambda desk: desk.pass_day(date(2098, 1, 1)),
}
DAY = "2026-12-01"


async def _make_issue(desk: Desk, number: int, **fields: object) -> None:
    await make_issue(desk.cast, number, **fields)


async def _issue_then(desk: Desk, act: Callable[[], Awaitable[None]]) -> None:
    """Create issue 3, update the read model, then change the issue."""
    desk.issues.append(await make_issue(desk.cast, 3))
    await render_all(desk.cast)
    await act()


async def _renew_then(desk: Desk, act: Callable[[], Awaitable[None]]) -> None:
    """Renew a subscription of another source, update the read model, then act."""
    await desk.renew("R-1", length="2")
    await render_all(desk.cast)
    await act()


@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_is_visible_immediately(desk: Desk, change: str) -> None:
    act, kinds = CHANGES[change]
    before = await desk.documents()
    await act(desk)
    after = await desk.documents()
    changed = {kind for kind in after if after[kind] != before[kind]}
    assert kinds - changed <= {"ended"}
    for kind, id in desk.subscriptions.items():
        assert after[kind] == await render_subscription(desk.cast, id), kind
    listed = (await desk.cast.get(PATH)).content
    assert listed.startswith(b'{"items":[' + b",".join([*after.values()][::-1]) + b"],")
    await render_all(desk.cast)
    assert await desk.documents() == after
    assert (await desk.cast.get(PATH)).content == listed


@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_outdates_only_the_stored_json_that_shows_it(
    desk: Desk, change: str
) -> None:
    act, kinds = CHANGES[change]
    await act(desk)
    by_id = {id: kind for kind, id in desk.subscriptions.items()}
    assert {by_id[id] for id in await list_outdated(desk.cast)} == kinds


@pytest.mark.parametrize("change", NO_CHANGES)
async def test_a_change_that_no_stored_json_shows_outdates_nothing(desk: Desk, change: str) -> None:
    await NO_CHANGES[change](desk)
    assert await list_outdated(desk.cast) == []


async def test_a_new_subscription_is_visible_before_its_json_is_stored(desk: Desk) -> None:
    created = await make_subscription(desk.cast)
    assert await list_outdated(desk.cast) == [created["id"]]
    assert (await desk.cast.get(PATH, limit=1)).json()["items"] == [created]
    assert (await desk.cast.get(f"{PATH}{created['id']}/")).json() == created
    await render_all(desk.cast)
    assert await list_outdated(desk.cast) == []
    assert (await desk.cast.get(PATH, limit=1)).json()["items"] == [created]


async def test_an_account_is_listed_until_all_its_json_is_stored(desk: Desk, rival: Cast) -> None:
    async def behind() -> set[int]:
        async with desk.cast.db.read() as connection:
            everyone = await subscription_json.list_outdated_accounts(connection)
        return {desk.cast.account_id, rival.account_id} & set(everyone)

    assert await behind() == set()
    await make_issue(rival)
    await make_subscription(rival)
    await desk.patch("short", notes="called")
    assert await behind() == {desk.cast.account_id, rival.account_id}
    await render_all(desk.cast)
    assert await behind() == {rival.account_id}


async def test_an_update_of_the_read_model_continues_where_it_stopped(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "BATCH", 2)
    monkeypatch.setattr(service, "SLICE", 1)
    await desk.cast.db.write(lambda tx: _outdate_all(tx, desk), account_id=desk.cast.account_id)
    ids = sorted(desk.subscriptions.values(), reverse=True)
    at = LAST_ID
    for left in (ids[2:], ids[4:], []):
        at = await refresh_read_model(desk.cast.db, desk.cast.account_id, at) or ""
        assert await list_outdated(desk.cast) == left
    assert at == ids[-1]
    assert await refresh_read_model(desk.cast.db, desk.cast.account_id, at) is None


async def _outdate_all(tx: Transaction, desk: Desk) -> None:
    await accounts.lock_account(tx, desk.cast.account_id)
    await subscription_json.mark_outdated(
        tx, desk.cast.account_id, list(desk.subscriptions.values())
    )


async def test_older_json_never_replaces_newer_json(desk: Desk) -> None:
    """Two concurrent calls of render_all, of which the slower one has older data."""
    id, account_id = desk.subscriptions["short"], desk.cast.account_id
    old = await render_subscription(desk.cast, id)
    async with desk.cast.db.read() as connection:
        revision = await accounts.get_write_count(connection, account_id)
    await desk.patch("short", notes="called")
    await render_all(desk.cast)

    async def work(tx: Transaction) -> None:
        await subscription_json.write_json(tx, account_id, {id: old}, revision=revision)

    await desk.cast.db.write(work)
    assert (await desk.cast.get(f"{PATH}{id}/")).json()["notes"] == "called"
    assert await list_outdated(desk.cast) == []


async def test_json_that_becomes_outdated_while_it_is_rendered_stays_outdated(desk: Desk) -> None:
    id, account_id = desk.subscriptions["short"], desk.cast.account_id
    await desk.patch("short", notes="called")
    async with desk.cast.db.read() as connection:
        revision = await accounts.get_write_count(connection, account_id)
    seen = await render_subscription(desk.cast, id)
    await desk.patch("short", notes="called again")

    async def work(tx: Transaction) -> None:
        await subscription_json.write_json(tx, account_id, {id: seen}, revision=revision)

    await desk.cast.db.write(work)
    assert (await desk.cast.get(f"{PATH}{id}/")).json()["notes"] == "called again"
    assert await list_outdated(desk.cast) == [id]


async def test_json_of_an_older_masthead_is_rendered_again(desk: Desk) -> None:
    id, account_id = desk.subscriptions["short"], desk.cast.account_id
    before, listed = await desk.documents(), (await desk.cast.get(PATH)).content

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await tx.execute(
            """
            UPDATE subscription_document
            SET document = :lacking, revision = revision + 1
            WHERE account_id = :account_id AND id = :id
            """,
            {"account_id": account_id, "id": id, "lacking": b"{}"},
        )

    await desk.cast.db.write(work, account_id=account_id)
    assert await list_outdated(desk.cast) == [id]
    async with desk.cast.db.read() as connection:
        assert account_id in await subscription_json.list_outdated_accounts(connection)
    for _ in ("before", "after it is stored"):
        assert await desk.documents() == before
        assert (await desk.cast.get(PATH)).content == listed
        await render_all(desk.cast)
    assert await list_outdated(desk.cast) == []


async def test_a_line_break_in_a_field_does_not_end_the_json(desk: Desk) -> None:
    await desk.patch("short", notes="one\ntwo\r\n\u2028three")
    await render_all(desk.cast)
    shown = {each["id"]: each for each in (await desk.cast.get(PATH)).json()["items"]}
    assert len(shown) == len(desk.subscriptions)
    assert shown[desk.subscriptions["short"]]["notes"] == "one\ntwo\n\nthree"


@pytest.mark.parametrize("params", [{}, {"limit": 2}, {"limit": 5}], ids=str)
async def test_a_list_is_the_same_while_another_subscription_is_outdated(
    desk: Desk, params: dict[str, int]
) -> None:
    pages = await _walk_pages(desk.cast, params)
    assert len(pages) == {2: 3}.get(params.get("limit", 50), 1)
    for id in desk.subscriptions.values():
        await desk.cast.db.write(partial(_outdate, account_id=desk.cast.account_id, id=id))
        assert await _walk_pages(desk.cast, params) == pages
        await render_all(desk.cast)


async def _outdate(tx: Transaction, *, account_id: int, id: str) -> None:
    await subscription_json.mark_outdated(tx, account_id, [id])


async def _walk_pages(cast: Cast, params: dict[str, int]) -> list[bytes]:
    """The bytes of each page of the list."""
    pages, cursor = [], dict[str, str]()
    while True:
        response = await cast.get(PATH, **params, **cursor)
        pages.append(response.content)
        if not response.json()["has_more"]:
            return pages
        cursor = {"cursor": response.json()["cursor"]}
