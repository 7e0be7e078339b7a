"""Letters to the chosen rows of a list: those who are at a stage get the letter of that stage."""

from collections.abc import Mapping

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.bulk import Chosen, ChosenList, RowChoice
from masthead.model.emails import Site
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.bulk.choose import choose
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters.recipients import LetterPlan, plan_letters
from masthead.services.letters.rounds import require_expected
from masthead.services.letters.write import WrittenBatch, write_planned
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.bulk import list_paid_by
from masthead.store.engine.interface import Connection, Database, Transaction


async def plan_chosen(
    db: Connection, account: Account, chosen: Chosen, stage: RenewalStage
) -> LetterPlan:
    """The letters of a stage to the chosen rows that are not written yet.

    Chosen subscribers get the letters on what they pay for: also gifts that they gave, but not
    those that they got. Queries: three to seven, read aside.
    """
    if chosen.listed is ChosenList.SUBSCRIPTIONS:
        return await plan_letters(db, account, stage, only=chosen.ids)
    only = await list_paid_by(db, account.id, chosen.ids)
    plan = await plan_letters(db, account, stage, only=only)
    ids = set(chosen.ids)
    return structs.replace(plan, letters=[each for each in plan.letters if each.to.id in ids])


async def send_chosen(
    db: Database,
    account_id: int,
    stage: RenewalStage,
    choice: RowChoice,
    expected: Mapping[LetterChannel, int],
    *,
    fingerprint: str,
    site: Site | None,
    by: Actor,
) -> list[WrittenBatch]:
    """Write the letters of a stage to the chosen rows; a batch for each channel of `expected`.

    expected: how many letters the page showed. fingerprint: of the rows that it showed. site: None
    without a mail server. All are written, or none. Raises: Invalid, as `choose`, `send_round` and
    `write_letters`.
    """
    secret = await get_secret(db)

    async def work(tx: Transaction) -> list[WrittenBatch]:
        account = await accounts.lock_account(tx, account_id)
        chosen = await choose(tx, account_id, choice, expected=fingerprint)
        plan = await plan_chosen(tx, account, chosen, stage)
        require_expected(plan, expected)
        return [
            await write_planned(tx, account, plan, stage, channel, secret=secret, site=site, by=by)
            for channel in expected
        ]

    return await db.write(work, account_id=account_id, is_long=True)
