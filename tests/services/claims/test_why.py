"""Why a subscriber got an issue or did not: the same answers for page, command line and API."""

from datetime import date, timedelta
from typing import Any

import pytest

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason, CreatedClaim
from masthead.model.clock import now
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.model.errors import NotFound
from masthead.model.timeline.answers import IssueAnswer
from masthead.model.timeline.codes import WhyCode
from masthead.model.types.enums import Medium
from masthead.services.claims import records as claims
from masthead.services.claims.why import answer_why, explain_waiting
from masthead.services.dispatch import runs
from masthead.services.timeline import get_timeline
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_membership, make_subscription
from tests.support.statement_counter import StatementCounter

DAY = date(2026, 5, 3)
ANNA = {
    "email": "anna@example.com",
    "first_name": "Anna",
    "last_name": "Ek",
    "address1": "Storgatan 1",
    "postcode": "111 22",
    "city": "Stockholm",
    "country": "SE",
}
PLACE = "Storgatan 1, 111 22 Stockholm"


async def freeze(cast: Cast, issue_id: str, **selection: Any) -> Dispatch:
    chosen = DispatchSelection(**selection)
    return await runs.freeze_dispatch(cast.db, cast.account_id, issue_id, chosen, by=BY)


async def mark(cast: Cast, run: Dispatch, day: date | None = DAY) -> None:
    await runs.mark_dispatch(cast.db, cast.account_id, run.id, day, by=BY)


async def ask(cast: Cast, number: int = 1, who: str = "anna@example.com") -> IssueAnswer:
    async with cast.db.read() as db:
        return await answer_why(db, cast.account_id, who, number=number)


async def claim(cast: Cast, subscription: dict[str, Any], **fields: Any) -> CreatedClaim:
    (copy,) = await copies_of(cast, subscription["id"])
    body = ClaimCreate(copy=copy["id"], reason=ClaimReason.NEVER_ARRIVED, **fields)
    return await claims.create_claim(cast.db, cast.account_id, body, by=BY)


async def test_a_sent_copy_names_its_run_its_address_and_its_day(acme: Cast, rival: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA)
    run = await freeze(acme, issue["id"])
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"address1": "Lilla gatan 2"})
    await mark(acme, run)
    answer = await ask(acme)
    assert answer.code is WhyCode.SENT
    assert answer.sentence == f"Issue 1 was sent to Anna Ek: mailing 1 of 2026-05-03, to {PLACE}."
    (one,) = answer.subscriptions
    assert one.run is not None
    assert (one.run.id, one.address, one.date_sent) == (run.id, PLACE, DAY)
    assert one.key is not None
    assert (await ask(acme, who=made["subscriber"]["id"])).code is WhyCode.SENT
    assert (await ask(rival)).code is WhyCode.UNKNOWN_SUBSCRIBER


async def test_a_frozen_run_is_not_marked_yet(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, **ANNA)
    await freeze(acme, issue["id"])
    answer = await ask(acme)
    assert answer.code is WhyCode.FROZEN
    run = answer.subscriptions[0].run
    assert run is not None
    assert f"is in mailing 1, prepared on {run.date_frozen}" in answer.sentence
    assert f"to {PLACE}" in answer.sentence


async def test_a_copy_added_after_the_freeze_is_a_late_order(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    run = await freeze(acme, issue["id"])
    await make_subscription(acme, **ANNA)
    assert (await ask(acme)).code is WhyCode.LATE_ORDER
    await mark(acme, run)
    answer = await ask(acme)
    assert answer.code is WhyCode.LATE_ORDER
    assert "was added after mailing 1 was prepared" in answer.sentence
    assert answer.subscriptions[0].run is None, "the copy is in no run"


async def test_a_subscriber_whose_issues_do_not_include_it(acme: Cast) -> None:
    for number in (1, 2, 3):
        await make_issue(acme, number)
    await make_subscription(acme, **ANNA, start_issue=2, length=1)
    before, after = await ask(acme, 1), await ask(acme, 3)
    assert before.code is WhyCode.BEFORE_START
    assert "starts with issue 2" in before.sentence
    assert after.code is WhyCode.AFTER_END
    assert "ends with issue 2" in after.sentence


async def test_a_cancelled_subscription_and_the_run_that_it_left(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA)
    await freeze(acme, issue["id"])
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    answer = await ask(acme)
    assert answer.code is WhyCode.CANCELLED
    assert "was cancelled on 20" in answer.sentence
    assert "It left mailing 1 then." in answer.sentence
    await make_issue(acme, 2)
    assert (await ask(acme, 2)).code is WhyCode.CANCELLED


@pytest.mark.parametrize(
    "selection, words",
    [
        ({"countries": ("DE", "AT")}, "took only copies to Germany, Austria"),
        ({"media": (Medium.PRINT_AND_DIGITAL,)}, "copies with the medium Print + digital"),
    ],
)
async def test_a_run_whose_filter_leaves_the_subscriber_out(
    acme: Cast, selection: dict[str, Any], words: str
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, **ANNA)
    other = {"country": "DE", "medium": "Print + digital", "source": acme.imported}
    await make_subscription(acme, **other)
    await freeze(acme, issue["id"], **selection, sources=(acme.imported,))
    answer = await ask(acme)
    assert answer.code is WhyCode.EXCLUDED_BY_FILTER
    assert f"{words} and copies of certain sources" in answer.sentence
    assert answer.subscriptions[0].run is None, "the copy is in no run"


async def test_a_run_that_was_discarded_and_one_that_was_frozen_after_it(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, **ANNA)
    await make_subscription(acme, country="DE")
    run = await freeze(acme, issue["id"])
    await runs.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    answer = await ask(acme)
    assert answer.code is WhyCode.RUN_DISCARDED
    assert "was in mailing 1, which was discarded on 20" in answer.sentence
    assert answer.subscriptions[0].run is None
    assert answer.subscriptions[0].left_run is not None
    await freeze(acme, issue["id"], countries=("DE",))
    answer = await ask(acme)
    assert answer.code is WhyCode.EXCLUDED_BY_FILTER
    assert "mailing 2 of issue 1" in answer.sentence


async def test_an_undone_run_is_frozen_again(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, **ANNA)
    run = await freeze(acme, issue["id"])
    await mark(acme, run)
    await runs.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    answer = await ask(acme)
    assert answer.code is WhyCode.FROZEN
    assert "The marking as sent was undone on 20" in answer.sentence


async def test_an_issue_that_does_not_exist_is_not_out_or_waits(acme: Cast) -> None:
    await make_subscription_of(acme, length=3)
    missing = await ask(acme, 2)
    assert (missing.code, missing.issue) == (WhyCode.NO_ISSUE, None)
    assert missing.sentence == "Not yet: issue 2 does not exist yet."
    await make_issue(acme, 2, release_date_actual="2099-01-01")
    future = await ask(acme, 2)
    assert future.code is WhyCode.NOT_OUT
    assert "It is released on 2099-01-01." in future.sentence
    await make_issue(acme, 3, release_date_actual="2020-01-01")
    assert (await ask(acme, 3)).code is WhyCode.WAITING
    undated = await ask(acme, 1)
    assert undated.code is WhyCode.WAITING


async def make_subscription_of(cast: Cast, **fields: Any) -> dict[str, Any]:
    await make_issue(cast)
    return await make_subscription(cast, **ANNA, **fields)


async def test_an_issue_without_a_release_date_is_not_out(acme: Cast) -> None:
    await make_subscription_of(acme)
    answer = await ask(acme)
    assert answer.code is WhyCode.NOT_OUT
    assert "is not out. Then Anna Ek gets it" in answer.sentence


async def test_a_digital_copy_does_not_go_by_post(acme: Cast) -> None:
    made = await make_subscription_of(acme, medium="Digital")
    assert "It is not marked as sent yet." in (await ask(acme)).sentence
    (copy,) = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {"date": "2026-05-03"})
    answer = await ask(acme)
    assert answer.code is WhyCode.DIGITAL_ONLY
    assert "does not go by post. It is marked as sent on 2026-05-03." in answer.sentence


async def test_a_membership_gets_the_issues_of_its_paid_time(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2099-06-01")
    await make_issue(acme, 2)
    await make_issue(acme, 3, release_date_actual="2100-01-01")
    await make_membership(acme, **ANNA)
    assert (await ask(acme, 1)).code is WhyCode.NOT_OUT
    assert (await ask(acme, 2)).code is WhyCode.NO_RELEASE_DATE
    outside = await ask(acme, 3)
    assert outside.code is WhyCode.OUTSIDE_MEMBERSHIP
    assert outside.sentence.endswith(
        "does not cover 2100-01-01, when issue 3 comes out. It is paid from 2099-01-01 to "
        "2099-12-31."
    )
    assert (await ask(acme, 4)).code is WhyCode.NO_ISSUE


async def test_a_copy_marked_outside_any_run_and_one_that_left_its_run(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA)
    (copy,) = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {"date": "2026-05-03"})
    answer = await ask(acme)
    assert answer.code is WhyCode.SENT_OUTSIDE_RUN
    assert "marked as sent on 2026-05-03, outside any mailing" in answer.sentence
    assert "The address now is Storgatan 1, SE-111 22 Stockholm, Sweden." in answer.sentence
    other = await make_subscription(acme, email="bo@example.com", first_name="Bo")
    await freeze(acme, issue["id"])
    (copy,) = await copies_of(acme, other["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    left = await ask(acme, who="BO@example.com")
    assert left.code is WhyCode.SENT_OUTSIDE_RUN
    assert "marked as sent without a date" in left.sentence
    assert left.sentence.endswith(
        " without a date, not with its mailing. It was in mailing 1 then, to Germany."
    )
    (one,) = left.subscriptions
    assert one.run is None
    assert one.left_run is not None
    assert (one.left_run.number, one.address) == (1, "Germany")


async def test_a_date_changed_after_the_marking_keeps_run_and_address(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA)
    await mark(acme, await freeze(acme, issue["id"]), None)
    assert "mailing 1, without a date, to" in (await ask(acme)).sentence
    (copy,) = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {"date": "2026-05-07"})
    answer = await ask(acme)
    assert answer.sentence == f"Issue 1 was sent to Anna Ek: mailing 1 of 2026-05-07, to {PLACE}."


async def test_a_claim_and_its_replacement(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA)
    await mark(acme, await freeze(acme, issue["id"]))
    first = await claim(acme, made)
    answer = await ask(acme)
    assert answer.code is WhyCode.REPLACEMENT_WAITING
    assert "(did not arrive). The replacement is in the next mailing." in answer.sentence
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"address1": "Lilla gatan 2"})
    run = await freeze(acme, issue["id"], only_replacements=True)
    assert (run.copies, run.replacements) == (0, 1)
    answer = await ask(acme)
    assert answer.code is WhyCode.REPLACEMENT_FROZEN
    assert "is in mailing 2, prepared on" in answer.sentence
    await mark(acme, run, date(2026, 5, 20))
    answer = await ask(acme)
    assert answer.code is WhyCode.REPLACED
    assert "mailing 2 of 2026-05-20, to Lilla gatan 2, 111 22 Stockholm." in answer.sentence
    (one,) = answer.subscriptions
    assert (one.claim_id, one.date_sent, one.copy_status) == (first.id, date(2026, 5, 20), "Sent")


async def test_a_claim_without_a_replacement(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA)
    await mark(acme, await freeze(acme, issue["id"]))
    await claim(acme, made, replacement=False)
    answer = await ask(acme)
    assert answer.code is WhyCode.CLAIMED
    assert answer.sentence.endswith("No replacement was wanted.")


async def report(cast: Cast, subscription: dict[str, Any], **columns: Any) -> None:
    """Store a delivery report of the copy, as the import of a carrier's file does."""
    (copy,) = await copies_of(cast, subscription["id"])

    async def work(tx: Transaction) -> None:
        row = await tx.fetch_one(
            "SELECT max(id) AS id FROM dispatch_line WHERE account_id = :account AND copy_id = :id",
            {"account": cast.account_id, "id": copy["id"]},
        )
        assert row is not None
        given = {
            "account_id": cast.account_id,
            "id": f"REPORT{columns['kind']}",
            "status": "open",
            "line_id": row["id"],
            "copy_id": copy["id"],
            "subscription_id": subscription["id"],
            "subscriber_id": subscription["subscriber"]["id"],
            "issue_number": copy["issue"]["number"],
            "reason": None,
            "report_date": date(2026, 5, 12),
            "old_address": "{}",
            "new_address": None,
            "created_at": now() + timedelta(seconds=1),
            "actor_kind": BY.kind,
            "actor_id": BY.id,
            "resolved_at": None,
        }
        await tx.insert_rows("delivery_report", [{**given, **columns}])

    await cast.db.write(work)


async def test_a_copy_that_came_back_and_a_hold_on_the_next_one(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA, length=2)
    await mark(acme, await freeze(acme, issue["id"]))
    await report(acme, made, kind="undeliverable", reason="addressee unknown")
    answer = await ask(acme)
    assert answer.code is WhyCode.RETURNED
    assert answer.sentence == (
        f"Issue 1 was sent to Anna Ek: mailing 1 of 2026-05-03, to {PLACE}. It came back: the "
        "report of 2026-05-12 says undeliverable: addressee unknown."
    )
    await make_issue(acme, 2)
    held = await ask(acme, 2)
    assert held.code is WhyCode.ADDRESS_ON_HOLD
    assert "has been on hold since 2026-05-12 (addressee unknown)" in held.sentence


async def test_a_copy_of_a_subscriber_who_has_moved(acme: Cast) -> None:
    made = await make_subscription_of(acme)
    (copy,) = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    await report(acme, made, kind="moved", report_date=None)
    answer = await ask(acme)
    assert answer.code is WhyCode.MOVED
    assert answer.sentence.startswith(
        "Issue 1 was sent to Anna Ek without a date. The report of 20"
    )


async def test_a_copy_whose_address_was_on_hold_at_the_freeze(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    made = await make_subscription(acme, **ANNA)
    early = now() - timedelta(days=1)
    await report(acme, made, kind="undeliverable", created_at=early)
    await freeze(acme, issue["id"])

    async def resolve(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE delivery_report SET status = 'accepted', resolved_at = :moment"
            " WHERE account_id = :account",
            {"moment": now(), "account": acme.account_id},
        )

    await acme.db.write(resolve)
    answer = await ask(acme)
    assert answer.code is WhyCode.WAITING
    assert "when mailing 1 of issue 1 was prepared" in answer.sentence


async def test_a_replacement_waits_while_the_address_is_on_hold(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA)
    await mark(acme, await freeze(acme, issue["id"]))
    await report(acme, made, kind="undeliverable", created_at=now())
    created = await claim(acme, made)
    assert created.warnings == [
        "The address is on hold, because the post returned a copy. The replacement waits until the "
        "address is corrected."
    ]
    answer = await ask(acme)
    assert answer.code is WhyCode.REPLACEMENT_WAITING
    assert "The replacement waits, because its address has been on hold" in answer.sentence


async def test_each_of_several_subscriptions_has_its_answer(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_issue(acme, 2)
    await make_subscription(acme, **ANNA, start_issue=2)
    sent = await make_subscription(acme, **ANNA)
    await mark(acme, await freeze(acme, issue["id"]))
    answer = await ask(acme)
    assert [each.code for each in answer.subscriptions] == [WhyCode.SENT, WhyCode.BEFORE_START]
    assert answer.subscriptions[0].subscription_id == sent["id"]
    assert answer.code is WhyCode.SENT
    assert answer.sentence.endswith("Stockholm. (The subscriber has 2 subscriptions.)")
    for place in range(4):
        await make_subscription(acme, **{**ANNA, "first_name": f"Anna {place}"})
    answer = await ask(acme)
    assert "2 more copies are listed below." in answer.sentence


async def test_an_unknown_subscriber_and_an_unknown_issue(acme: Cast) -> None:
    answer = await ask(acme, who="nobody@example.com")
    assert (answer.code, answer.subscriber) == (WhyCode.UNKNOWN_SUBSCRIBER, None)
    assert answer.sentence == "There is no subscriber nobody@example.com in this account."
    async with acme.db.read() as db:
        with pytest.raises(NotFound, match="issue `X`"):
            await answer_why(db, acme.account_id, "nobody@example.com", issue_id="X")


async def test_it_takes_eight_queries_for_any_number_of_subscriptions(acme: Cast) -> None:
    issue = await make_issue(acme)
    for _ in range(3):
        await make_subscription(acme, **ANNA)
    await freeze(acme, issue["id"])
    counter = StatementCounter(acme.db)

    async def work(tx: Transaction) -> IssueAnswer:
        return await answer_why(tx, acme.account_id, "anna@example.com", number=1)

    answer = await counter.write(work)
    assert len(answer.subscriptions) == 3
    assert len(counter.statements) == 10  # one of them for the issue without a release date


async def test_three_waiting_issues_are_explained_together(acme: Cast) -> None:
    for number in (1, 2, 3):
        await make_issue(acme, number, release_date_actual=f"2026-01-0{number}")
    made = await make_subscription(acme, **ANNA, length=3)
    await make_subscription(acme, **ANNA, start_issue=2, length=1)
    id = made["subscriber"]["id"]
    counted = StatementCounter(acme.db)
    async with counted.read() as db:
        shown = await get_timeline(db, acme.account_id, id, day=DAY)
        before = len(counted.reads)
        found = await explain_waiting(db, acme.account_id, id, shown)
        statements = len(counted.reads) - before
        one_by_one = {
            (number, each.subscription_id): each
            for number in (3, 2, 1)
            for each in (await answer_why(db, acme.account_id, id, number=number)).subscriptions
        }
    assert found == one_by_one
    assert len(found) == 6
    assert statements == 13
