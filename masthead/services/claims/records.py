"""Record and close claims of copies that never came, and the limit on replacements."""

from collections.abc import Sequence

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_events import AuditEvent, EventType
from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import (
    Claim,
    ClaimReason,
    ClaimStatus,
    CreatedClaim,
    ReplacementPolicy,
    checked_policy,
)
from masthead.model.clock import now
from masthead.model.dispatch.copy_keys import WIDTH, line_of_key
from masthead.model.errors import Invalid, NotFound
from masthead.model.ids import new_id
from masthead.model.timeline.answers import Day, IssueAnswer
from masthead.model.timeline.explanation import iso
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, Medium
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.services.claims.why import answer_why
from masthead.services.privacy.guard import require_not_erased
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.claims import records as store
from masthead.store.claims.records import ClaimableCopy
from masthead.store.dispatch import lines
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.issues import records as issues


class ClaimPreview(Struct, frozen=True, kw_only=True):
    """The copy that a claim would be about. sentence: what happened to it.

    warnings: what to know before a replacement is sent.
    """

    copy_id: int
    issue_id: str
    issue_number: int
    subscriber_id: str
    subscription_id: str
    sentence: str
    warnings: Sequence[str]


@with_locked_account
async def create_claim(
    tx: Transaction, account: Account, body: ClaimCreate, *, by: Actor
) -> CreatedClaim:
    """Record that a subscriber did not get a copy that was sent. Its history does not change.

    The replacement is an extra line of the next run of the issue. Claims over the limit on
    replacements are accepted with a warning.
    Queries: about 15. Raises: NotFound, Invalid.
    """
    copy = await _require_claimable(tx, account.id, await find_copy_id(tx, account.id, body))
    await require_not_erased(tx, account.id, [copy.subscriber_id])
    wants_replacement = body.replacement is not False
    warnings = await _warn(tx, account.id, copy) if wants_replacement else []
    id = new_id(account.id)
    columns = {
        "copy_id": copy.id,
        "country": copy.country,
        "reason": body.reason.value,
        "notes": body.notes,
        "wants_replacement": wants_replacement,
    }
    await store.insert_claim(
        tx,
        account.id,
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
    event = AuditEvent(EventType.CLAIM_CREATE, id, None, columns)
    await trail.record(tx, account.id, by, [event])
    claim = await store.get_claim(tx, account.id, id)
    return CreatedClaim(**structs.asdict(claim), warnings=warnings)


async def preview_claim(
    db: Connection, account_id: int, reference: str, *, day: Day = iso
) -> ClaimPreview:
    """The copy that a claim would be about. reference: see `read_reference`.

    Queries: about 15, which need one snapshot. Raises: NotFound, Invalid.
    """
    copy_id, key = read_reference(reference)
    body = ClaimCreate(copy=copy_id, key=key, reason=ClaimReason.OTHER)
    found = await find_copy_id(db, account_id, body)
    copy = await _require_claimable(db, account_id, found, day=day)
    answer = await _answer(db, account_id, copy, day=day)
    return ClaimPreview(
        copy_id=copy.id,
        issue_id=copy.issue_id,
        issue_number=copy.issue_number,
        subscriber_id=copy.subscriber_id,
        subscription_id=copy.subscription_id,
        sentence=answer.sentence,
        warnings=await _warn(db, account_id, copy),
    )


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
    if claim.status is ClaimStatus.HELD:
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
        await trail.record(tx, account_id, by, [AuditEvent(EventType.CLAIM_CLOSE, id, *states)])
    return await store.get_claim(tx, account_id, id)


def read_reference(text: str) -> tuple[int | None, str | None]:
    """The id or the key of a copy, from a text that is either. An id has ten digits or more."""
    tidy = text.strip()
    if len(tidy) > WIDTH and is_digits(tidy, at_most=MAX_DIGITS):
        return int(tidy), None
    return None, tidy


async def find_copy_id(db: Connection, account_id: int, body: ClaimCreate) -> int:
    """The copy that a claim names by its id or by the key on its label. Raises: NotFound, Invalid.

    The key of a replacement identifies the copy that it replaces.
    """
    if (body.copy is None) == (body.key is None):
        raise Invalid(
            "Send either `copy`, the id of a copy, or `key`, the key printed on its label.",
            field="copy",
        )
    if body.copy is not None:
        return body.copy
    assert body.key is not None
    line = await lines.find_line(db, account_id, line_of_key(account_id, body.key))
    if line is None:
        raise NotFound("copy with the key", body.key)
    return line.copy_id


async def update_policy(
    db: Database, account_id: int, *, replacements: int, issues: int, by: Actor
) -> None:
    """Set how many replacements a subscriber gets without a warning. issues: 0 for no limit.

    Raises: Invalid.
    """
    policy = checked_policy(replacements, issues)

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        before = await store.get_policy(tx, account_id)
        if before == policy:
            return
        await accounts.update_account(tx, account_id, _columns(policy))
        event = AuditEvent(EventType.ACCOUNT_UPDATE, account_id, _columns(before), _columns(policy))
        await trail.record(tx, account_id, by, [event])

    await db.write(work, account_id=account_id)


def _columns(policy: ReplacementPolicy) -> dict[str, object]:
    return {
        "max_replacements": policy.replacements,
        "max_replacements_issues": policy.issues,
    }


async def _require_claimable(
    db: Connection, account_id: int, copy_id: int, *, day: Day = iso
) -> ClaimableCopy:
    """The copy, if it can be claimed. Raises: NotFound, Invalid."""
    copy = await store.get_claimable(db, account_id, copy_id)
    if copy.claim_id is not None:
        raise Invalid(
            _(
                "Claim `{id}` of this copy is open: its replacement is not sent yet. Withdraw that "
                "claim, or wait until its replacement is sent."
            ).format(id=copy.claim_id),
            code="claim_exists",
            field="copy",
            value=copy_id,
            id=copy.claim_id,
        )
    if copy.status is CopyStatus.SENT and copy.medium is not Medium.DIGITAL:
        return copy
    answer = await _answer(db, account_id, copy, day=day)
    code = "copy_not_sent"
    if copy.status is CopyStatus.CANCELLED:
        code = "copy_cancelled"
    elif copy.medium is Medium.DIGITAL:
        code = "copy_digital"
    raise Invalid(
        _("Only a copy that was sent by post can be claimed.") + f" {answer.sentence}",
        code=code,
        field="copy",
        value=copy_id,
    )


async def _answer(db: Connection, account_id: int, copy: ClaimableCopy, *, day: Day) -> IssueAnswer:
    """What became of the copy, or why it is not sent."""
    return await answer_why(
        db,
        account_id,
        copy.subscriber_id,
        number=copy.issue_number,
        subscription_id=copy.subscription_id,
        day=day,
    )


async def _warn(db: Connection, account_id: int, copy: ClaimableCopy) -> list[str]:
    """What to know before a replacement is sent. Queries: three at most."""
    number = copy.issue_number
    policy = await store.get_policy(db, account_id)
    replaced = await store.list_replaced(db, account_id, copy.subscriber_id)
    between = await issues.find_issues(
        db, account_id, min([number, *replaced]), max([number, *replaced])
    )
    warnings = [policy.warn(number, replaced, [each.number for each in between])]
    if copy.hold_id is not None:
        warnings.append(
            _(
                "The address is on hold, because the post returned a copy. The replacement waits "
                "until the address is corrected."
            )
        )
    return [each for each in warnings if each]
