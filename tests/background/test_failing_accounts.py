"""Each background job works on the other accounts while the rows of one raise an error."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest
from msgspec import structs
from structlog.testing import capture_logs

from masthead.background import dispatch_files, process_jobs
from masthead.background.tasks import Task, do_task
from masthead.metrics.job_failures import NAME, job_failures
from masthead.metrics.text import sample
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.errors import Unavailable
from masthead.model.privacy.retention import RetentionKind
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.imports import batches
from masthead.services.letters import texts
from masthead.store.accounts import get_account
from masthead.store.dispatch.fingerprints import MARK
from masthead.store.reports import trends
from tests.background.test_exports import request as request_export
from tests.background.test_imports import ANN, FILE, request as request_import
from tests.background.test_revenue_statements import request as request_statement
from tests.conftest import BY, Cast, make_account
from tests.services.imports.support import begin, reading_of, row
from tests.services.privacy.test_retention import switch_on
from tests.support.account_away import AWAY, AccountAway
from tests.support.checks import execute
from tests.support.dispatch_files import freeze_run, request as request_file
from tests.support.factories import make_issue, make_membership, make_subscription
from tests.support.letters import add_subscribers, letters_of, set_up
from tests.support.own_service import OwnService
from tests.support.read_model import list_outdated

LOGGED = {  # by each job, of the account that fails
    "daily pass": {"daily pass failed"},
    "renewal letters": {"renewal letters failed"},
    "emails": {"email waits"},
    "files": {"file not begun"},
    "revenue statements": {"work not given up"},
    "imports": {"work not given up"},
    "exports": {"work not given up"},
    "documents": {"documents cannot be rendered"},
    "search texts": {"search texts cannot be written"},
    "trends": {"trend cannot be calculated"},
    "cleanup": {
        "imports not ended",
        "upload not deleted",
        "export not deleted",
        "idempotency keys not deleted",
        "events not deleted",
    },
    "privacy": {"retention failed", "fingerprints not restored"},
}
# It only starts a process; what that does with each webhook: webhooks/test_sending.py
STARTS_A_PROCESS = "webhooks"
OLD = datetime.now(UTC) - timedelta(days=40)
WAITING = {  # for a job, by table
    "account_export": "status = 'waiting' OR created_at <= :old",
    "dispatch": f"fingerprint LIKE '{MARK}%'",
    "dispatch_file": "status <> 'ready'",
    "event": "happened_at <= :old",
    "import_batch": "status IN ('waiting', 'running', 'uploaded')",
    "revenue_statement": "status = 'waiting'",
    "stored_answer": "made_at <= :old",
    "submission": "made_at <= :old",
}


class ThreadProcess:
    """Does a task in a thread, in place of a process, which takes a second to start."""

    def __init__(self, task: Task) -> None:
        self._thread = Thread(target=lambda: asyncio.run(do_task(task)))
        self._thread.start()

    def wait(self) -> int:
        """The exit code, after the task has ended."""
        self._thread.join()
        return 0

    def poll(self) -> int | None:
        """The exit code, if the task has ended."""
        return None if self._thread.is_alive() else 0


async def make_work(own: OwnService) -> None:
    """Give all jobs something to do for an account."""
    cast = own.cast
    await set_up(cast, first=2)
    await add_subscribers(cast, 1, prefix=f"{cast.subdomain}-due")
    await texts.update_text(
        cast.db,
        cast.account_id,
        RenewalStage.LAST,
        subject="Renew",
        text="Please",
        is_automatic=True,
        by=BY,
    )
    await make_subscription(cast, email=f"{cast.subdomain}@x.test", send_welcome_email=True)
    await switch_on(cast, RetentionKind.ENDED_SUBSCRIBERS)
    run = await freeze_run(cast, {"last_name": "Lovelace"}, number=4)
    await request_file(cast, run, FileFormat.CSV)
    await execute(cast, f"UPDATE dispatch SET fingerprint = '{MARK}1' WHERE {{own}}")  # noqa: S608
    await request_statement(own)
    await make_old_rows(own)
    await request_export(own)
    await request_import(own)


async def make_old_rows(own: OwnService) -> None:
    """Give the cleanup something to do."""
    cast, account_id = own.cast, own.cast.account_id
    command = structs.replace(ANN, kind="command")
    await begin(cast, await reading_of(cast, row("B1")), by=command)
    await batches.upload_file(cast.db, account_id, "old.csv", FILE, by=ANN)
    await request_export(own)
    for sql in (
        "UPDATE account_export SET status = 'failed', created_at = :old WHERE {own}",
        "UPDATE import_batch SET created_at = :old WHERE {own} AND status = 'uploaded'",
        "UPDATE event SET happened_at = :old WHERE {own}",
        "INSERT INTO submission (account_id, digest, result, made_at) "
        "VALUES (:account, 'a', '', :old)",
        "INSERT INTO stored_answer (account_id, key_digest, request_digest, status, made_at) "
        "VALUES (:account, 'a', 'b', 200, :old)",
    ):
        await execute(cast, sql, old=OLD)


async def accounts_with_work(cast: Cast) -> dict[str, set[int]]:
    """The accounts that have rows left to do, by table."""
    found = dict[str, set[int]]()
    for table, condition in WAITING.items():
        rows = await cast.db.fetch_all(
            f"SELECT account_id FROM {table} WHERE {condition}",  # noqa: S608 - our own words
            {"old": OLD} if ":old" in condition else {},
        )
        found[table] = {row["account_id"] for row in rows}
    return found


@pytest.mark.parametrize("error", [AWAY, ValueError("a row that raises")], ids=["away", "raises"])
async def test_jobs_go_on_with_other_accounts(
    own: OwnService, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    rival = await make_account(own.cast.client, own.cast.db, "Rival")
    await make_issue(rival)
    for each in (own, replace(own, cast=rival)):
        await make_work(each)
    await make_membership(rival)
    today = (await get_account(rival.db, rival.account_id)).daily_date
    yesterday = today - timedelta(days=1)
    await own.execute("UPDATE account_state SET daily_date = :day", day=yesterday)
    await own.execute(
        "UPDATE period SET period_end = :day WHERE period_end IS NOT NULL", day=yesterday
    )
    await own.execute("DELETE FROM lease")

    def start(task: Task) -> ThreadProcess:
        if task.account_id == own.cast.account_id:
            raise error
        return ThreadProcess(task)

    for module in (dispatch_files, process_jobs):
        monkeypatch.setattr(module, "start_process", start)
    background = own.background(db=AccountAway(own.cast.db, own.cast.account_id, error))
    assert background._jobs.keys() == {*LOGGED, STARTS_A_PROCESS}
    assert await background._lease.renew()
    before, logged = job_failures(), dict[str, set[str]]()
    for name, job in background._jobs.items():
        if name == "renewal letters":  # they wait until the account has had its daily pass
            await execute(own.cast, "UPDATE account_state SET daily_date = :d WHERE {own}", d=today)
        with capture_logs() as logs:
            while await background._attempt(name, job.run_once):
                pass
        logged[name] = {each["event"] for each in logs if each.keys() & {"reason", "exc_info"}}
    if not isinstance(error, Unavailable):
        logged["daily pass"].remove("idle accounts not passed")  # each has its own pass
    assert {name: events for name, events in logged.items() if events} == LOGGED
    after = job_failures()
    assert {name for name in after if after[name] > before[name]} == {
        sample(NAME, work=name) for name in LOGGED
    }
    recipients = {email["To"] for email in own.mailbox.emails}
    assert recipients == {f"{rival.subdomain}@x.test", f"{rival.subdomain}-due0@example.test"}
    assert (await get_account(rival.db, rival.account_id)).daily_date >= today
    assert len(await letters_of(rival)) == 1
    assert await letters_of(own.cast) == []
    assert await trends.list_trend(rival.db, rival.account_id)
    assert not await list_outdated(rival)
    assert await list_outdated(own.cast)
    left = await accounts_with_work(own.cast)
    assert left == {table: {own.cast.account_id} for table in WAITING}
