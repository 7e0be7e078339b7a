"""Subscriptions that a user holds: their copies stay owed, and mailings leave them out."""

from datetime import date
from typing import Any

import pytest

from masthead.model.bulk import ChosenList, RowChoice
from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.model.errors import Invalid
from masthead.model.timeline.codes import WhyCode
from masthead.services.bulk.choose import choose
from masthead.services.claims import records as claims
from masthead.services.claims.why import answer_why
from masthead.services.dispatch import runs
from masthead.services.dispatch.preview import preview_dispatch
from masthead.services.holds.by_hand import change_chosen, hold, release
from masthead.services.timeline import get_timeline
from masthead.store.dispatch.due import count_due
from tests.conftest import BY, Cast
from tests.support.billing import bill
from tests.support.checks import faults
from tests.support.factories import copies_of, make_issue, make_subscription

DAY = date(2026, 5, 3)
ALL = DispatchSelection()


async def freeze(cast: Cast, issue_id: str) -> Dispatch:
    return await runs.freeze_dispatch(cast.db, cast.account_id, issue_id, ALL, by=BY)


async def why(cast: Cast, subscriber_id: str) -> tuple[WhyCode, str]:
    async with cast.db.read() as db:
        answer = await answer_why(db, cast.account_id, subscriber_id, number=1)
    return answer.code, answer.sentence


async def test_a_held_subscription_is_in_no_mailing_until_it_is_released(acme: Cast) -> None:
    issue = await make_issue(acme)
    held, other = await make_subscription(acme), await make_subscription(acme)
    account = acme.db, acme.account_id
    assert await hold(*account, held["id"], reason="Dispute", by=BY) == 1
    assert await hold(*account, held["id"], reason="Again", by=BY) == 0
    async with acme.db.read() as db:
        due = (await count_due(db, acme.account_id, [1]))[1]
        preview = await preview_dispatch(acme.db, acme.account_id, issue["id"], ALL)
        timeline = await get_timeline(db, acme.account_id, held["subscriber"]["id"], day=DAY)
    assert (due.free, due.waiting, due.of_held) == (1, 1, 1)
    assert (preview.lines, preview.not_taken.held, preview.not_taken.on_hold) == (1, 1, 0)
    assert timeline.issues[0].deliveries[0].code is WhyCode.HELD

    run = await freeze(acme, issue["id"])
    assert run.lines == 1
    code, text = await why(acme, held["subscriber"]["id"])
    assert code is WhyCode.HELD
    assert "(Dispute)" in text
    [copy] = await copies_of(acme, held["id"])
    assert copy["status"] == "Not sent"
    got = (await acme.get(f"/v1/subscriptions/{held['id']}/")).json()
    assert (got["status"], got.keys()) == ("Active", held.keys())

    assert await release(*account, held["id"], reason="Settled", by=BY) == 1
    code, text = await why(acme, held["subscriber"]["id"])
    assert code is WhyCode.WAITING
    assert "was held" in text
    assert (await freeze(acme, issue["id"])).lines == 1
    assert (await why(acme, other["subscriber"]["id"]))[0] is WhyCode.FROZEN
    assert await faults(acme) == []


async def test_a_copy_in_a_mailing_stays_in_it(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    run = await freeze(acme, issue["id"])
    await hold(acme.db, acme.account_id, made["id"], reason="Late", by=BY)
    _run, marked, _completed = await runs.mark_dispatch(
        acme.db, acme.account_id, run.id, DAY, by=BY
    )
    assert marked == 1
    [copy] = await copies_of(acme, made["id"])
    body = ClaimCreate(copy=copy["id"], reason=ClaimReason.NEVER_ARRIVED)
    await claims.create_claim(acme.db, acme.account_id, body, by=BY)
    with pytest.raises(Invalid, match="1 copy is held"):
        await freeze(acme, issue["id"])
    assert "because the subscription is held" in (await why(acme, made["subscriber"]["id"]))[1]


async def test_all_copies_for_an_address_are_held_together(acme: Cast) -> None:
    await make_issue(acme)
    order = {"copies": 3, "price": "30.00", "company": "Acme", "is_billed": False}
    made = await bill(acme, **order)
    ids = [each.id for each in made.subscriptions]
    assert await hold(acme.db, acme.account_id, ids[0], reason="Late", by=BY) == 3
    assert await release(acme.db, acme.account_id, ids[2], reason="Paid", by=BY) == 3


async def test_chosen_rows_are_held_and_released_with_a_reason(acme: Cast) -> None:
    await make_issue(acme)
    first, second = await make_subscription(acme), await make_subscription(acme)
    over = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{over['id']}/cancel/", {"mode": "cancel"})
    subscribers = [each["subscriber"]["id"] for each in (first, second, over)]
    account = acme.db, acme.account_id
    choice = RowChoice(ChosenList.SUBSCRIBERS, subscribers, None)
    async with acme.db.read() as db:
        seen = (await choose(db, acme.account_id, choice)).fingerprint
    fields: Any = {"is_release": False, "by": BY}
    with pytest.raises(Invalid, match="Say why"):
        await change_chosen(*account, choice, reason=" ", expected=seen, **fields)
    with pytest.raises(Invalid, match="has changed"):
        await change_chosen(*account, choice, reason="Late", expected="x", **fields)
    assert await change_chosen(*account, choice, reason="Late", expected=seen, **fields) == 2
    fields["is_release"] = True
    assert await change_chosen(*account, choice, reason="Paid", expected=seen, **fields) == 2
    assert await change_chosen(*account, choice, reason="Paid", expected=seen, **fields) == 0
