"""`masthead dispatch claim`, `claims` and `close-claim`."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from masthead.cli.command import Json, command_actor, list_all, on_account
from masthead.cli.output import print_message, print_record, print_records
from masthead.model.claims.inputs import ClaimCreate, ClaimQuery
from masthead.model.claims.rules import Claim, ClaimReason, ClaimStatus
from masthead.model.validation import decode_input
from masthead.services.claims import records as service
from masthead.services.claims.claimable import read_reference
from masthead.store.accounts import Account
from masthead.store.claims import records as store
from masthead.store.engine.interface import Database


@on_account
async def record_claim(
    db: Database,
    account: Account,
    *,
    copy: Annotated[str, Parameter(name="--copy")],
    reason: Annotated[ClaimReason, Parameter(name="--reason")],
    notes: str | None = None,
    replacement: bool = True,
    json: Json = False,
) -> None:
    """Record that a subscriber did not get a copy; the replacement is in the next run of the issue.

    A claim over the limit on replacements is recorded too, with a warning.

    Parameters
    ----------
    copy
        id of the copy, or the key printed on its label
    reason
        what the subscriber says
    notes
        internal notes
    replacement
        whether the subscriber gets a replacement
    """
    copy_id, key = read_reference(copy)
    given = {
        "copy": copy_id,
        "key": key,
        "reason": reason.value,
        "notes": notes,
        "replacement": replacement,
    }
    body = decode_input(ClaimCreate, given)
    claim = await service.create_claim(db, account.id, body, by=command_actor("dispatch claim"))
    for warning in claim.warnings:
        print_message(f"Warning: {warning}")
    if json:
        print_record(msgspec.to_builtins(claim), json=True)
    else:
        print_record(_flat(claim), json=False)


@on_account
async def list_claims(
    db: Database, account: Account, *, status: ClaimStatus | None = None, json: Json = False
) -> None:
    """List the claims of an account, newest first.

    Parameters
    ----------
    status
        only claims with this status
    """
    query = ClaimQuery(status=status)
    claims = await list_all(
        db, account.id, lambda db, id, page: store.list_claims(db, id, query, page)
    )
    if json:
        print_records([msgspec.to_builtins(claim) for claim in claims], json=True)
    else:
        print_records([_flat(claim) for claim in claims], json=False)


@on_account
async def close_claim(db: Database, account: Account, id: str, /, *, json: Json = False) -> None:
    """Withdraw a claim whose replacement is in no run yet."""
    by = command_actor("dispatch close-claim")
    claim = await service.close_claim(db, account.id, id, by=by)
    if json:
        print_record(msgspec.to_builtins(claim), json=True)
    else:
        print_message(f"Claim {claim.id} is closed: no replacement will be sent.")


def _flat(claim: Claim) -> Mapping[str, Any]:
    """The fields of a claim as texts in one line; the issue by its number."""
    return {**msgspec.structs.asdict(claim), "issue": claim.issue.number}
