"""Record and close claims of copies that never came, and the limit on replacements."""

from collections.abc import Sequence

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import (
    Claim,
    ClaimStatus,
    CreatedClaim,
    ReplacementPolicy,
    checked_policy,
)
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.ids import new_id
from masthead.model.translations import gettext as _
from masthead.services.claims.claimable import find_copy_id, require_claimable, warn_of_replacements
from masthead.services.privacy.guard import require_not_erased
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.claims import records as store
from masthead.store.engine.interface import Database, Transaction


async def create_claim(
    db: Database, account_id: int, body: ClaimCreate, *, by: Actor
) -> CreatedClaim:
    """Record that a subscriber did not get a copy that was sent. Its history does not change.

    The replacement is an extra line of the next run of the issue. Claims over the limit on
    replacements are accepted with a warning.
    Queries: about 15. Raises: NotFound, Invalid.
    """
    [claim] = await create_claims(db, account_id, [body], by=by)
    return claim


@with_locked_account
async def create_claims(
    tx: Transaction, account: Account, bodies: Sequence[ClaimCreate], *, by: Actor
) -> list[CreatedClaim]:
    """Record claims of several copies: all of them or none.

    Raises: NotFound, Invalid, also if the copies are not of one subscriber.
    """
    created = [await _create(tx, account.id, body, by=by) for body in bodies]
    if len({claim.subscriber_id for claim in created}) > 1:
        raise Invalid(_("Claims of several subscribers cannot be recorded together."))
    return created


async def _create(
    tx: Transaction, account_id: int, body: ClaimCreate, *, by: Actor
) -> CreatedClaim:
    copy = await require_claimable(tx, account_id, await find_copy_id(tx, account_id, body))
    await require_not_erased(tx, account_id, [copy.subscriber_id])
    wants_replacement = body.replacement is not False
    warnings = await warn_of_replacements(tx, account_id, [copy]) if wants_replacement else []
    id = new_id(account_id)
    columns = {
        "copy_id": copy.id,
        "country": copy.country,
        "reason": body.reason.value,
        "notes": body.notes,
        "wants_replacement": wants_replacement,
    }
    await store.insert_claim(
        tx,
        account_id,
        {
            **columns,
            "id": id,
            "subscription_id": copy.subscription_id,
            "subscriber_id": copy.subscriber_id,
            "issue_number": copy.issue_number,
            "status": (ClaimStatus.OPEN if wants_replacement else ClaimStatus.CLOSED).value,
            "actor_kind": by.kind,
            "actor_id": by.id,
            "closed_at": None if wants_replacement else now(),
        },
    )
    entry = NewEntry(EntryType.CLAIM_CREATE, id, None, columns)
    await trail.record(tx, account_id, by, [entry])
    claim = await store.get_claim(tx, account_id, id)
    return CreatedClaim(**structs.asdict(claim), warnings=warnings)


async def close_claim(db: Database, account_id: int, id: str, *, by: Actor) -> Claim:
    """Withdraw a claim whose replacement waits; one that is closed already does not change.

    Raises: NotFound, Invalid.
    """
    [claim] = await close_claims(db, account_id, [id], by=by)
    return claim


@with_locked_account
async def close_claims(
    tx: Transaction, account: Account, ids: Sequence[str], *, by: Actor
) -> list[Claim]:
    """Withdraw claims, such as those of several copies for one address: all of them or none.

    Raises: NotFound, Invalid.
    """
    return [await _close(tx, account.id, id, by=by) for id in ids]


async def _close(tx: Transaction, account_id: int, id: str, *, by: Actor) -> Claim:
    claim = await store.get_claim(tx, account_id, id)
    if claim.status is ClaimStatus.IN_RUN:
        raise Invalid(
            _(
                "The replacement of claim `{id}` is in a prepared dispatch, whose files may "
                "list it already, so it stays there. Discard the dispatch `{run}` first, if "
                "none of its copies was shipped."
            ).format(id=id, run=claim.dispatch_id),
            code="claim_held",
            id=claim.dispatch_id or "",
        )
    if claim.status is ClaimStatus.SENT:
        raise Invalid(
            _(
                "The replacement of claim `{id}` is already sent, so the claim cannot be withdrawn."
            ).format(id=id),
            code="claim_sent",
        )
    if claim.status is ClaimStatus.OPEN:
        changes = {"status": ClaimStatus.CLOSED.value, "closed_at": now()}
        await store.update_claim(tx, account_id, id, changes)
        states = {"status": claim.status}, {"status": ClaimStatus.CLOSED}
        await trail.record(tx, account_id, by, [NewEntry(EntryType.CLAIM_CLOSE, id, *states)])
    return await store.get_claim(tx, account_id, id)


@with_locked_account
async def update_policy(
    tx: Transaction, account: Account, *, replacements: int, issues: int, by: Actor
) -> None:
    """Set how many replacements a subscriber gets without a warning. issues: 0 for no limit.

    Raises: Invalid.
    """
    policy = checked_policy(replacements, issues)
    before = await store.get_policy(tx, account.id)
    if before == policy:
        return
    await accounts.update_account(tx, account.id, _columns(policy))
    entry = NewEntry(EntryType.ACCOUNT_UPDATE, account.id, _columns(before), _columns(policy))
    await trail.record(tx, account.id, by, [entry])


def _columns(policy: ReplacementPolicy) -> dict[str, object]:
    return {
        "max_replacements": policy.replacements,
        "max_replacements_issues": policy.issues,
    }
