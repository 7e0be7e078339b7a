"""Which copies can be claimed, and what to know before replacements of them are sent."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.claims.inputs import ClaimCreate, copy_or_key
from masthead.model.claims.rules import ClaimReason
from masthead.model.dispatch.copy_keys import WIDTH, line_of_key
from masthead.model.errors import Invalid, NotFound
from masthead.model.timeline.answers import Day, IssueAnswer
from masthead.model.timeline.explanation import iso
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, Medium
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.services.claims.why import answer_why
from masthead.store.claims import claimable as store, records as claims
from masthead.store.claims.claimable import ClaimableCopy, SentCopy
from masthead.store.dispatch import lines
from masthead.store.engine.interface import Connection
from masthead.store.holds import records as holds
from masthead.store.issues import records as issues
from masthead.store.subscriptions.bundles import find_groups

MAX_OTHERS = 6  # rows of other copies that a page offers
_MAX_COPIES = 500  # that are read for them


class OtherCopies(Struct, frozen=True, kw_only=True):
    """Copies of one issue for one address. sent_on: None if it is not known.

    to: the recipient, if it is not the subscription of the copy that the claim is about.
    """

    copy_ids: Sequence[int]
    issue_number: int
    sent_on: date | None
    to: str = ""

    @property
    def key(self) -> str:
        """The ids of the copies, as a form has them."""
        return " ".join(map(str, self.copy_ids))


class ClaimPreview(Struct, frozen=True, kw_only=True):
    """The copy that a claim would be about. sentence: what happened to it.

    warnings: what to know before a replacement is sent. waits: until when it would not be sent, a
    sentence; empty if nothing holds it.
    """

    copy: ClaimableCopy
    sentence: str
    warnings: Sequence[str]
    waits: str


async def preview_claim(
    db: Connection, account_id: int, reference: str, *, day: Day = iso
) -> ClaimPreview:
    """The copy that a claim would be about. reference: see `read_reference`.

    Queries: about 16, which need one snapshot. Raises: NotFound, Invalid.
    """
    copy_id = await _read_copy_id(db, account_id, reference)
    copy = await require_claimable(db, account_id, copy_id, day=day)
    answer = await _answer(db, account_id, copy, day=day)
    over = await _why_too_many(db, account_id, [copy])
    waits = await _why_waiting(db, account_id, [copy])
    warnings = [each for each in (over, waits) if each]
    return ClaimPreview(copy=copy, sentence=answer.sentence, warnings=warnings, waits=waits)


async def find_subscriber(db: Connection, account_id: int, reference: str) -> str:
    """The id of the subscriber of a copy, even if it has a claim. Raises: NotFound, Invalid."""
    copy_id = await _read_copy_id(db, account_id, reference)
    return (await store.get_claimable(db, account_id, copy_id)).subscriber_id


async def _read_copy_id(db: Connection, account_id: int, reference: str) -> int:
    """The copy that a reference names. Raises: NotFound, Invalid."""
    copy_id, key = read_reference(reference)
    body = ClaimCreate(copy=copy_id, key=key, reason=ClaimReason.OTHER)
    return await find_copy_id(db, account_id, body)


async def list_others(db: Connection, account_id: int, copy: ClaimableCopy) -> list[OtherCopies]:
    """Other copies of the same subscriber that can be claimed too, newest issue first.

    Queries: two.
    """
    found = await store.list_claimable(db, account_id, copy.subscriber_id, limit=_MAX_COPIES)
    ids = {copy.subscription_id, *(each.subscription_id for each in found)}
    groups = await find_groups(db, account_id, ids) if len(ids) > 1 else {}
    first = {id: groups[id].first if id in groups else id for id in ids}
    together = defaultdict[tuple[int, str], list[SentCopy]](list)
    for each in found:
        if each.id != copy.id:
            together[each.issue_number, first[each.subscription_id]].append(each)
    rows = [
        OtherCopies(
            copy_ids=[each.id for each in copies],
            issue_number=number,
            sent_on=copies[0].sent_on,
            to=copies[0].to if of != first[copy.subscription_id] else "",
        )
        for (number, of), copies in together.items()
    ]
    return sorted(rows, key=lambda row: (-row.issue_number, row.to))[:MAX_OTHERS]


async def warn_of_several(
    db: Connection, account_id: int, copy: ClaimableCopy, others: Sequence[int]
) -> list[str]:
    """What to know before replacements of a copy and of others are sent. Raises: NotFound."""
    copies = [await store.get_claimable(db, account_id, id) for id in others]
    return await warn_of_replacements(db, account_id, [copy, *copies])


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
        raise copy_or_key()
    if body.copy is not None:
        return body.copy
    assert body.key is not None
    line = await lines.find_line(db, account_id, line_of_key(account_id, body.key))
    if line is None:
        raise NotFound("copy with the key", body.key)
    return line.copy_id


async def require_claimable(
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


async def warn_of_replacements(
    db: Connection, account_id: int, copies: Sequence[ClaimableCopy]
) -> list[str]:
    """What to know before replacements of copies of one subscriber are sent. Queries: four."""
    over = await _why_too_many(db, account_id, copies)
    waits = await _why_waiting(db, account_id, copies)
    return [each for each in (over, waits) if each]


async def _why_too_many(db: Connection, account_id: int, copies: Sequence[ClaimableCopy]) -> str:
    """The limit that replacements would exceed; empty if there is none. Queries: three."""
    numbers = [each.issue_number for each in copies]
    policy = await claims.get_policy(db, account_id)
    replaced = await claims.list_replaced(db, account_id, copies[0].subscriber_id)
    known = [*replaced, *numbers]
    between = [
        each.number for each in await issues.find_issues(db, account_id, min(known), max(known))
    ]
    over = [
        policy.warn(number, [*replaced, *numbers[:place]], between)
        for place, number in enumerate(numbers)
    ]
    return next((each for each in reversed(over) if each), "")


async def _why_waiting(db: Connection, account_id: int, copies: Sequence[ClaimableCopy]) -> str:
    """Until when replacements would not be sent; empty if nothing holds them. Queries: one."""
    if any(each.hold_id is not None for each in copies):
        return _(
            "The address is on hold, because the post returned a copy. The replacement waits "
            "until the address is corrected."
        )
    ids = {each.subscription_id for each in copies}
    if await holds.list_of_subscriptions(db, account_id, ids, only_open=True):
        return _("The subscription is held. The replacement waits until it is released.")
    return ""
