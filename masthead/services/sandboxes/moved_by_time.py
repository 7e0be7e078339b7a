"""Everything that a new day does in a sandbox, in its order.

A feature that time moves adds a step: a function that does what is due on a day in transactions of
its own. After a crash, the steps of a day are done again, so a step that was done must change
nothing a second time.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.emails import Site
from masthead.services.background.daily import run_daily_pass
from masthead.services.letters.write import write_automatic
from masthead.services.privacy.retention import run_retention
from masthead.services.sandboxes import staff
from masthead.store.engine.interface import Database
from masthead.store.letters import stages
from masthead.store.privacy import retention


class NewDay(Struct, frozen=True):
    """A day that a sandbox moves to, which is today in its account. site: what emails link to.

    is_automatic: whether the sandbox also does what staff do in other accounts.
    """

    db: Database
    account_id: int
    day: date
    site: Site
    is_automatic: bool
    by: Actor


Step = Callable[[NewDay], Awaitable[object]]


async def pass_day(each: NewDay) -> None:
    """The daily pass: statuses, planned addresses, and all else that depends on the date."""
    await run_daily_pass(each.db, each.account_id, each.day, by=each.by)


async def move_debits(each: NewDay) -> None:
    """What the bank credits, and the next collection. Renewals of the day are among it."""
    if each.is_automatic:
        await staff.collect_debits(each.db, each.account_id, each.day, by=each.by)


async def write_letters(each: NewDay) -> None:
    """The renewal letters: of all stages, or only of those that are sent by rule."""
    if each.is_automatic:
        await staff.send_letters(each.db, each.account_id, site=each.site, by=each.by)
        return
    for stage, changed in (await stages.list_stages(each.db, each.account_id)).items():
        if changed.is_automatic:
            await write_automatic(each.db, each.account_id, stage, site=each.site, by=each.by)


async def write_reminders(each: NewDay) -> None:
    """The reminders of overdue invoices. What came back today is among them."""
    if each.is_automatic:
        await staff.send_reminders(each.db, each.account_id, site=each.site, by=each.by)


async def delete_old_data(each: NewDay) -> None:
    """The rules of retention that are switched on."""
    rules = await retention.list_rules(each.db, each.account_id)
    if any(rule.is_automatic for rule in rules.values()):
        await run_retention(
            each.db, each.account_id, each.day, placeholder_domain=each.site.domain, by=each.by
        )


# The charges of the sandbox's own shop come before all of them: see `clock`
STEPS: Sequence[Step] = (
    pass_day,
    move_debits,
    write_letters,
    write_reminders,
    delete_old_data,
)
