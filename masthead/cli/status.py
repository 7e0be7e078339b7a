"""`masthead status`."""

from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from masthead.cli.command import CommandError, Json, format_examples, run_with_database, version_on
from masthead.cli.output import print_message, print_record
from masthead.metrics.summary import read_text, summarize
from masthead.model.clock import now
from masthead.services.monitoring.state import (
    BACKGROUND,
    State,
    describe_backfill,
    find_problems,
    read_state,
)
from masthead.settings import from_env
from masthead.store.engine.database import SCHEMA_VERSION, get_version
from masthead.store.engine.interface import Database

SECONDS = 10.0  # to wait for a server
EXAMPLE = "http://127.0.0.1:8000"
REFUSALS = {
    401: "its `MASTHEAD_METRICS_TOKEN` is another one",
    404: "it has no `MASTHEAD_METRICS_TOKEN`",
}


def status(*, server: str | None = None, json: Json = False) -> int:
    """Show what waits, what failed and what was done last, as `/metrics` does.

    Parameters
    ----------
    server
        address of a running masthead, such as http://127.0.0.1:8000: also show how it answers
        requests; needs `MASTHEAD_METRICS_TOKEN`
    """

    async def work(db: Database) -> tuple[State, str, dict[str, float]]:
        async with db.read() as connection:
            version = await get_version(connection)
        return await read_state(db), version, dict(db.figures())

    state, version, figures = run_with_database(work)
    moment = now()
    problems = list(find_problems(state, moment))
    record: dict[str, object] = {
        "masthead": version_on(from_env().database_url),
        "schema": version,
        "schema_of_masthead": SCHEMA_VERSION,
        "backfill": describe_backfill(state),
        "accounts": state.accounts,
        "copies_owed": state.copies_owed,
        "copies_owed_since": state.owed_since,
        "emails_waiting": state.emails_waiting,
        "emails_waiting_since": state.emails_due_at if state.emails_waiting else None,
        "emails_failed": state.emails_failed,
        "webhooks_waiting": state.webhooks_waiting,
        "webhooks_failed": state.webhooks_failed,
        "last_daily_pass": state.daily_pass,
        "last_verified_backup": state.verified_backup,
        "last_failed_backup": state.failed_backup,
        "background_lease_until": state.leases.get(BACKGROUND),
        "oldest_lease_until": min(state.leases.values(), default=None),
        "documents_outdated": state.documents_outdated,
    }
    for name in ("database_bytes", "wal_bytes"):
        if f"masthead_sqlite_{name}" in figures:
            record[name] = int(figures[f"masthead_sqlite_{name}"])
    if server:
        record |= summarize(read_text(_read_metrics(server)))
    print_record({**record, "problems": problems} if json else record, json=json)
    if not json:
        for problem in problems:
            print_message(problem)
    return 1 if problems else 0


def _read_metrics(server: str) -> str:
    """The text of `/metrics` of a server. Raises: CommandError."""
    if not server.startswith(("http://", "https://")):
        raise CommandError(f"`--server` is `{server}`; expected an address such as {EXAMPLE}.")
    headers = {"Authorization": f"Bearer {from_env().metrics_token}"}
    request = Request(f"{server.rstrip('/')}/metrics", headers=headers)  # noqa: S310 - checked above
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=SECONDS) as response:
            text: str = response.read().decode()
            return text
    except HTTPError as refusal:
        problem = REFUSALS.get(refusal.code, f"it answers {refusal.code}")
    except (OSError, ValueError, HTTPException) as reason:
        problem = f"it does not answer: {reason}"
    raise CommandError(f"`{server}` has no metrics: {problem}.")


COMMANDS = {"status": status}
EXAMPLES = {
    "status": format_examples(
        "masthead status", "masthead status --json", f"masthead status --server {EXAMPLE}"
    )
}
