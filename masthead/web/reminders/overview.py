"""What is due today by stage, what is left out and why, and the rounds so far."""

from collections import Counter
from functools import partial

from msgspec import Struct, structs
from starlette.responses import Response

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.reminders.due import describe_unreminded
from masthead.services.reminders.plan import ReminderPlan, plan_reminders
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.billing import settings as settings_store
from masthead.store.engine.interface import Connection
from masthead.store.reminders import records as store
from masthead.web.kit.context import PageContext

MAX_LISTED = 200
MAX_ROUNDS = 20


class Due(Struct, frozen=True):
    """What the page shows of a plan, which is kept without its letters.

    counts: letters by stage and channel. others: how many more are left out.
    """

    plan: ReminderPlan
    counts: Counter[tuple[int, LetterChannel | None]]
    others: int


async def _find_due(db: Connection, account: Account, *, has_mail: bool) -> Due:
    plan = await plan_reminders(db, account, account.daily_date, has_mail=has_mail)
    return Due(
        plan=structs.replace(plan, letters=(), left_out=plan.left_out[:MAX_LISTED]),
        counts=Counter((each.stage.stage, each.channel) for each in plan.letters),
        others=max(len(plan.left_out) - MAX_LISTED, 0),
    )


async def show_overview(context: PageContext) -> Response:
    """The stages with what is due, the invoices that are left out, and the newest rounds."""
    async with context.db.read(aside=True) as db:
        account = await accounts.get_account(db, context.account_id)
        find = partial(_find_due, db, account, has_mail=context.site is not None)
        due = await context.count_once(db, "reminders", find)
        rounds = await store.list_rounds(db, context.account_id, MAX_ROUNDS)
        has_billing = await settings_store.find_settings(db, context.account_id) is not None
    return context.render(
        "reminders/overview.html",
        plan=due.plan,
        counts={
            stage.stage: {channel: due.counts[stage.stage, channel] for channel in LetterChannel}
            for stage in due.plan.stages
        },
        channels=LetterChannel,
        left_out=due.plan.left_out,
        others=due.others,
        rounds=rounds,
        has_billing=has_billing,
        today=account.daily_date,
        why=describe_unreminded,
    )
