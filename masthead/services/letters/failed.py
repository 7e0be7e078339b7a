"""Write a letter on paper in place of an email that could not be sent."""

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel, SkipReason
from masthead.model.translations import gettext as _
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters.recipients import plan_letters
from masthead.services.letters.write import WrittenBatch, write_planned
from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction
from masthead.store.letters import failed, records as letters


async def print_failed(
    db: Database, account_id: int, batch_id: str, letter_id: str, *, by: Actor
) -> WrittenBatch:
    """Write a letter that could not be sent again, to be printed; it stays in its round.

    Raises: NotFound if there is no such batch; Invalid if the letter has not failed, if its
    subscriber does not need it any more, or if there is no postal address.
    """
    secret = await get_secret(db)

    async def work(tx: Transaction) -> WrittenBatch:
        account = await accounts.lock_account(tx, account_id)
        batch = await letters.get_batch(tx, account_id, batch_id)
        subscription_id = await failed.delete_failed(tx, account_id, batch_id, letter_id)
        if subscription_id is None:
            raise Invalid(_("This letter is not among those that could not be sent any more."))
        plan = await plan_letters(tx, account, batch.stage, only=[subscription_id], on_paper=True)
        if not plan.letters:
            raise Invalid(
                _(
                    "The subscription is not at this stage any more: it was renewed or cancelled, "
                    "or a newer issue is out."
                )
            )
        [letter] = plan.letters
        if isinstance(letter.decision, SkipReason):
            reason = (
                _("no postal address")
                if letter.decision is SkipReason.NO_ADDRESS
                else letter.decision.words
            )
            raise Invalid(
                _("{name} cannot get the letter on paper: {reason}.").format(
                    name=letter.to.full_name, reason=reason
                )
            )
        return await write_planned(
            tx,
            account,
            plan,
            batch.stage,
            LetterChannel.PRINT,
            secret=secret,
            site=None,
            by=by,
            round_id=batch.round_id or batch.id,
        )

    return await db.write(work, account_id=account_id)
