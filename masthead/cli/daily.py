"""`masthead daily`."""

import datetime
from typing import Annotated

from cyclopts import Parameter

from masthead.cli.output import Stop, by, examples, say, with_database
from masthead.cli.output import day as parse_day
from masthead.model.actors import Actor
from masthead.services.maintenance.clock import confirm_clock, keep_heartbeat, read_clock
from masthead.services.maintenance.daily import redo_daily_pass, run_daily_pass
from masthead.store.accounts import Account, list_accounts
from masthead.store.engine.interface import Database


def daily(
    *,
    date: str | None = None,
    confirm: Annotated[bool, Parameter(negative="")] = False,
    redo: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Run the daily pass of all accounts; `masthead serve` does so by itself.

    Parameters
    ----------
    date
        the day to bring accounts to, YYYY-MM-DD; without it today (UTC)
    confirm
        trust the clock of this machine from now on, because it is right
    redo
        also bring back accounts that a wrong clock brought to a later day
    """
    actor = by("daily")

    async def work(db: Database) -> None:
        if confirm:
            say(f"The clock is trusted: {await confirm_clock(db, by=actor):%Y-%m-%d %H:%M} UTC.")
        day = parse_day(date) if date else await _today(db)
        async with db.read() as connection:
            accounts = await list_accounts(connection)
        for account in accounts:
            say(await (_redo if redo else _pass)(db, account, day, actor))

    with_database(work)


async def _today(db: Database) -> datetime.date:
    """The date by the clock. Raises: Stop if it is not trusted."""
    reading = await read_clock(db)
    if not reading.is_trusted:
        raise Stop(
            f"{reading.reason} Correct the clock. If it is right, run `masthead daily --confirm`; "
            "`masthead daily --date YYYY-MM-DD` brings accounts to a day regardless of the clock."
        )
    await keep_heartbeat(db, reading.moment)
    return reading.moment.date()


async def _pass(db: Database, account: Account, day: datetime.date, actor: Actor) -> str:
    if await run_daily_pass(db, account.id, day, by=actor):
        return f"{account.subdomain}: brought to {day}"
    return (
        f"{account.subdomain}: already at {account.daily_date}, which is later; "
        "if a wrong clock brought it there, add `--redo`"
    )


async def _redo(db: Database, account: Account, day: datetime.date, actor: Actor) -> str:
    done = await redo_daily_pass(db, account.id, day, by=actor)
    return (
        f"{account.subdomain}: brought from {done.before} to {day}; "
        f"{done.reopened} memberships moved back"
    )


COMMANDS = {"daily": daily}
EXAMPLES = {
    "daily": examples(
        "masthead daily",
        "masthead daily --date 2026-12-31",
        "masthead daily --confirm",
        "masthead daily --redo",
    ),
}
