"""`masthead clock`."""

import sys
from typing import Annotated

from cyclopts import Parameter

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    on_account,
    parse_date,
)
from masthead.cli.output import print_done, print_message
from masthead.model.emails import Site
from masthead.model.sandboxes import NotSandbox, SandboxMove, SandboxNext
from masthead.services.sandboxes.clock import get_clock, move_clock
from masthead.services.sandboxes.create import reset_sandbox
from masthead.settings import from_env
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database


@on_account
async def clock(
    db: Database,
    account: Account,
    *,
    to: str | None = None,
    next_issue: Annotated[bool, Parameter(negative="")] = False,
    next_charge: Annotated[bool, Parameter(negative="")] = False,
    automatic: bool | None = None,
    reset: Annotated[bool, Parameter(negative="")] = False,
    yes: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> None:
    """Show the clock of a sandbox, or move it: everything that time moves is done, day by day.

    Parameters
    ----------
    to
        move to this day, YYYY-MM-DD; the clock only moves forward
    next_issue
        move to the next release date of an issue
    next_charge
        move to the next day on which a recurring subscription is charged
    automatic
        whether it sends letters and reminders by itself, and collects direct debits, from now on;
        staff do so in other accounts
    reset
        delete all records, and begin again on the first day
    yes
        reset without asking
    """
    if sum([to is not None, next_issue, next_charge, reset]) > 1:
        raise CommandError("Give one of `--to`, `--next-issue`, `--next-charge` and `--reset`.")
    if not account.is_sandbox:
        raise NotSandbox
    settings, actor = from_env(), command_actor("clock")
    site = Site(settings.public_url, settings.placeholder_domain)
    before = account.daily_date
    if reset:
        if not yes:
            _confirm(account.subdomain)
        await reset_sandbox(db, account.id, placeholder_domain=site.domain, by=actor)
    elif to is not None or next_issue or next_charge or automatic is not None:
        chosen = SandboxNext.ISSUE if next_issue else SandboxNext.CHARGE if next_charge else None
        move = SandboxMove(to=parse_date(to) if to else None, next=chosen, is_automatic=automatic)
        await move_clock(db, account.id, move, site=site, by=actor)
    shown = await get_clock(db, account.id)
    text = f"It is {shown.day} in `{account.subdomain}`."
    if before != shown.day:
        text = f"`{account.subdomain}` moved from {before} to {shown.day}."
    print_done(
        {
            "account": account.subdomain,
            "before": before,
            "day": shown.day,
            "first_day": shown.first_day,
            "is_automatic": shown.is_automatic,
        },
        text,
        json=json,
    )


def _confirm(subdomain: str) -> None:
    """Raises: CommandError unless the subdomain is typed on the terminal."""
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to ask on. To reset without asking, use `--yes`.")
    print_message(
        f"This deletes all records of the sandbox. Type `{subdomain}` to delete them and begin "
        "again:"
    )
    if input("> ").strip() != subdomain:
        raise CommandError("Nothing was changed.")


COMMANDS = {"clock": clock}
EXAMPLES = {
    "clock": format_examples(
        "masthead clock --account trial",
        "masthead clock --account trial --to 2027-01-01",
        "masthead clock --account trial --next-issue",
        "masthead clock --account trial --next-charge --json",
        "masthead clock --account trial --next-issue --no-automatic",
        "masthead clock --account trial --reset",
    ),
}
