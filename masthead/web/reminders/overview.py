"""What is due today by stage, what is left out and why, and the rounds so far."""

from collections import Counter

from starlette.responses import Response

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.reminders.due import describe_unreminded
from masthead.model.types.money import money_text
from masthead.services.reminders.plan import plan_reminders
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
        plan = await plan_reminders(
            db, account, account.daily_date, has_mail=context.site is not None
        )
        rounds = await store.list_rounds(db, context.account_id, MAX_ROUNDS)
        has_billing = await settings_store.find_settings(db, context.account_id) is not None
    counts = Counter((each.stage.stage, each.channel) for each in plan.letters)
    return context.render(
        "reminders/overview.html",
        plan=plan,
        counts={
            stage.stage: {channel: counts[stage.stage, channel] for channel in LetterChannel}
            for stage in plan.stages
        },
        channels=LetterChannel,
        left_out=plan.left_out[:MAX_LISTED],
        others=max(len(plan.left_out) - MAX_LISTED, 0),
        rounds=rounds,
        has_billing=has_billing,
        today=account.daily_date,
        why=describe_unreminded,
        amount=money_text,
    )
