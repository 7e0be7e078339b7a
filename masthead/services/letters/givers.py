"""Enter the givers of gifts as subscribers, so that letters about the gifts go to them."""

from masthead.model.actors import Actor
from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.imports.values.person_names import split_name
from masthead.model.letters.outcomes import SkipReason
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.types.email_addresses import email_key
from masthead.services.billing.new_payers import insert_payer
from masthead.services.letters.recipients import plan_letters
from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction

MOST = 500  # givers at once, about three seconds


async def enter_givers(
    db: Database, account_id: int, stage: RenewalStage, *, placeholder_domain: str, by: Actor
) -> int:
    """Enter the givers of whom only the name and the email address are known, `MOST` at once.

    Those of gifts that have reached a stage and have no letter of it, unless it is left out. The
    letters go to them from then on, as the email address is theirs. Returns how many were entered.
    Queries: about six for each.
    """

    async def work(tx: Transaction) -> int:
        account = await accounts.lock_account(tx, account_id)
        plan = await plan_letters(tx, account, stage, is_to_recipient=True)
        names = dict[str, tuple[str, str | None]]()
        for letter in plan.letters:
            email, name = letter.candidate.gifter_email, letter.candidate.gifter_name
            if email and letter.decision is not SkipReason.EXCLUDED:
                names.setdefault(email_key(email), (email, name))
        own = {email_key(each.to.email) for each in plan.letters}
        found = [each for key, each in names.items() if key not in own][:MOST]
        for email, name in found:
            first, last = split_name(name) if name else (None, None)
            entry = PayerEntry(payer_email=email, payer_first_name=first, payer_last_name=last)
            await insert_payer(tx, account, entry, placeholder_domain, by)
        return len(found)

    return await db.write(work, account_id=account_id, is_long=True)
