"""`masthead issue`."""

from typing import Any

from cyclopts import App
from msgspec import structs

from masthead.cli.command import (
    AccountName,
    Json,
    command_actor,
    get_account,
    list_all,
    run_with_database,
)
from masthead.cli.output import print_record, print_records
from masthead.model.inputs import IssueCreate
from masthead.model.validation import decode_input
from masthead.services.issues import records as service
from masthead.store.engine.interface import Database
from masthead.store.issues import records as store

ISSUE = App(
    name="issue",
    help="Issues of the magazine.",
    help_prologue="""\
Examples:

    masthead issue create --account acme --number 12 --name Winter \\
        --release-date-actual 2026-12-01
    masthead issue list --account acme
""",
)


@ISSUE.command(name="create")
def create_issue(
    *,
    account: AccountName,
    number: int,
    name: str | None = None,
    release_date_actual: str | None = None,
    release_date_fuzzy: str | None = None,
    date_as_start_issue: str | None = None,
    recurring_charge_date: str | None = None,
    newsstand_ean: str | None = None,
    json: Json = False,
) -> None:
    """Create an issue, with a copy for each subscription that includes it. Dates: YYYY-MM-DD.

    Parameters
    ----------
    number
        issue number; must not exist yet
    name
        by default `Issue {number}`
    """
    given = {
        "number": number,
        "name": name,
        "release_date_actual": release_date_actual,
        "release_date_fuzzy": release_date_fuzzy,
        "date_as_start_issue": date_as_start_issue,
        "recurring_charge_date": recurring_charge_date,
        "newsstand_ean": newsstand_ean,
    }
    body = decode_input(IssueCreate, given)

    async def work(db: Database) -> dict[str, Any]:
        found = await get_account(db, account)
        issue = await service.create_issue(db, found.id, body, by=command_actor("issue create"))
        return structs.asdict(issue)

    print_record(run_with_database(work), json=json)


@ISSUE.command(name="list")
def list_issues(*, account: AccountName, json: Json = False) -> None:
    """List the issues of an account, highest number first."""

    async def work(db: Database) -> list[dict[str, Any]]:
        found = await get_account(db, account)
        everything = await list_all(db, found.id, store.list_issues)
        return [structs.asdict(each) for each in everything]

    print_records(run_with_database(work), json=json)
