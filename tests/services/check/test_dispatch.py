"""Each invariant of dispatch runs is broken by a statement, and `check` reports it with the row."""

import inspect
import re
from datetime import date

import pytest

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.dispatch.files import FileStatus
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.model.ids import new_id
from masthead.services import accounts
from masthead.services.check.accounts import check_dispatches
from masthead.services.claims import records as claims
from masthead.services.dispatch import runs
from masthead.store.check.dispatch import DISPATCH_INVARIANTS
from masthead.store.dispatch import lines
from masthead.store.dispatch.grace_copies import list_grace
from masthead.store.engine.interface import Database, Transaction
from tests.conftest import BY, Cast, Client, make_account
from tests.support.checks import faults, faults_after
from tests.support.dispatch_files import build
from tests.support.factories import copies_of, make_issue, make_subscription

DAY = date(2026, 5, 3)
ONCE = "a copy is in one live run at most"
NAMES = "a copy names the live run that has its line"
SENT = "a line is sent if its copy is"
FITS = "a line fits the status of its run"
LEFT = "a line that left its run says why and when"
DATE = "the copies of a marked run are sent on its date"
DATES = "the dates of a run fit its status"
NUMBERS = "the numbers of a run match its lines"
COUNTER = "a line's id is not above the account's counter"
CLAIM = "a claim is held or sent by the run that has its line"
REPORT = "a delivery report is about a subscription and a copy of its account"
FROZEN = "the frozen addresses of a run do not change"
BYTES = "the bytes of a file match its hash"
GRACE = "a grace copy is held or sent by the run that has its line"
GRACE_DATE = "a sent grace copy has the date of its run"
TWICE = "a subscription has no copy and grace copy of one issue"

INSERT_LINE = """
    INSERT INTO dispatch_line (
        account_id, id, dispatch_id, copy_id, claim_id, subscription_id, subscriber_id,
        issue_number, medium, country, status
    )
    SELECT
        account_id, id + 1000, :run, copy_id, '', subscription_id, subscriber_id,
        issue_number, medium, country, 'held'
    FROM dispatch_line
    WHERE account_id = :account AND id = :sent_line
"""

# each invariant with a statement that breaks it and the row that is reported
BREAKS = [
    (ONCE, INSERT_LINE, "sent_copy"),
    (NAMES, "UPDATE copy SET dispatch_id = NULL WHERE id = :copy", "copy"),
    (NAMES, "UPDATE copy SET dispatch_id = 'X' WHERE id = :copy", "copy"),
    (NAMES, "UPDATE copy SET dispatch_id = :marked WHERE id = :copy", "copy"),
    (NAMES, "UPDATE dispatch SET status = 'discarded' WHERE id = :run", "copy"),
    (NAMES, "UPDATE dispatch_line SET status = 'left' WHERE {own} AND id = :line", "copy"),
    (NAMES, "UPDATE dispatch SET issue_number = 9 WHERE id = :run", "copy"),
    (NAMES, "DELETE FROM dispatch_line WHERE {own} AND id = :line", "copy"),
    (SENT, "UPDATE copy SET status = 'Sent' WHERE id = :copy", "line"),
    (SENT, "UPDATE copy SET status = 'Not sent' WHERE id = :sent_copy", "sent_line"),
    (FITS, "UPDATE dispatch_line SET status = 'sent' WHERE {own} AND id = :line", "line"),
    (FITS, "UPDATE dispatch_line SET status = 'held' WHERE {own} AND id = :sent_line", "sent_line"),
    (FITS, "UPDATE dispatch SET status = 'discarded' WHERE id = :run", "line"),
    (
        FITS,
        "UPDATE dispatch_line SET left_reason = 'discarded' WHERE {own} AND id = :line",
        "line",
    ),
    (LEFT, "UPDATE dispatch_line SET status = 'left' WHERE {own} AND id = :line", "line"),
    (LEFT, "UPDATE dispatch_line SET left_reason = 'marked' WHERE {own} AND id = :line", "line"),
    (DATE, "UPDATE copy SET date_sent = '2026-05-04' WHERE id = :sent_copy", "sent_copy"),
    (DATE, "UPDATE dispatch SET date_sent = NULL WHERE id = :marked", "sent_copy"),
    (DATES, "UPDATE dispatch SET marked_at = NULL WHERE id = :marked", "marked"),
    (DATES, "UPDATE dispatch SET discarded_at = created_at WHERE id = :run", "run"),
    (DATES, "UPDATE dispatch SET date_sent = '2026-05-04' WHERE id = :run", "run"),
    (NUMBERS, "UPDATE dispatch SET lines = 9 WHERE id = :run", "run"),
    (NUMBERS, "UPDATE dispatch SET copies = 9 WHERE id = :run", "run"),
    (NUMBERS, "UPDATE dispatch SET replacements = 9 WHERE id = :run", "run"),
    (NUMBERS, "UPDATE dispatch SET first_line = 9 WHERE id = :run", "run"),
    (NUMBERS, "UPDATE dispatch_line SET id = id + 50 WHERE {own} AND id = :line", "run"),
    (NUMBERS, "DELETE FROM dispatch_line WHERE {own} AND dispatch_id = :run", "run"),
    (COUNTER, "UPDATE account_state SET last_line = 1 WHERE {own}", "account"),
    (CLAIM, "UPDATE claim SET status = 'open' WHERE id = :claim", "claim"),
    (CLAIM, "UPDATE claim SET status = 'sent' WHERE id = :claim", "claim"),
    (CLAIM, "UPDATE claim SET dispatch_id = NULL WHERE id = :claim", "claim"),
    (CLAIM, "UPDATE claim SET dispatch_id = :marked WHERE id = :claim", "claim"),
    (CLAIM, "UPDATE dispatch_line SET claim_id = 'X' WHERE claim_id = :claim", "X"),
    (
        REPORT,
        "UPDATE delivery_report SET copy_id = :copy WHERE id = :report",
        "report",
    ),
    (REPORT, "UPDATE delivery_report SET copy_id = 0 WHERE id = :report", "report"),
    (FROZEN, "UPDATE dispatch_line SET city = 'Faro' WHERE {own} AND id = :line", "run"),
    (FROZEN, "UPDATE dispatch_line SET city = '' WHERE {own} AND id = :line", "run"),
    (FROZEN, "UPDATE dispatch_line SET medium = 'Digital' WHERE {own} AND id = :line", "run"),
    (BYTES, "UPDATE dispatch_file_part SET part = 1 WHERE file_id = :file", "file"),
    (BYTES, "DELETE FROM dispatch_file_part WHERE file_id = :file", "file"),
    (BYTES, "UPDATE dispatch_file SET bytes = 1 WHERE id = :file", "file"),
    (GRACE, "UPDATE grace_copy SET status = 'sent' WHERE id = :grace", "grace"),
    (GRACE, "UPDATE grace_copy SET dispatch_id = :run WHERE id = :grace", "grace"),
    (GRACE, "UPDATE dispatch_line SET is_grace = NULL WHERE copy_id = :grace", "grace"),
    (GRACE_DATE, "UPDATE grace_copy SET date_sent = '2026-01-01' WHERE id = :grace", "grace"),
    (TWICE, "UPDATE copy SET issue_number = 2 WHERE subscription_id = :over", "grace"),
    (TWICE, "UPDATE copy SET id = :grace WHERE subscription_id = :over", "grace"),
    (NAMES, "DELETE FROM grace_copy WHERE id = :grace", "grace"),
    (NUMBERS, "UPDATE dispatch SET grace_copies = 0 WHERE id = :later", "later"),
]


async def freeze(cast: Cast, issue_id: str) -> Dispatch:
    everything = DispatchSelection()
    return await runs.freeze_dispatch(cast.db, cast.account_id, issue_id, everything, by=BY)


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they roll back what they break."""
    return await make_account(client, db, "Acme")


@pytest.fixture(scope="module")
async def scene(acme: Cast) -> dict[str, object]:
    """A marked run, and a frozen one with a copy, a replacement and a file."""
    issue = await make_issue(acme)
    early = await make_subscription(acme)
    over = await make_subscription(acme, length=1)
    marked = await freeze(acme, issue["id"])
    await runs.mark_dispatch(acme.db, acme.account_id, marked.id, DAY, by=BY)
    [sent] = await copies_of(acme, early["id"])
    body = ClaimCreate(copy=sent["id"], reason=ClaimReason.NEVER_ARRIVED)
    claim = await claims.create_claim(acme.db, acme.account_id, body, by=BY)
    late = await make_subscription(acme, city="Bonn")
    run = await freeze(acme, issue["id"])
    assert (run.copies, run.replacements) == (1, 1)
    [copy] = await copies_of(acme, late["id"])
    file, _ = await build(acme, run, FileFormat.CSV)
    found = await lines.list_lines(acme.db, acme.account_id, run.id, after=0, limit=9)
    await accounts.update_account(acme.db, acme.account_id, grace_copies=1, by=BY)
    later = await freeze(acme, (await make_issue(acme, 2))["id"])
    [grace] = await list_grace(acme.db, acme.account_id, [over["id"]])
    report = new_id(acme.account_id)

    async def work(tx: Transaction) -> None:
        await tx.insert_rows(
            "delivery_report",
            [
                {
                    "account_id": acme.account_id,
                    "id": report,
                    "kind": "undeliverable",
                    "status": "open",
                    "copy_id": sent["id"],
                    "subscription_id": early["id"],
                    "subscriber_id": early["subscriber"]["id"],
                    "issue_number": 1,
                    "old_address": "{}",
                    "created_at": run.created_at,
                    "actor_kind": "command",
                    "actor_id": "tests",
                }
            ],
        )

    await acme.db.write(work, account_id=acme.account_id)
    return {
        "account": acme.account_id,
        "marked": marked.id,
        "run": run.id,
        "sent_copy": sent["id"],
        "sent_line": marked.first_line,
        "copy": copy["id"],
        "line": next(line.id for line in found if line.claim_id is None),
        "claim": claim.id,
        "file": file.id,
        "report": report,
        "later": later.id,
        "over": over["id"],
        "grace": grace.id,
    }


@pytest.mark.usefixtures("scene")
async def test_runs_written_by_the_services_break_no_invariant(acme: Cast) -> None:
    assert await faults(acme) == []


@pytest.mark.parametrize("invariant, sql, culprit", BREAKS)
async def test_a_broken_run_is_reported_with_its_invariant(
    acme: Cast, scene: dict[str, object], invariant: str, sql: str, culprit: str
) -> None:
    found = await faults_after(acme, sql, **scene)
    assert (invariant, str(scene.get(culprit, culprit))) in found


def test_the_tests_break_every_invariant_of_runs() -> None:
    yielded = re.findall(r'yield "([^"]+)", ', inspect.getsource(check_dispatches))
    assert {invariant for invariant, _, _ in BREAKS} == {*DISPATCH_INVARIANTS, *yielded}


async def test_a_file_that_is_not_ready_has_no_hash_to_check(
    acme: Cast, scene: dict[str, object]
) -> None:
    status = FileStatus.FAILED.value
    sql = "UPDATE dispatch_file SET status = :status, bytes = 1 WHERE id = :file"
    assert await faults_after(acme, sql, **scene, status=status) == []
