"""Addresses for some issues within a change for good: both are kept, joined and cancelled."""

import random
from dataclasses import dataclass
from typing import Any

import pytest

from masthead.model.addresses.changes import NewAddress, TemporaryAddresses
from masthead.model.errors import Invalid
from masthead.services.addresses.changes import cancel_changes
from masthead.services.addresses.groups import list_groups
from masthead.store.addresses.in_force import PARTS, is_on_hold, join_change
from masthead.store.dispatch import lines
from tests.conftest import BY, Cast
from tests.services.privacy.test_everything import everything_of
from tests.support.addresses import EARLIER, HOME, LATER, move
from tests.support.checks import faults
from tests.support.dispatches import hold_address
from tests.support.factories import copies_of, make_dispatch, make_issue, make_subscription

OWN = "Weg 1"
ALL = 9  # issues of the subscription


def at(street: str) -> NewAddress:
    return NewAddress(address1=street, city="Graz", postcode="8010", country="AT")


@pytest.fixture
async def ada(acme: Cast) -> dict[str, Any]:
    """A subscription for nine issues; issue 1 is out."""
    await make_issue(acme, 1, release_date_actual=EARLIER)
    return await make_subscription(acme, length=ALL, **HOME)


async def streets(cast: Cast, subscription: dict[str, Any]) -> list[str]:
    """Where each issue goes, as mailings ask."""
    found = []
    for number in range(1, ALL + 1):
        rows = await cast.db.fetch_all(
            f"""
            SELECT {PARTS["address1"]} AS street
            FROM subscription s
            {join_change(":issue")}
            WHERE s.account_id = :account_id AND s.id = :id
            """,  # noqa: S608 - the expressions are constants
            {"account_id": cast.account_id, "id": subscription["id"], "issue": number},
        )
        found += [row["street"] for row in rows]
    return found


async def stored(cast: Cast) -> list[tuple[int, int | None, str]]:
    """The planned rows: first issue, last issue, street."""
    rows = await cast.db.fetch_all(
        """
        SELECT first_issue, last_issue, address1 FROM address_change
        WHERE account_id = :account_id AND status = 'planned'
        ORDER BY first_issue
        """,
        {"account_id": cast.account_id},
    )
    return [(row["first_issue"], row["last_issue"], row["address1"]) for row in rows]


async def shown(cast: Cast, subscription: dict[str, Any]) -> list[tuple[int, int | None, str]]:
    """What is planned, as the page of the subscriber shows it."""
    async with cast.db.read() as db:
        groups = await list_groups(db, cast.account_id, subscription["subscriber"]["id"])
    found = [each.first for each in groups if each.is_planned]
    planned = [(it.begins, it.last_issue, it.address.address1 or "") for it in found]
    return sorted(planned, key=lambda each: each[0])


async def cancel(
    cast: Cast,
    subscription: dict[str, Any],
    group: str,
    temporary: TemporaryAddresses | None = None,
) -> int:
    id = subscription["subscriber"]["id"]
    return await cancel_changes(cast.db, cast.account_id, id, group, temporary=temporary, by=BY)


@pytest.mark.parametrize("is_move_first", [True, False])
async def test_a_holiday_within_a_move_divides_it_and_its_cancellation_joins_it(
    acme: Cast, ada: dict[str, Any], is_move_first: bool
) -> None:
    wishes = [(3, None, "New 1"), (5, 6, "Sea 1")]
    groups = {}
    for first, last, street in wishes if is_move_first else reversed(wishes):
        done = await move(acme, ada, first=first, last=last, to=at(street))
        assert (done.planned, done.changed) == (1, 0)
        groups[street] = done.group_id
    assert await streets(acme, ada) == [OWN] * 2 + ["New 1"] * 2 + ["Sea 1"] * 2 + ["New 1"] * 3
    assert await stored(acme) == [(3, 4, "New 1"), (5, 6, "Sea 1"), (7, None, "New 1")]
    assert await shown(acme, ada) == wishes
    assert await faults(acme) == []
    everything = await everything_of(acme, ada["subscriber"]["id"])
    changes = [(it["first_issue"], it["last_issue"]) for it in everything["address_changes"]]
    assert sorted(changes) == [(3, None), (5, 6)]
    assert await cancel(acme, ada, groups["Sea 1"]) == 1
    assert await stored(acme) == [(3, None, "New 1")]
    assert await streets(acme, ada) == [OWN] * 2 + ["New 1"] * 7
    assert await cancel(acme, ada, groups["New 1"]) == 1
    assert await streets(acme, ada) == [OWN] * 9
    assert await faults(acme) == []
    rows = await acme.db.fetch_all(
        """
        SELECT action, count(*) AS number FROM audit
        WHERE account_id = :account_id AND action LIKE '%_address'
        GROUP BY action
        """,
        {"account_id": acme.account_id},
    )
    assert {row["action"]: row["number"] for row in rows} == {
        "subscription.plan_address": 2,
        "subscription.cancel_address": 2,
    }


@pytest.mark.parametrize("is_move_first", [True, False])
async def test_a_move_that_begins_within_a_holiday_begins_after_it(
    acme: Cast, ada: dict[str, Any], is_move_first: bool
) -> None:
    wishes = [(4, 6, "Sea 1"), (5, None, "New 1")]
    for first, last, street in reversed(wishes) if is_move_first else wishes:
        await move(acme, ada, first=first, last=last, to=at(street))
    assert await stored(acme) == [(4, 6, "Sea 1"), (7, None, "New 1")]
    assert await shown(acme, ada) == wishes
    async with acme.db.read() as db:
        groups = await list_groups(db, acme.account_id, ada["subscriber"]["id"])
    [sea] = [each.first.group_id for each in groups if each.first.last_issue]
    await cancel(acme, ada, sea)
    assert await stored(acme) == [(5, None, "New 1")]
    assert await faults(acme) == []


@pytest.mark.parametrize("temporary", TemporaryAddresses)
async def test_cancelling_a_move_asks_what_becomes_of_the_holiday(
    acme: Cast, ada: dict[str, Any], temporary: TemporaryAddresses
) -> None:
    moved = await move(acme, ada, first=3, to=at("New 1"))
    await move(acme, ada, first=2, last=2, to=at("Inn 1"))  # before the move
    await move(acme, ada, first=5, last=6, to=at("Sea 1"))
    with pytest.raises(Invalid, match="issues 5 to 6, to Sea 1") as asked:
        await cancel(acme, ada, moved.group_id)
    assert asked.value.code == "temporary_address_planned"
    assert await cancel(acme, ada, moved.group_id, temporary) == 1
    sea = [(5, 6, "Sea 1")] if temporary is TemporaryAddresses.KEEP else []
    assert await stored(acme) == [(2, 2, "Inn 1"), *sea]
    assert await faults(acme) == []


async def test_a_move_is_made_as_a_whole_when_its_first_issue_is_out(
    acme: Cast, ada: dict[str, Any]
) -> None:
    await make_issue(acme, 3, release_date_actual=LATER)
    for first, last, street in ((3, None, "New 1"), (3, 4, "Sea 1"), (6, 6, "Inn 1")):
        await move(acme, ada, first=first, last=last, to=at(street))
    assert len(await stored(acme)) == 4
    issues = (await acme.get("/v1/issues/")).json()["items"]
    third = next(each["id"] for each in issues if each["number"] == 3)
    await acme.patch(f"/v1/issues/{third}/", {"release_date_actual": EARLIER})
    assert await stored(acme) == [(3, 4, "Sea 1"), (6, 6, "Inn 1")]
    new = "New 1"
    assert (await streets(acme, ada))[2:] == ["Sea 1", "Sea 1", new, "Inn 1", new, new, new]
    body = (await acme.get(f"/v1/subscriptions/{ada['id']}/")).json()
    assert body["shipping_address"]["address1"] == new
    listed = (await acme.get("/v1/address-changes/")).json()["items"]
    assert [(each["first_issue"], each["status"]) for each in listed if not each["last_issue"]] == [
        (3, "done")
    ]
    assert len(listed) == 3
    assert await faults(acme) == []


async def test_mailings_print_the_address_of_each_part(acme: Cast, ada: dict[str, Any]) -> None:
    await move(acme, ada, first=1, last=2, to=at("Sea 1"))
    await move(acme, ada, first=2, to=at("New 1"))
    [first] = (await acme.get("/v1/issues/")).json()["items"]
    printed = []
    for issue in (first, await make_issue(acme, 2), await make_issue(acme, 3)):
        run = await make_dispatch(acme, issue["id"])
        listed = await lines.list_lines(acme.db, acme.account_id, run["id"], after=0, limit=9)
        printed += [each.address1 for each in listed]
    assert printed == ["Sea 1", "Sea 1", "New 1"]


async def test_an_undeliverable_report_on_one_part_holds_the_others(
    acme: Cast, ada: dict[str, Any]
) -> None:
    await make_issue(acme, 3, release_date_actual=LATER)
    await move(acme, ada, first=3, to=at("New 1"))
    await move(acme, ada, first=4, last=4, to=at("Sea 1"))
    [copy] = [it for it in await copies_of(acme, ada["id"]) if it["issue"]["number"] == 3]
    await hold_address(acme, copy)
    held = []
    for number in (1, 3, 4, 5):
        rows = await acme.db.fetch_all(
            f"""
            SELECT s.id FROM subscription s
            WHERE s.account_id = :account_id AND s.id = :id AND {is_on_hold("s.id", ":issue")}
            """,  # noqa: S608 - the condition is a constant
            {"account_id": acme.account_id, "id": ada["id"], "issue": number},
        )
        held += [number] if rows else []
    assert held == [3, 5]


@dataclass
class Wish:
    """A planned change in the model. last: None for a change for good."""

    first: int
    last: int | None
    street: str
    group: str


@dataclass
class Model:
    """Where each issue goes, by the definition: some issues go before all that follow."""

    own: str
    released: int
    planned: list[Wish]

    def street(self, number: int) -> str:
        for is_for_good in (False, True):
            for each in self.planned:
                ends = each.last if each.last is not None else ALL + 99
                if (each.last is None) == is_for_good and each.first <= number <= ends:
                    return each.street
        return self.own

    def refuses(self, first: int, last: int | None) -> bool:
        same = [each for each in self.planned if (each.last is None) == (last is None)]
        return any(
            last is None or (each.first <= last and first <= (each.last or 0)) for each in same
        )

    def pass_time(self) -> None:
        for each in [each for each in self.planned if each.last is None]:
            if each.first <= self.released:
                self.own = each.street
                self.planned.remove(each)


@pytest.mark.parametrize("seed", range(3))
async def test_any_order_of_wishes_sends_each_issue_where_the_definition_says(
    acme: Cast, ada: dict[str, Any], seed: int
) -> None:
    chance = random.Random(seed)
    model = Model(OWN, 1, [])
    for step in range(40):
        kind = chance.choice(["holiday", "holiday", "move", "cancel", "release"])
        if kind == "release":
            if step % 4 == 0 and model.released < ALL:
                model.released += 1
                await make_issue(acme, model.released, release_date_actual=EARLIER)
        elif kind == "cancel" and model.planned:
            wish = chance.choice(model.planned)
            choice = chance.choice([None, *TemporaryAddresses])
            within = [
                each
                for each in model.planned
                if wish.last is None and each.last is not None and each.last >= wish.first
            ]
            if within and choice is None:
                with pytest.raises(Invalid, match="planned within"):
                    await cancel(acme, ada, wish.group)
            else:
                await cancel(acme, ada, wish.group, choice)
                gone = within if choice is TemporaryAddresses.CANCEL else []
                model.planned = [it for it in model.planned if it not in [wish, *gone]]
        elif kind in ("holiday", "move"):
            first = chance.randint(1, ALL)
            last = first + chance.randint(0, 2) if kind == "holiday" else None
            street = f"Street {step}"
            if model.refuses(first, last):
                with pytest.raises(Invalid, match="planned already"):
                    await move(acme, ada, first=first, last=last, to=at(street))
            else:
                done = await move(acme, ada, first=first, last=last, to=at(street))
                model.planned.append(Wish(first, last, street, done.group_id))
        model.pass_time()
        expected = [model.street(number) for number in range(1, ALL + 1)]
        assert await streets(acme, ada) == expected, (seed, step, kind)
        wishes = {(each.first, each.last, each.street) for each in model.planned}
        assert set(await shown(acme, ada)) == wishes
    assert await faults(acme) == []
