"""What is due today by stage, what is left out and why, and the rounds so far."""

from functools import partial

from starlette.responses import Response

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.reminders.due import describe_unreminded
from masthead.services.reminders.counts import count_reminders
from masthead.store import accounts
from masthead.store.billing import settings as settings_store
from masthead.store.reminders import records as store
from masthead.web.kit.context import PageContext

MAX_LISTED = 200
MAX_ROUNDS = 20


async def show_overview(context: PageContext) -> Response:
    """The stages with what is due, the invoices that are left out, and the newest rounds."""
    async with context.db.read(aside=True) as db:
        account = await accounts.get_account(db, context.account_id)
        find = partial(
            count_reminders,
            db,
            account,
            account.daily_date,
            most=MAX_LISTED,
            has_mail=context.site is not None,
        )
        due = await context.count_once(db, "reminders", find)
        rounds = await store.list_rounds(db, context.account_id, MAX_ROUNDS)
        has_billing = await settings_store.find_settings(db, context.account_id) is not None
    return context.render(
        "reminders/overview.html",
        due=due,
        counts={
            stage.stage: {channel: due.counts[stage.stage, channel] for channel in LetterChannel}
            for stage in due.stages
        },
        channels=LetterChannel,
        left_out=due.left_out,
        others=due.others,
        rounds=rounds,
        has_billing=has_billing,
        today=account.daily_date,
        why=describe_unreminded,
    )
