"""`masthead dispatch preview`."""

from masthead.cli.command import AccountName, Json, get_account, run_with_database
from masthead.cli.dispatch.choices import (
    CountryOption,
    IssueOption,
    MediumOption,
    OnlyReplacements,
    SourceOption,
    find_issue,
)
from masthead.cli.dispatch.records import as_text, list_problems, preview_record
from masthead.cli.output import print_data, print_json, print_record
from masthead.model.dispatch.preview import DispatchPreview
from masthead.model.dispatch.run_inputs import selection_of
from masthead.services.dispatch.preview import preview_dispatch
from masthead.services.dispatch.selections import require_sources
from masthead.store.engine.interface import Database


def preview_run(
    *,
    account: AccountName,
    issue: IssueOption,
    country: CountryOption = None,
    medium: MediumOption = None,
    source: SourceOption = None,
    only_replacements: OnlyReplacements = False,
    json: Json = False,
) -> None:
    """Show what a run would take now, what not and why, and what to look at first.

    Changes nothing. The exit code is 0, even if nothing is left to send.
    """
    selection = selection_of(
        country or [], medium or [], source or [], only_replacements=only_replacements
    )

    async def work(db: Database) -> DispatchPreview:
        found = await get_account(db, account)
        await require_sources(db, found.id, selection)
        issue_id = await find_issue(db, found.id, issue)
        return await preview_dispatch(db, found.id, issue_id, selection)

    preview = run_with_database(work)
    record, problems = preview_record(preview), list_problems(preview)
    if json:
        print_json({**record, "problems": problems})
        return
    print_record(as_text(record), json=False)
    for problem in problems:
        print_data(f"- {problem['message']}")
