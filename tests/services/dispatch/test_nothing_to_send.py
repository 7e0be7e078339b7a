"""Why a run would be empty, or has nothing left to mark."""

from datetime import date
from typing import Any

import pytest

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.clock import now
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.model.errors import Invalid
from masthead.model.ids import new_id
from masthead.services.claims import records as claims
from masthead.services.dispatch import runs
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription


async def freeze(cast: Cast, issue_id: str, **selection: tuple[str, ...]) -> Dispatch:
    chosen = DispatchSelection(**selection)  # type: ignore[arg-type]
    return await runs.freeze_dispatch(cast.db, cast.account_id, issue_id, chosen, by=BY)


async def test_each_reason_is_named_with_its_number(acme: Cast) -> None:
    issue = await make_issue(acme)
    with pytest.raises(Invalid, match=r"issue 1\. It has no copies"):
        await freeze(acme, issue["id"])
    early = await make_subscription(acme)
    held = await freeze(acme, issue["id"])
    await runs.mark_dispatch(acme.db, acme.account_id, held.id, date(2026, 5, 3), by=BY)
    with pytest.raises(Invalid, match="All its copies are sent or cancelled"):
        await freeze(acme, issue["id"])
    with pytest.raises(Invalid, match="already marked as sent with the date 2026-05-03"):
        await runs.mark_dispatch(acme.db, acme.account_id, held.id, None, by=BY)
    (copy,) = await copies_of(acme, early["id"])
    body = ClaimCreate(copy=copy["id"], reason=ClaimReason.NEVER_ARRIVED)
    await claims.create_claim(acme.db, acme.account_id, body, by=BY)
    await make_subscription(acme, country="FR")
    await make_subscription(acme, country="FR")
    await freeze(acme, issue["id"], countries=("FR",))
    unknown = await make_subscription(acme)

    async def hold(tx: Transaction) -> None:
        report: dict[str, Any] = {"kind": "undeliverable", "status": "open", "old_address": "{}"}
        report |= {"account_id": acme.account_id, "id": new_id(acme.account_id), "copy_id": 0}
        report |= {"subscription_id": unknown["id"], "subscriber_id": "X", "issue_number": 1}
        report |= {"created_at": now(), "actor_kind": BY.kind, "actor_id": BY.id}
        await tx.insert_rows("delivery_report", [report])

    await acme.db.write(hold, account_id=acme.account_id)
    with pytest.raises(Invalid) as refused:
        await freeze(acme, issue["id"], countries=("AT",))
    assert refused.value.code == "nothing_to_send"
    assert str(refused.value) == (
        "Nothing is left to send of issue 1. 2 copies are in dispatch 2, which is prepared: mark "
        "or discard that one. 1 copy is on hold, because the address is undeliverable. 1 copy is "
        "not selected by the filters."
    )


async def test_a_run_of_which_no_line_is_left_can_only_be_discarded(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    run = await freeze(acme, issue["id"])
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    with pytest.raises(Invalid, match="No copy is left to mark"):
        await runs.mark_dispatch(acme.db, acme.account_id, run.id, None, by=BY)
    await runs.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
