"""Runs, previews and answers send an issue to the address that is in force for it."""

from typing import Any

import pytest

from masthead.model.addresses.changes import NewAddress
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.model.types.enums import CopyStatus
from masthead.services.addresses.changes import cancel_changes
from masthead.services.background.daily import run_daily_pass
from masthead.services.check.accounts import check_account
from masthead.services.claims.why import answer_why
from masthead.services.dispatch import runs
from masthead.services.dispatch.preview import preview_dispatch, preview_run
from masthead.store.dispatch import candidates, due, lines
from masthead.store.reports import fulfilment
from tests.conftest import BY, Cast
from tests.support.addresses import EARLIER, HOME, TODAY, VIENNA, move
from tests.support.dispatches import claim_copy, hold_address
from tests.support.factories import copies_of, make_issue, make_issues, make_subscription

ALL = DispatchSelection()
AUSTRIA = DispatchSelection(countries=("AT",))
GERMANY = DispatchSelection(countries=("DE",))


@pytest.fixture
async def numbered(acme: Cast) -> dict[int, str]:
    """The ids of the issues 1 to 4, which have no release date, by number."""
    return {each["number"]: each["id"] for each in await make_issues(acme, 1, 4)}


@pytest.fixture
async def ada(acme: Cast, numbered: dict[int, str]) -> dict[str, Any]:
    """A subscription for the issues 1 to 4."""
    return await make_subscription(acme, email="ada@subscriber.test", last_name="Byron", **HOME)


async def freeze(cast: Cast, issue: str, selection: DispatchSelection = ALL) -> Dispatch:
    return await runs.freeze_dispatch(cast.db, cast.account_id, issue, selection, by=BY)


async def towns(cast: Cast, run: Dispatch) -> list[str]:
    found = await lines.list_lines(cast.db, cast.account_id, run.id, after=0, limit=100)
    return [f"{each.last_name}, {each.address1}, {each.city}, {each.country}" for each in found]


OWN, NEW = "Byron, Weg 1, Berlin, DE", "Byron, Ring 1, Wien, AT"


async def test_each_issue_is_frozen_for_the_address_in_force(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await move(acme, ada, first=2, last=3)
    found = [await towns(acme, await freeze(acme, numbered[number])) for number in (1, 2, 3, 4)]
    assert found == [[OWN], [NEW], [NEW], [OWN]]
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []


async def test_a_planned_change_for_good_is_in_force_from_its_issue_on(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await move(acme, ada, first=3)
    found = [await towns(acme, await freeze(acme, numbered[number])) for number in (2, 3, 4)]
    assert found == [[OWN], [NEW], [NEW]]


async def test_a_new_name_is_on_the_label(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    to = NewAddress(company="Lovelace", address1="Ring 1", city="Wien", country="AT")
    await move(acme, ada, first=2, to=to)
    run = await freeze(acme, numbered[2])
    [line] = await lines.list_lines(acme.db, acme.account_id, run.id, after=0, limit=9)
    assert (line.first_name, line.last_name, line.company) == (None, None, "Lovelace")
    assert line.postcode is None  # not that of the own address


@pytest.mark.parametrize(
    "selection, taken", [(AUSTRIA, [NEW]), (GERMANY, ["None, None, None, DE"])]
)
async def test_a_run_selects_by_the_country_in_force(
    acme: Cast,
    numbered: dict[int, str],
    ada: dict[str, Any],
    selection: DispatchSelection,
    taken: list[str],
) -> None:
    await make_subscription(acme)
    await move(acme, ada, first=2, last=3)
    preview = await preview_dispatch(acme.db, acme.account_id, numbered[2], selection)
    run = await freeze(acme, numbered[2], selection)
    assert await towns(acme, run) == taken
    assert preview.lines == run.lines == 1
    assert [each.country for each in preview.countries] == [taken[0][-2:]]


async def test_the_preview_checks_and_counts_the_address_in_force(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    incomplete = NewAddress(address1="Ring 1", city="Wien", country="AT")
    await move(acme, ada, first=2, last=3, to=incomplete)
    before, during = [
        await preview_dispatch(acme.db, acme.account_id, numbered[number], ALL) for number in (1, 2)
    ]
    assert ([each.country for each in before.countries], before.problems) == (["DE"], [])
    assert [each.country for each in during.countries] == ["AT"]
    [problem] = during.problems
    assert "postcode" in problem.first[0].message
    assert (before.changed.count, during.changed.count) == (0, 1)
    assert during.changed.first[0].changed_at is not None


async def test_an_edit_of_the_own_address_is_no_change_for_an_issue_that_goes_elsewhere(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await acme.patch(f"/v1/subscriptions/{ada['id']}/", {"city": "Potsdam"})
    preview = await preview_dispatch(acme.db, acme.account_id, numbered[1], ALL)
    assert preview.changed.count == 1
    await move(acme, ada, first=1, last=1)
    await cancel_first(acme, ada)
    preview = await preview_dispatch(acme.db, acme.account_id, numbered[1], ALL)
    assert preview.changed.count == 1


async def cancel_first(cast: Cast, subscription: dict[str, Any]) -> None:
    row = await cast.db.fetch_one(
        "SELECT group_id FROM address_change WHERE account_id = :account_id AND status = 'planned'",
        {"account_id": cast.account_id},
    )
    assert row is not None
    subscriber = subscription["subscriber"]["id"]
    await cancel_changes(cast.db, cast.account_id, subscriber, row["group_id"], by=BY)


async def test_a_change_after_a_freeze_is_shown_and_changes_no_line(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    run = await freeze(acme, numbered[2])
    await move(acme, ada, first=3, last=3)
    assert (await preview_run(acme.db, acme.account_id, run.id)).changed.count == 0
    await move(acme, ada, first=2, last=2)
    changed = (await preview_run(acme.db, acme.account_id, run.id)).changed
    assert (changed.count, changed.first[0].subscription_id) == (1, ada["id"])
    assert await towns(acme, run) == [OWN]
    # frozen while it was planned, then cancelled
    later = await freeze(acme, numbered[3])
    assert (await preview_run(acme.db, acme.account_id, later.id)).changed.count == 0
    row = await acme.db.fetch_one(
        """
        SELECT group_id
        FROM address_change
        WHERE account_id = :account_id AND first_issue = 3
        """,
        {"account_id": acme.account_id},
    )
    assert row is not None
    subscriber = ada["subscriber"]["id"]
    await cancel_changes(acme.db, acme.account_id, subscriber, row["group_id"], by=BY)
    assert (await preview_run(acme.db, acme.account_id, later.id)).changed.count == 1
    assert await towns(acme, later) == [NEW]


async def test_a_late_order_goes_to_the_address_in_force(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await freeze(acme, numbered[2])
    late = await make_subscription(acme, email="ada@subscriber.test", last_name="Byron", **HOME)
    await move(acme, ada, late, first=2, last=2)
    assert await towns(acme, await freeze(acme, numbered[2])) == [NEW]


async def test_the_api_lists_the_addresses_in_force(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await move(acme, ada, first=2, last=3)
    for number, town, country in ((1, "Berlin", "DE"), (2, "Wien", "AT"), (4, "Berlin", "DE")):
        path = f"/v1/issues/{numbered[number]}/addresses/"
        [found] = (await acme.get(path)).json()["items"]
        assert (found["city"], found["country"]) == (town, country)
        [filtered] = (await acme.get(path, country=country)).json()["items"]
        assert filtered == found
        assert (await acme.get(path, country="CH")).json()["items"] == []


async def test_the_counts_of_free_copies_use_the_country_in_force(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await move(acme, ada, first=2, last=3)
    for number, country in ((1, "DE"), (2, "AT")):
        [row] = await candidates.count_copies(acme.db, acme.account_id, number)
        assert (row.reason, row.country, row.count) == ("free", country, 1)


async def test_a_report_holds_only_the_issues_that_go_to_its_address(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    first, *_ = await copies_of(acme, ada["id"])
    await hold_address(acme, first)
    assert await held(acme, numbered) == [1, 2, 3, 4]
    await move(acme, ada, first=2, last=3)
    assert await held(acme, numbered) == [1, 4]
    answer = await why(acme, ada, 2)
    assert "on hold" not in answer
    assert "on hold" in await why(acme, ada, 4)


async def test_a_report_on_the_temporary_address_does_not_hold_the_own_one(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await move(acme, ada, first=2, last=3)
    copy = next(each for each in await copies_of(acme, ada["id"]) if each["issue"]["number"] == 2)
    await hold_address(acme, copy)
    assert await held(acme, numbered) == [2, 3]
    assert "on hold" in await why(acme, ada, 3)
    assert "on hold" not in await why(acme, ada, 4)
    await cancel_first(acme, ada)
    assert await held(acme, numbered) == [1, 2, 3, 4]  # nothing tells the addresses apart now


async def held(cast: Cast, numbered: dict[int, str]) -> list[int]:
    """The issues whose copies wait, which all counts must agree on."""
    counts = await due.count_due(cast.db, cast.account_id, list(numbered))
    by_due = [number for number, each in counts.items() if each.waiting]
    by_preview, by_api = [], []
    for number, id in numbered.items():
        preview = await preview_dispatch(cast.db, cast.account_id, id, ALL)
        by_preview += [number] * preview.not_taken.on_hold
        if not (await cast.get(f"/v1/issues/{id}/addresses/")).json()["items"]:
            by_api.append(number)
    assert by_due == by_preview == by_api
    return by_due


async def why(cast: Cast, subscription: dict[str, Any], number: int) -> str:
    subscriber = subscription["subscriber"]["id"]
    answer = await answer_why(cast.db, cast.account_id, subscriber, number=number)
    return " ".join(each.sentence for each in answer.subscriptions)


async def test_why_names_the_run_that_left_out_the_country_in_force(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await make_subscription(acme)
    await move(acme, ada, first=2, last=3)
    await freeze(acme, numbered[2], GERMANY)
    assert "took only copies to Germany" in await why(acme, ada, 2)


async def test_a_replacement_goes_to_the_address_in_force_for_its_issue(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await move(acme, ada, first=2, last=3)
    run = await freeze(acme, numbered[2])
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, TODAY, by=BY)
    copy = next(each for each in await copies_of(acme, ada["id"]) if each["issue"]["number"] == 2)
    await claim_copy(acme, copy["id"])
    assert await towns(acme, await freeze(acme, numbered[2], AUSTRIA)) == [NEW]


async def test_the_download_of_sent_addresses_has_the_temporary_one_when_it_is_over(
    acme: Cast, numbered: dict[int, str], ada: dict[str, Any]
) -> None:
    await move(acme, ada, first=2, last=2)
    for number in (2, 3):
        run = await freeze(acme, numbered[number])
        await runs.mark_dispatch(acme.db, acme.account_id, run.id, TODAY, by=BY)
        await acme.patch(f"/v1/issues/{numbered[number]}/", {"release_date_actual": EARLIER})
    await run_daily_pass(acme.db, acme.account_id, TODAY, by=BY)
    sent = [
        (
            await fulfilment.list_addresses(
                acme.db, acme.account_id, number, CopyStatus.SENT, after=0, limit=9
            )
        )[0].city
        for number in (2, 3)
    ]
    assert sent == ["Wien", "Berlin"]


async def test_issues_of_other_accounts_are_not_affected(acme: Cast, rival: Cast) -> None:
    issue = await make_issue(rival)
    theirs = await make_subscription(rival, last_name="Byron", **HOME)
    await make_issue(acme)
    ours = await make_subscription(acme, last_name="Byron", **HOME)
    await move(acme, ours, first=1, last=1, to=VIENNA)
    assert await towns(rival, await freeze(rival, issue["id"])) == [OWN]
    assert theirs["id"] != ours["id"]
