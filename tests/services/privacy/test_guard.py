"""Nothing is written to the records of somebody who was erased."""

from collections.abc import Awaitable, Callable

import pytest

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import Erased
from masthead.services.billing.balances import write_off
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.claims.records import create_claim
from masthead.services.holds.by_hand import hold, release
from masthead.services.letters import subscribers as letters
from masthead.services.privacy.finish import restore_fingerprints
from masthead.services.reminders.terms import agree, stop_payer
from masthead.services.subscribers.notes import add_note
from masthead.services.subscribers.undo_merge import undo_merge
from masthead.store.privacy import erasures
from masthead.store.reminders.terms import ReminderTerm
from tests.conftest import BY, Cast
from tests.support.addresses import move
from tests.support.billing import bill_one, read_invoice, turn_on_billing
from tests.support.factories import fresh_order_id, make_issue
from tests.support.letters import execute
from tests.support.privacy import Known, erase, find_traces, make_known
from tests.support.subscribers import correct, merge, require_sound, rows

ADA = {"first_name": "Zebedee", "last_name": "Quuxley", "address1": "Xylophonweg 7"}


async def _claim(cast: Cast, known: Known) -> object:
    found = await rows(
        cast,
        "SELECT id FROM copy WHERE account_id = :account_id AND subscriber_id = :id"
        " AND status = 'Sent'",
        id=known.id,
    )
    await execute(cast, "DELETE FROM claim WHERE account_id = :account_id")
    body = ClaimCreate(copy=found[0]["id"], reason=ClaimReason.OTHER, notes="secretword")
    return await create_claim(cast.db, cast.account_id, body, by=BY)


async def _undo(cast: Cast, known: Known) -> object:
    found = await rows(
        cast,
        "SELECT id FROM subscriber_merge WHERE account_id = :account_id AND kept_id = :id",
        id=known.id,
    )
    return await undo_merge(cast.db, cast.account_id, found[0]["id"], by=BY)


WRITES: dict[str, Callable[[Cast, Known], Awaitable[object]]] = {
    "correct": lambda cast, known: correct(cast, known.id, last_name="Quuxley"),
    "note": lambda cast, known: add_note(
        cast.db, cast.account_id, known.id, "secretword about Zebedee", by=BY
    ),
    "address now": lambda cast, known: move(cast, known.subscription),
    "planned address": lambda cast, known: move(cast, known.subscription, first=3),
    "merge into": lambda cast, known: merge(cast, known.id, known.other),
    "merge away": lambda cast, known: merge(cast, known.other, known.id),
    "unsubscribe": lambda cast, known: letters.set_unsubscribed(
        cast.db, cast.account_id, known.id, is_unsubscribed=True, by=BY
    ),
    "bounce": lambda cast, known: letters.mark_bounced(
        cast.db, cast.account_id, known.id, reason="Zebedee has left", by=BY
    ),
    "hold": lambda cast, known: hold(
        cast.db, cast.account_id, known.subscription["id"], reason="secretword", by=BY
    ),
    "end of a hold": lambda cast, known: release(
        cast.db, cast.account_id, known.subscription["id"], reason="secretword", by=BY
    ),
    "end of a bounce": lambda cast, known: letters.clear_bounce(
        cast.db, cast.account_id, known.id, by=BY
    ),
    "claim": _claim,
    "undo of a merge": _undo,
}


@pytest.fixture
async def known(acme: Cast) -> Known:
    """A subscriber who was erased, and a bystander."""
    known = await make_known(acme)
    await erase(acme, known.id)
    await restore_fingerprints(acme.db)
    return known


async def test_no_service_writes_to_an_erased_subscriber(acme: Cast, known: Known) -> None:
    await make_issue(acme, 3)
    for name, write in WRITES.items():
        with pytest.raises(Erased) as refused:
            await write(acme, known)
        assert refused.value.args[0].startswith(f"The data of subscriber `{known.id}` was"), name
    assert await find_traces(acme) == []
    await require_sound(acme)


async def test_nothing_is_written_about_a_payer_who_was_erased_but_the_books_go_on(
    acme: Cast,
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, email="zed@example.test", length=1)
    await acme.post("/v1/issues/1/mark-sent/", {"subscription_ids": "all"})
    payer, term = invoice.payer_id, ReminderTerm(is_stopped=True, reason="secretword")
    await erase(acme, payer)
    cast, reason = (acme.db, acme.account_id), "secretword"
    with pytest.raises(Erased):
        await agree(acme.db, acme.account_id, invoice.id, term, by=BY)
    with pytest.raises(Erased):
        await stop_payer(*cast, payer, reason=reason, by=BY)
    await credit_invoice(*cast, invoice.id, amount=1000, reason=reason, by=BY)
    assert await write_off(*cast, invoice.id, reason=reason, by=BY) == 5000
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    assert await find_traces(acme, ["secretword"]) == []
    await require_sound(acme)


async def test_no_request_of_the_api_writes_to_an_erased_subscriber(
    acme: Cast, known: Known
) -> None:
    subscription = known.subscription["id"]
    renewal = {"source": acme.shop, "order_id": fresh_order_id(), "length": 1, "price": "1"}
    renewal |= {"order_date": "2026-01-20"}
    answers = [
        await acme.patch(f"/v1/subscribers/{known.id}/", {"last_name": "Quuxley"}),
        await acme.patch(f"/v1/subscriptions/{subscription}/", {**ADA}),
        await acme.post(f"/v1/subscriptions/{subscription}/renewals/", renewal),
        await acme.post(f"/v1/subscriptions/{subscription}/cancel/", {"mode": "cancel"}),
    ]
    assert answers[2].json()["code"] == "erased", answers[2].text
    assert [(each.status_code, each.json()["code"]) for each in answers] == [(410, "erased")] * 4
    assert await find_traces(acme) == []
    await require_sound(acme)


async def test_a_carrier_cannot_report_a_new_address_of_an_erased_subscriber(
    acme: Cast, known: Known
) -> None:
    (copy, *_rest) = await rows(
        acme,
        "SELECT id FROM copy WHERE account_id = :account_id AND subscriber_id = :id",
        id=known.id,
    )
    report = {
        "copy": copy["id"],
        "kind": "moved",
        "address1": "Xylophonweg 7",
        "city": "Otherville",
    }
    answer = await acme.post("/v1/delivery-reports/", {"reports": [{**report, "country": "DE"}]})
    assert answer.status_code == 200, answer.text
    assert "was erased" in answer.text
    assert await find_traces(acme) == []


@pytest.mark.parametrize("name", ["correct", "note", "address now", "claim"])
async def test_without_the_guard_personal_data_comes_back(
    acme: Cast, known: Known, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_nobody(*_: object) -> list[str]:
        return []

    monkeypatch.setattr(erasures, "list_erased", find_nobody)
    await WRITES[name](acme, known)
    assert await find_traces(acme, ["secretword", "quuxley", "ring 1"]) != []
