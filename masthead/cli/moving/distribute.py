"""`masthead distribute`."""

import asyncio
from typing import Annotated

from cyclopts import Parameter

from masthead.cli.command import format_examples
from masthead.cli.output import print_data, print_message
from masthead.settings import from_env
from masthead.store.engine.citus.distribute import open_distribution
from masthead.store.engine.citus.steps import Step


def distribute(
    *,
    dry_run: Annotated[bool, Parameter(negative="")] = False,
    yes: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Distribute a PostgreSQL database over the nodes of Citus, by account.

    It says what it will do, and does it with --yes. Stop masthead and make a backup first. If the
    command is stopped, run it again: it goes on where it stopped.

    Parameters
    ----------
    dry_run
        only say what would be done
    yes
        do it
    """
    return asyncio.run(_distribute(is_asked=yes and not dry_run, is_rehearsal=dry_run))


async def _distribute(*, is_asked: bool, is_rehearsal: bool) -> int:
    async with open_distribution(from_env().database_url) as found:
        if not found.steps:
            print_message("All tables are where they belong; there is nothing to do.")
            return 0
        print_message(f"Nodes for the rows of accounts: {', '.join(found.nodes)}")
        for number, step in enumerate(found.steps, 1):
            print_data(f"{number}. {step.text}")
        if not is_asked:
            print_message(
                "Nothing was changed. To do this, stop masthead on all machines, make a backup, "
                "and run `masthead distribute --yes`."
            )
            return 0 if is_rehearsal else 1
        await found.run(_show_progress)
    print_message("The database is distributed. `masthead check` says whether it stays so.")
    return 0


def _show_progress(step: Step, done: int) -> None:
    """Print the step, and each of its tables or keys when it is done."""
    if not done:
        print_message(f"{step.text.partition(':')[0]} …")
    elif step.names:
        print_message(f"  {step.names[done - 1]} ({done} of {len(step.names)})")


COMMANDS = {"distribute": distribute}
EXAMPLES = {
    "distribute": format_examples("masthead distribute --dry-run", "masthead distribute --yes"),
}
