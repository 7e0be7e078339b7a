"""The command line: what an operator and scripts use. Data on stdout, all else on stderr.

Exit codes: 0 done, 1 refused or at fault, 2 called wrongly.
"""

import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from masthead.app import configure_logging
from masthead.cli import accounts, daily, data, issues, keys, server, sources
from masthead.cli.output import VERSION, Stop, say
from masthead.model.errors import MastheadError
from masthead.settings import SettingsError, from_env
from masthead.store.engine.interface import DatabaseError

EXAMPLES = """\
Examples:

    masthead demo
    masthead migrate
    masthead serve --host 0.0.0.0 --port 8000 --workers 2
    masthead account create --name Acme --subdomain acme --currency EUR \\
        --owner ann@acme.test
    masthead key create --account acme --user ann@acme.test --scope read_write
    masthead import --account acme --source 00001... subscriptions.csv --dry-run
"""

app = App(
    name="masthead",
    help="The back office of a magazine publisher, behind a REST API.",
    help_prologue=EXAMPLES,
    help_format="plaintext",
    version=VERSION,
    version_flags=["--version"],
)
for room in (server, data, daily):
    for name, command in room.COMMANDS.items():
        app.command(command, name=name, help_prologue=room.EXAMPLES[name])
for group in (accounts.ACCOUNT, accounts.USER, keys.KEY, sources.SOURCE, issues.ISSUE):
    app.command(group)


def run(tokens: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    try:
        configure_logging(from_env().log_level)
        outcome = app(tokens, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:
        return 2
    except (MastheadError, DatabaseError, SettingsError, Stop, OSError) as reason:
        say(f"masthead: {reason}")
        return 1
    except KeyboardInterrupt:
        return 130
    return outcome if isinstance(outcome, int) else 0


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run())
