"""`masthead issue`."""

from cyclopts import App
from msgspec import structs

from masthead.cli.command import Json, command_actor, list_all, on_account
from masthead.cli.output import print_record, print_records
from masthead.model.inputs import IssueCreate
from masthead.model.validation import decode_input
from masthead.services.issues import records as service
from masthead.store.accounts import Account
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
@on_account
async def create_issue(
    db: Database,
    account: Account,
    *,
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
    issue = await service.create_issue(db, account.id, body, by=command_actor("issue create"))
    print_record(structs.asdict(issue), json=json)


@ISSUE.command(name="list")
@on_account
async def list_issues(db: Database, account: Account, *, json: Json = False) -> None:
    """List the issues of an account, highest number first."""
    issues = await list_all(db, account.id, store.list_issues)
    print_records([structs.asdict(each) for each in issues], json=json)
