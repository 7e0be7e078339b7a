"""Events are sent to webhooks, signed, at least once, and each endpoint on its own."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from aiohttp import ThreadedResolver, web
from aiohttp.abc import ResolveResult
from structlog.testing import capture_logs

from masthead.background.lease import HeldLease
from masthead.background.webhooks import sender
from masthead.background.webhooks.sender import AT_ONCE
from masthead.model.clock import now
from masthead.model.events.types import PublicEventType
from masthead.model.types.enums import Role
from masthead.model.webhooks.inputs import WebhookResend
from masthead.model.webhooks.messages import NoAnswer
from masthead.model.webhooks.retries import MAX_ATTEMPTS
from masthead.services import users
from masthead.services.webhooks.endpoints import rotate_secret, send_again, send_test
from masthead.store.events.log import delete_old_events
from tests.conftest import Cast
from tests.support.account_away import AWAY, AccountAway
from tests.support.factories import make_issue, make_issues, make_subscription
from tests.support.webhooks import BY, Receiver, make_webhook, receiving, send_due


async def state_of(cast: Cast, id: str) -> dict[str, Any]:
    found: dict[str, Any] = (await cast.get(f"/v1/webhooks/{id}/")).json()
    return found


async def deliveries_of(cast: Cast, id: str, **filters: object) -> list[dict[str, Any]]:
    response = await cast.get(f"/v1/webhooks/{id}/deliveries/", **filters)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


def answering(receiver: Receiver, status: int, **headers: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers=headers, text="the answer")

    receiver.answer = answer


async def emails_of(cast: Cast) -> list[str]:
    rows = await cast.db.fetch_all(
        "SELECT subject FROM outbox WHERE account_id = :account_id ORDER BY id",
        {"account_id": cast.account_id},
    )
    return [row["subject"] for row in rows if "webhook" in row["subject"]]


async def test_each_event_is_sent_as_the_api_shows_it(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        await make_issue(acme)
        await make_subscription(acme)
        await send_due(acme.db)
    events = (await acme.get("/v1/events/", limit=200)).json()["items"]
    sent = [each for each in events if str(each["id"]) in receiver.ids]
    assert {each["type"] for each in sent} >= {"issue.created", "subscription.created"}
    assert sorted(receiver.bodies, key=lambda each: int(each["number"])) == sent
    assert receiver.ids == [str(each["id"]) for each in receiver.bodies]
    receiver.verify(made.secret)
    listed = await deliveries_of(acme, made.id)
    assert [each["event"] for each in listed] == sent[::-1]
    assert {(each["status"], each["attempts"], each["answer_status"]) for each in listed} == {
        ("delivered", 1, 204)
    }
    assert (await state_of(acme, made.id))["last_event"] == events[-1]["id"]


async def test_a_webhook_gets_events_of_its_types_since_it_was_created(acme: Cast) -> None:
    await make_issue(acme)
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        await make_issues(acme, 2, 3)
        await make_subscription(acme)
        await send_due(acme.db)
    assert {each["type"] for each in receiver.bodies} == {"issue.created"}
    assert len(receiver.bodies) == 2
    assert len(await deliveries_of(acme, made.id)) == 2


async def test_the_sender_ends_only_when_nothing_is_due(acme: Cast) -> None:
    async with receiving() as receiver:
        await make_webhook(acme, receiver.url)
        await make_issues(acme, 1, 3)
        await send_due(acme.db)
    assert len(receiver.ids) == 3


async def test_a_message_that_was_refused_is_sent_again_with_the_same_id(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        answering(receiver, 503)
        await make_issue(acme)
        await send_due(acme.db)
        (failed,) = await deliveries_of(acme, made.id)
        assert (failed["status"], failed["attempts"], failed["answer_status"]) == (
            "waiting",
            1,
            503,
        )
        assert (failed["answer"], failed["reason"]) == ("the answer", "The answer is 503.")
        assert (await state_of(acme, made.id))["failing_since"] is not None
        receiver.answer = None
        with time_machine.travel(now() + timedelta(seconds=30)):
            await send_due(acme.db)
    (delivered,) = await deliveries_of(acme, made.id)
    assert (delivered["status"], delivered["attempts"], delivered["reason"]) == (
        "delivered",
        2,
        None,
    )
    assert len(receiver.ids) == 2
    assert len(set(receiver.ids)) == 1
    assert receiver.bodies[0] == receiver.bodies[1]
    assert (await state_of(acme, made.id))["failing_since"] is None


async def test_retry_after_puts_the_next_attempt_off(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        answering(receiver, 429, **{"Retry-After": "3600"})
        await make_issue(acme)
        before = now()
        await send_due(acme.db)
    (failed,) = await deliveries_of(acme, made.id)
    assert failed["next_attempt_at"] > (before + timedelta(minutes=59)).isoformat()


class Broken(ThreadedResolver):
    """Resolves names, but first raises what a resolver must not raise, so many times."""

    def __init__(self, errors: int) -> None:
        super().__init__()
        self._errors = errors

    async def resolve(self, *args: Any, **options: Any) -> list[ResolveResult]:
        """The addresses of a host. Raises: RuntimeError."""
        if self._errors:
            self._errors -= 1
            raise RuntimeError("broken")
        return await super().resolve(*args, **options)


async def test_an_unexpected_error_is_a_failed_attempt(acme: Cast) -> None:
    async with receiving("localhost") as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        await make_issue(acme)
        with capture_logs() as logs:
            await send_due(acme.db, resolver=Broken(errors=100))
    (failed,) = await deliveries_of(acme, made.id)
    assert (failed["status"], failed["reason"]) == ("waiting", NoAnswer.INTERNAL)
    assert {each["event"] for each in logs} == {"webhook message not sent"}


async def test_the_outcomes_beside_an_unexpected_error_are_stored(acme: Cast) -> None:
    async with receiving("localhost") as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        await make_issues(acme, 1, AT_ONCE + 5)
        with capture_logs() as logs:
            await send_due(acme.db, resolver=Broken(errors=1))
        assert logs
        with time_machine.travel(now() + timedelta(seconds=30)):
            await send_due(acme.db)
    listed = await deliveries_of(acme, made.id, limit=100)
    assert [each["status"] for each in listed] == ["delivered"] * (AT_ONCE + 5)
    assert {each["attempts"] for each in listed} == {1, 2}
    assert len(receiver.ids) == AT_ONCE + 5  # none was sent again because of another


async def test_a_clock_that_is_set_back_does_not_stop_attempts(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        answering(receiver, 503)
        with time_machine.travel(now() + timedelta(days=400)):
            await make_issue(acme)
            await send_due(acme.db)
        receiver.answer = None
        await send_due(acme.db)
    (delivered,) = await deliveries_of(acme, made.id)
    assert delivered["status"] == "delivered"


async def fail_for_days(cast: Cast) -> None:
    """All attempts, one after the other; the clock moves on between them."""
    moment = now()
    for _ in range(MAX_ATTEMPTS):
        with time_machine.travel(moment):
            await send_due(cast.db)
        moment += timedelta(hours=29)


async def test_after_days_without_success_a_webhook_is_disabled_and_owners_are_mailed(
    acme: Cast,
) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        answering(receiver, 500)
        await make_issue(acme)
        await fail_for_days(acme)
        (failed,) = await deliveries_of(acme, made.id, status="failed")
        assert (failed["attempts"], failed["next_attempt_at"]) == (MAX_ATTEMPTS, None)
        state = await state_of(acme, made.id)
        assert (state["status"], state["disabled_reason"]) == ("disabled", "failing")
        assert await emails_of(acme) == ["A webhook was disabled"]
        # nothing is lost: events wait, and what has failed can be sent again
        receiver.answer = None
        await make_issue(acme, 2)
        count = len(receiver.ids)
        await send_due(acme.db)
        assert len(receiver.ids) == count
        await acme.patch(f"/v1/webhooks/{made.id}/", {"status": "enabled"})
        event = failed["event"]["id"]
        await send_again(acme.db, acme.account_id, made.id, WebhookResend(first=event), by=BY)
        await send_due(acme.db)
    listed = await deliveries_of(acme, made.id)
    assert [each["status"] for each in listed] == ["delivered", "delivered"]


async def test_a_message_that_fails_beside_others_does_not_disable_the_webhook(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        bad: list[str] = []

        async def refuse_first(request: web.Request) -> web.StreamResponse:
            bad[:] = bad or [request.headers["webhook-id"]]
            return web.Response(status=500 if request.headers["webhook-id"] in bad else 204)

        receiver.answer = refuse_first
        await make_issue(acme)
        await send_due(acme.db)
        await make_issue(acme, 2)
        await send_due(acme.db)
        await fail_for_days(acme)
    assert len(await deliveries_of(acme, made.id, status="failed")) == 1
    assert (await state_of(acme, made.id))["status"] == "enabled"
    assert await emails_of(acme) == ["Events could not be sent to a webhook"]


async def test_the_answer_410_disables_a_webhook_at_once(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        answering(receiver, 410)
        await make_issue(acme)
        await send_due(acme.db)
    state = await state_of(acme, made.id)
    assert (state["status"], state["disabled_reason"]) == ("disabled", "gone")
    assert len(receiver.ids) == 1
    assert await emails_of(acme) == ["A webhook was disabled"]


async def test_owners_get_one_email_a_day_about_failed_messages(acme: Cast) -> None:
    await users.invite_user(
        acme.db, acme.account_id, email=f"staff-{acme.owner}", role=Role.STAFF, by=BY
    )
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        answering(receiver, 500)
        moment = now()
        for number, hours, emails in [(1, 0, 1), (2, 2, 1), (3, 30, 2)]:
            with time_machine.travel(moment + timedelta(hours=hours)):
                await make_issue(acme, number)
                await send_due(acme.db)
                # one was accepted since, so that the webhook stays enabled
                await acme.db.write(lambda tx: _reset(tx, acme.account_id))
                await acme.db.write(lambda tx: _use_up(tx, acme.account_id))
            with time_machine.travel(moment + timedelta(hours=hours, minutes=1)):
                await send_due(acme.db)
            assert len(await deliveries_of(acme, made.id, status="failed")) == number
            assert len(await emails_of(acme)) == emails


async def test_a_webhook_that_is_disabled_meanwhile_stores_the_outcome(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])

        async def disable(request: web.Request) -> web.StreamResponse:
            await acme.patch(f"/v1/webhooks/{made.id}/", {"status": "disabled"})
            return web.Response(status=410)

        receiver.answer = disable
        await make_issue(acme)
        await send_due(acme.db)
    (failed,) = await deliveries_of(acme, made.id)
    assert (failed["status"], failed["answer_status"]) == ("failed", 410)
    assert (await state_of(acme, made.id))["disabled_reason"] == "request"
    assert await emails_of(acme) == []


async def _reset(tx: Any, account_id: int) -> None:
    await tx.execute(
        "UPDATE webhook SET failing_at = :later WHERE account_id = :account_id",
        {"account_id": account_id, "later": now() + timedelta(hours=1)},
    )


async def _use_up(tx: Any, account_id: int) -> None:
    await tx.execute(
        "UPDATE webhook_delivery SET attempts = :most WHERE account_id = :account_id",
        {"account_id": account_id, "most": MAX_ATTEMPTS - 1},
    )


async def test_a_dead_webhook_delays_no_other(acme: Cast, rival: Cast) -> None:
    all_sent, fast_done = asyncio.Event(), asyncio.Event()

    async def hang(request: web.Request) -> web.StreamResponse:
        await fast_done.wait()  # a dead one answers only after the fast one has all its events
        return web.Response(status=500)

    async def count(request: web.Request) -> web.StreamResponse:
        if len(set(fast.ids)) == 60:
            all_sent.set()
        return web.Response(status=204)

    async with receiving() as dead, receiving() as fast:
        dead.answer, fast.answer = hang, count
        await make_webhook(acme, dead.url, types=[PublicEventType.ISSUE_CREATED])
        await make_webhook(acme, fast.url, types=[PublicEventType.ISSUE_CREATED])
        await make_webhook(rival, fast.url, types=[PublicEventType.ISSUE_CREATED])
        for cast in (acme, rival):
            await make_issues(cast, 1, 30)
        sending = asyncio.create_task(send_due(acme.db, seconds=60.0))
        await all_sent.wait()
        assert 0 < len(dead.ids) < 30
        fast_done.set()
        await sending
    assert len(set(dead.ids)) == 30


@pytest.mark.parametrize("error", [AWAY, ValueError("a row that raises")])
async def test_an_account_that_fails_keeps_no_webhook_of_another_waiting(
    acme: Cast, rival: Cast, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(sender, "RENEW_SECONDS", 0.01)  # it waits so long after a failure
    async with receiving() as receiver:
        for cast in (acme, rival):
            await make_webhook(cast, receiver.url, types=[PublicEventType.ISSUE_CREATED])
            await make_issue(cast)
        failing = AccountAway(acme.db, acme.account_id, error)
        sending = asyncio.create_task(send_due(failing, seconds=60.0))
        await receiver.wait_for(1)
        sending.cancel()
        await asyncio.wait([sending])
    assert len(receiver.ids) == 1


async def test_events_deleted_before_they_were_sent_are_counted(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        await make_issues(acme, 1, 3)
        later = now() + timedelta(days=1)
        await acme.db.write(lambda tx: delete_old_events(tx, acme.account_id, later))
        await send_due(acme.db)
    state = await state_of(acme, made.id)
    assert state["missed"] == 3
    assert receiver.ids == []


async def test_a_message_whose_event_was_deleted_fails(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        answering(receiver, 500)
        await make_issue(acme)
        await send_due(acme.db)
        later = now() + timedelta(days=1)
        await acme.db.write(lambda tx: delete_old_events(tx, acme.account_id, later))
        with time_machine.travel(now() + timedelta(minutes=1)):
            await send_due(acme.db)
    (failed,) = await deliveries_of(acme, made.id)
    assert (failed["status"], failed["event"]) == ("failed", None)
    assert failed["reason"] == "The event was deleted before it could be sent."


async def test_a_test_is_sent_and_listed(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        await send_test(acme.db, acme.account_id, made.id, by=BY)
        await send_due(acme.db)
        receiver.verify(made.secret)
    (body,) = receiver.bodies
    assert (body["type"], body["data"]) == ("webhook.test", None)
    (listed,) = await deliveries_of(acme, made.id)
    assert (listed["id"], listed["status"]) == (receiver.ids[0], "delivered")


async def test_messages_have_both_signatures_after_a_rotation(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        new = await rotate_secret(acme.db, acme.account_id, made.id, by=BY)
        await make_issue(acme)
        await send_due(acme.db)
        receiver.verify(made.secret)
        receiver.verify(new.secret)


async def test_a_webhook_deleted_meanwhile_stores_nothing(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)

        async def delete(request: web.Request) -> web.StreamResponse:
            await acme.post(f"/v1/webhooks/{made.id}/delete/")
            return web.Response(status=204)

        receiver.answer = delete
        await make_issue(acme)
        await send_due(acme.db)
    assert (await acme.get(f"/v1/webhooks/{made.id}/")).status_code == 404


async def test_inactive_accounts_send_nothing(dormant: Cast) -> None:
    async with receiving() as receiver:
        await make_webhook(dormant, receiver.url)
        await send_test(
            dormant.db,
            dormant.account_id,
            (
                await dormant.db.fetch_all(
                    "SELECT id FROM webhook WHERE account_id = :id", {"id": dormant.account_id}
                )
            )[0]["id"],
            by=BY,
        )
        await send_due(dormant.db)
    assert receiver.ids == []


async def test_only_the_holder_of_the_lease_sends(acme: Cast) -> None:
    other = HeldLease(acme.db, "webhooks")
    assert await other.renew()
    async with receiving() as receiver:
        await make_webhook(acme, receiver.url)
        await make_issue(acme)
        await send_due(acme.db)
        assert receiver.ids == []
        await other.release()
        await send_due(acme.db)
        assert len(receiver.ids) == 1


@pytest.mark.parametrize("status", [301, 404, 500])
async def test_any_other_status_is_tried_again(acme: Cast, status: int) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        answering(receiver, status, Location="/x")
        await make_issue(acme)
        await send_due(acme.db)
    assert [each["status"] for each in await deliveries_of(acme, made.id)] == ["waiting"]
