"""A round: the letters of a stage that a user has looked at, without those left out, and a stop."""

from collections.abc import Mapping

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import account_now
from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel, LetterStatus, SkipReason
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.translations import counted, format_number, gettext as _
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters.recipients import LetterPlan, PlannedLetter, leave_out, plan_letters
from masthead.services.letters.write import WrittenBatch, write_planned
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.letters import exclusions, records as letters, stopped


class Selection(Struct, frozen=True):
    """What a user changed in the list of names. left_out, included: ids of periods.

    has_recipients: whether all letters about gifts go out that go to who got them; None for no
    change.
    """

    left_out: frozenset[int] = frozenset()
    included: frozenset[int] = frozenset()
    has_recipients: bool | None = None

    def leaves_out(self, letter: PlannedLetter) -> bool:
        """Whether a letter that goes out is left out now."""
        if letter.is_to_recipient and self.has_recipients is not None:
            return not self.has_recipients
        return letter.candidate.period_id in self.left_out

    def includes(self, letter: PlannedLetter) -> bool:
        """Whether a letter that was left out is included now."""
        if letter.is_to_recipient and self.has_recipients is not None:
            return self.has_recipients
        return letter.candidate.period_id in self.included


class Confirmed(Struct, frozen=True):
    """What a user confirms. expected: how many subscriptions the page showed, by channel."""

    expected: Mapping[LetterChannel, int]
    selection: Selection


class Stopped(Struct, frozen=True):
    """What a stop did. stopped: letters that do not go out. sent: those that went out before.

    on_their_way: emails that the mail server was getting at that moment.
    """

    stopped: int
    sent: int
    on_their_way: int


async def change_selection(
    db: Database, account_id: int, stage: RenewalStage, selection: Selection, *, by: Actor
) -> None:
    """Leave subscriptions out of the letters of a stage, or include them again."""

    async def work(tx: Transaction) -> None:
        account = await accounts.lock_account(tx, account_id)
        await _select(tx, account, stage, await plan_letters(tx, account, stage), selection, by)

    if selection != Selection():
        await db.write(work, account_id=account_id)


async def send_round(
    db: Database,
    account_id: int,
    stage: RenewalStage,
    confirmed: Confirmed,
    *,
    site: Site | None,
    by: Actor,
) -> list[WrittenBatch]:
    """Write the letters that a user confirmed, in one transaction; a batch for each channel.

    Takes as long as `write_letters`. site: None without a mail server. Raises: Invalid if the
    letters are not those that the page showed, or as `write_letters`; nothing is written then.
    """
    secret = await get_secret(db)

    async def work(tx: Transaction) -> list[WrittenBatch]:
        account = await accounts.lock_account(tx, account_id)
        plan = await plan_letters(tx, account, stage)
        require_expected(plan, confirmed.expected)
        plan = await _select(tx, account, stage, plan, confirmed.selection, by)
        return [
            await write_planned(tx, account, plan, stage, channel, secret=secret, site=site, by=by)
            for channel in confirmed.expected
            if plan.going_out(channel) or len(confirmed.expected) == 1
        ]

    written = await db.write(work, account_id=account_id, is_long=True)
    if not written:
        raise Invalid(_("No letters are left to send: you have left out all subscribers."))
    return written


def require_expected(plan: LetterPlan, expected: Mapping[LetterChannel, int]) -> None:
    """Raises: Invalid unless the plan has as many letters in each channel as a page showed."""
    found = {channel: len(plan.going_out(channel)) for channel in expected}
    if found == expected:
        return
    if not any(found.values()):
        raise Invalid(
            _("No letters are left to send for this stage. Perhaps they were sent just now.")
        )
    raise Invalid(
        counted(
            "The page showed {n} letter, but the number is {now} now: something has changed "
            "meanwhile. Nothing has been sent. Please check the names and confirm again.",
            "The page showed {n} letters, but the number is {now} now: something has changed "
            "meanwhile. Nothing has been sent. Please check the names and confirm again.",
            sum(expected.values()),
            now=format_number(sum(found.values())),
        )
    )


async def _select(
    tx: Transaction,
    account: Account,
    stage: RenewalStage,
    plan: LetterPlan,
    selection: Selection,
    by: Actor,
) -> LetterPlan:
    """The plan with a changed selection, which is stored. Ids that are not planned are ignored."""
    out = {
        each.candidate.period_id: each.candidate.subscription_id
        for each in plan.letters
        if each.goes_out and selection.leaves_out(each)
    }
    back = [
        each.candidate.period_id
        for each in plan.letters
        if each.decision is SkipReason.EXCLUDED and selection.includes(each)
    ]
    if not out and not back:
        return plan
    await exclusions.insert_excluded(tx, account.id, stage, out, moment=account_now(), by=by)
    await exclusions.delete_excluded(tx, account.id, stage, back)
    after: dict[str, object] = {"stage": stage.value}
    after |= {"left_out": len(out)} if out else {}
    after |= {"included": len(back)} if back else {}
    entry = NewEntry(EntryType.ACCOUNT_SELECT_LETTERS, account.id, None, after)
    await trail.record(tx, account.id, by, [entry])
    if back:
        return await plan_letters(tx, account, stage)
    return leave_out(plan, out.keys())


@with_locked_account
async def stop_batch(tx: Transaction, account: Account, batch_id: str, *, by: Actor) -> Stopped:
    """Stop the letters of a batch that have not gone out; their subscriptions can get new ones.

    Raises: NotFound.
    """
    await letters.get_batch(tx, account.id, batch_id)
    count = await stopped.update_stopped(tx, account.id, batch_id, account_now())
    left = await letters.count_statuses(tx, account.id, batch_id)
    if count:
        entry = NewEntry(EntryType.LETTER_BATCH_STOP, batch_id, None, {"letters": count})
        await trail.record(tx, account.id, by, [entry])
    return Stopped(
        stopped=count,
        sent=_count(left, LetterStatus.SENT, LetterStatus.PRINTED),
        on_their_way=_count(left, LetterStatus.QUEUED),
    )


def _count(
    found: Mapping[tuple[LetterStatus, SkipReason | None], int], *statuses: LetterStatus
) -> int:
    return sum(count for (status, _reason), count in found.items() if status in statuses)
