"""The command line. Data goes to stdout, messages and log lines go to stderr.

Exit codes: 0 success, 1 the command failed or was refused, 2 wrong usage.
"""

import os
import pwd
import sys
from collections.abc import Sequence
from contextlib import suppress

import structlog
from cyclopts import App, CycloptsError

from masthead.cli import (
    accounts,
    check,
    daily,
    debits,
    demo,
    invoices,
    issues,
    keys,
    letters,
    payments,
    privacy,
    revenue,
    sandboxes,
    server,
    sources,
    status,
    users,
    webhooks,
    why,
)
from masthead.cli.command import CommandError, version_on
from masthead.cli.dispatch.group import DISPATCH
from masthead.cli.exports import export as exports
from masthead.cli.imports import import_file as imports
from masthead.cli.imports.records import IMPORTS
from masthead.cli.install import init
from masthead.cli.moving import (
    backups,
    base_backups,
    database_copies as copies,
    distribute,
    restores,
)
from masthead.cli.output import OutputClosedError, print_message
from masthead.logs import configure_logging
from masthead.model.errors import MastheadError
from masthead.model.types.messages import similar
from masthead.serving.start import StartError
from masthead.settings import PREFIX, VARIABLES, SettingsError, from_env, unknown_variables
from masthead.store.engine.interface import DatabaseError
from masthead.temporary_files import use_own_folder

ERRORS = (MastheadError, DatabaseError, SettingsError, CommandError, StartError)  # for users

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

log = structlog.get_logger()

app = App(
    name="masthead",
    help="The back office of a magazine publisher, behind a REST API.",
    help_prologue=EXAMPLES,
    help_format="plaintext",
    version=lambda: version_on(from_env().database_url),
    version_flags=["--version"],
)
for module in (
    server,
    init,
    demo,
    imports,
    exports,
    check,
    status,
    copies,
    backups,
    base_backups,
    restores,
    distribute,
    daily,
    why,
    revenue,
    sandboxes,
):
    for name, command in module.COMMANDS.items():
        app.command(command, name=name, help_prologue=module.EXAMPLES[name])
for group in (
    accounts.ACCOUNT,
    users.USER,
    keys.KEY,
    sources.SOURCE,
    issues.ISSUE,
    DISPATCH,
    IMPORTS,
    letters.LETTERS,
    invoices.INVOICE,
    payments.PAYMENTS,
    debits.DEBIT,
    privacy.SUBSCRIBER,
    webhooks.WEBHOOK,
):
    app.command(group)


def run(tokens: Sequence[str] | None = None) -> int:
    """Run one command line; returns its exit code."""
    try:
        configure_logging(from_env().log_level)
        _warn_of_unknown_variables()
        outcome = app(tokens, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:
        return 2
    except ERRORS as reason:
        print_message(f"masthead: {reason}")
        return 1
    except OSError as reason:
        print_message(f"masthead: {_describe(reason)}")
        return 1
    except OutputClosedError:
        return 1  # as Rich does for `--help`
    except KeyboardInterrupt:
        return 130
    return outcome if isinstance(outcome, int) else 0


def _describe(reason: OSError) -> str:
    """What the system refused, with the file, and who was refused if that is the cause."""
    if not reason.filename:
        return str(reason)
    text = f"`{os.fsdecode(reason.filename)}`: {reason.strerror}."
    if not isinstance(reason, PermissionError):
        return text
    user = str(os.geteuid())
    with suppress(KeyError):
        user = pwd.getpwuid(int(user)).pw_name
    return f"{text} The command runs as the user `{user}`."


def _warn_of_unknown_variables() -> None:
    known = [name.removeprefix(PREFIX) for name in VARIABLES]
    for name in unknown_variables(os.environ):
        close = similar(name.removeprefix(PREFIX), known)
        hint = f"did you mean {PREFIX}{close}?" if close else "see docs/settings.md"
        log.warning("unknown setting ignored", variable=name, hint=hint)


def main() -> None:
    """Run the command line of this process."""
    use_own_folder()
    sys.exit(run())
