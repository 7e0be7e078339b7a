"""The stages of renewal letters, and the letters that were written."""

from starlette.responses import Response

from masthead.model.renewals.lapsed import RenewalStage, ends_at_stage
from masthead.services.letters.texts import list_texts
from masthead.store import accounts
from masthead.store.issues.records import find_current
from masthead.store.letters.failed import count_failed
from masthead.store.letters.rounds import count_renewed_since, list_rounds
from masthead.web.kit.context import PageContext

MAX_ROUNDS = 50


async def show_letters(context: PageContext) -> Response:
    """All stages with their issue, and the newest rounds."""
    account_id = context.account_id
    async with context.db.read(aside=True) as db:
        account = await accounts.get_account(db, account_id)
        current = await find_current(db, account_id, account.daily_date)
        texts = await list_texts(db, account)
        rounds = await list_rounds(db, account_id, MAX_ROUNDS)
        failed = await count_failed(db, account_id)
        renewed = await count_renewed_since(db, account_id, rounds)
    ends = {}
    if current is not None:
        for stage in RenewalStage:
            ends[stage] = ends_at_stage(stage, current.number, account.daily_date).last_issue
    return context.render(
        "letters/overview.html",
        current=current,
        texts=texts.values(),
        ends=ends,
        rounds=rounds,
        renewed=renewed,
        failed=failed,
    )
