"""`masthead daily`."""

import datetime
from typing import Annotated

from cyclopts import Parameter

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    on_database,
    parse_date,
)
from masthead.cli.output import print_json, print_message
from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.services.background.clock import confirm_clock, keep_heartbeat, read_clock
from masthead.services.background.daily import redo_daily_pass, run_daily_pass
from masthead.store.accounts import Account, list_accounts
from masthead.store.engine.interface import Database


@on_database
async def daily(
    db: Database,
    *,
    date: str | None = None,
    confirm: Annotated[bool, Parameter(negative="")] = False,
    redo: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> None:
    """Run the daily pass of all accounts; `masthead serve` does so automatically.

    Sandboxes have clocks of their own: `masthead clock` moves them.

    Parameters
    ----------
    date
        run the daily pass for this date, YYYY-MM-DD; by default today, in each account's time zone
    confirm
        confirm that the clock of this machine is right, and trust it again
    redo
        also undo changes that were made while the clock was ahead
    """
    actor = command_actor("daily")
    if confirm:
        print_message(
            f"The clock is trusted: {await confirm_clock(db, by=actor):%Y-%m-%d %H:%M} UTC."
        )
    chosen = parse_date(date) if date else None
    moment = now() if chosen else await _trusted_now(db)
    async with db.read() as connection:
        accounts = await list_accounts(connection)
    errors = list[Exception]()
    for account in accounts:
        if account.is_sandbox:  # `masthead clock` moves those
            continue
        try:
            day = chosen or account.date_of(moment)
            print_message(await (_redo if redo else _pass)(db, account, day, actor))
        except Exception as error:  # noqa: BLE001 - raised after the passes of the others
            print_message(f"{account.subdomain}: not updated, because of an error")
            errors.append(error)
    if errors:
        raise errors[0]
    async with db.read() as connection:
        passed = await list_accounts(connection)
    if json:
        items = [{"account": each.subdomain, "daily_date": each.daily_date} for each in passed]
        print_json({"items": items})


async def _trusted_now(db: Database) -> datetime.datetime:
    """The time of the clock. Raises: CommandError if it is not trusted."""
    reading = await read_clock(db)
    if not reading.is_trusted:
        raise CommandError(
            f"{reading.reason} Correct the clock. If it is right, run `masthead daily --confirm`; "
            "`masthead daily --date YYYY-MM-DD` runs the daily pass regardless of the clock."
        )
    await keep_heartbeat(db, reading.moment)
    return reading.moment


async def _pass(db: Database, account: Account, day: datetime.date, actor: Actor) -> str:
    if await run_daily_pass(db, account.id, day, by=actor):
        return f"{account.subdomain}: updated to {day}"
    return (
        f"{account.subdomain}: already at {account.daily_date}, which is later; "
        "if that was caused by a wrong clock, add `--redo`"
    )


async def _redo(db: Database, account: Account, day: datetime.date, actor: Actor) -> str:
    done = await redo_daily_pass(db, account.id, day, by=actor)
    return (
        f"{account.subdomain}: changed from {done.before} to {day}; "
        f"{done.reopened} memberships reopened"
    )


COMMANDS = {"daily": daily}
EXAMPLES = {
    "daily": format_examples(
        "masthead daily",
        "masthead daily --date 2026-12-31",
        "masthead daily --confirm",
        "masthead daily --redo",
    ),
}
