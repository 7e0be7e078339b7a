"""Prepare what tests of dispatch runs need, through the services."""

from datetime import timedelta
from typing import Any

import msgspec

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.clock import now
from masthead.model.ids import new_id
from masthead.model.returns.delivery_reports import PostalAddress
from masthead.services.claims.records import create_claim
from masthead.store.dispatch import runs
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast


async def claim_copy(cast: Cast, copy_id: int) -> str:
    """Record that a copy never came; returns the id of the claim."""
    body = ClaimCreate(copy=copy_id, reason=ClaimReason.NEVER_ARRIVED)
    return (await create_claim(cast.db, cast.account_id, body, by=BY)).id


async def hold_address(cast: Cast, copy: dict[str, Any]) -> None:
    """Put an address on hold, because this copy came back as undeliverable."""
    report = {
        "account_id": cast.account_id,
        "id": new_id(cast.account_id),
        "kind": "undeliverable",
        "status": "open",
        "line_id": None,
        "copy_id": copy["id"],
        "subscription_id": copy["subscription_id"],
        "subscriber_id": copy["subscriber_id"],
        "issue_number": copy["issue"]["number"],
        "reason": None,
        "report_date": None,
        "old_address": msgspec.json.encode(PostalAddress.from_row({"country": "DE"})).decode(),
        "new_address": None,
        "created_at": now(),
        "actor_kind": BY.kind,
        "actor_id": BY.id,
        "resolved_at": None,
    }

    async def work(tx: Transaction) -> None:
        await tx.insert_rows("delivery_report", [report])

    await cast.db.write(work, account_id=cast.account_id)


async def age_marking(cast: Cast, run_id: str, *, days: int) -> None:
    """Let a run have been marked days ago."""

    async def work(tx: Transaction) -> None:
        moment = now() - timedelta(days=days)
        await runs.update_dispatch(tx, cast.account_id, run_id, {"marked_at": moment})

    await cast.db.write(work, account_id=cast.account_id)
