"""Look again, when letters are about to go out, whether their subscribers should still get them."""

from masthead.model.letters.outcomes import LetterStatus, SkipReason, reason_to_skip
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from masthead.store.engine.interface import Transaction
from masthead.store.letters import facts as store, records as letters
from masthead.store.letters.stopped import count_stopped
from masthead.store.renewals import lapsed


async def recheck_email(tx: Transaction, email: QueuedEmail) -> str | None:
    """The address to send a letter to, as it is now; None if it is skipped instead.

    The outbox and the letter then say why. Queries: two, or up to five if it is skipped.
    """
    account_id, id = email.account_id, email.id
    facts = await store.get_facts(tx, account_id, id)
    open = await lapsed.find_open(tx, account_id, [facts.period_id])
    reason = reason_to_skip(facts, is_open=bool(open))
    if reason is None:
        return facts.email
    why = f"Not sent: {reason.words}."
    await outbox.update_cancelled(tx, account_id, id, reason=why)
    await letters.update_status(tx, account_id, id, LetterStatus.SKIPPED, reason)
    if reason is SkipReason.STOPPED:
        await count_stopped(tx, account_id, id)
    return None


async def recheck_printed(tx: Transaction, account_id: int, batch_id: str) -> None:
    """Skip the letters of a batch that must not be printed any more. Queries: two to six."""
    unprinted = await store.list_facts_to_print(tx, account_id, batch_id)
    open = await lapsed.find_open(tx, account_id, [each.period_id for each in unprinted])
    skipped: dict[SkipReason, list[str]] = {}
    for facts in unprinted:
        reason = reason_to_skip(facts, is_open=facts.period_id in open)
        if reason is not None:
            skipped.setdefault(reason, []).append(facts.letter_id)
    for reason, ids in skipped.items():
        await store.update_skipped(tx, account_id, ids, reason)
