"""`masthead dispatch preview`."""

from masthead.cli.command import CommandError, Json, on_account
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
from masthead.model.dispatch.profiles import ProfileSettings
from masthead.model.dispatch.run_inputs import selection_of
from masthead.model.errors import excerpt
from masthead.model.types.messages import closest
from masthead.model.types.text import MAX_TEXT, casefold
from masthead.services.dispatch.preview import preview_dispatch
from masthead.services.dispatch.profiles import list_active
from masthead.services.dispatch.runs import require_sources
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Database


@on_account
async def preview_run(
    db: Database,
    account: Account,
    *,
    issue: IssueOption,
    country: CountryOption = None,
    medium: MediumOption = None,
    source: SourceOption = None,
    only_replacements: OnlyReplacements = False,
    profile: str | None = None,
    json: Json = False,
) -> None:
    """Show what a run would take now, what not and why, and what to look at first.

    Changes nothing. The exit code is 0, even if nothing is left to send.

    Parameters
    ----------
    profile
        id or name of an export profile, to find the addresses that do not fit into its files
    """
    selection = selection_of(
        country or [], medium or [], source or [], only_replacements=only_replacements
    )
    await require_sources(db, account.id, selection)
    issue_id = await find_issue(db, account.id, issue)
    settings = await find_settings(db, account.id, profile) if profile is not None else None
    preview = await preview_dispatch(db, account.id, issue_id, selection, settings=settings)
    record, problems = preview_record(preview), list_problems(preview)
    if json:
        print_json({**record, "problems": problems})
        return
    print_record(as_text(record), json=False)
    for problem in problems:
        print_data(f"- {problem['message']}")
        for line in problem["first"]:
            print_data(f"    copy {line['copy_id']}: {line['message']}")


async def find_settings(db: Connection, account_id: int, text: str) -> ProfileSettings:
    """The settings of an active profile, by its id or its name in any case. Raises: CommandError.

    Queries: one.
    """
    wanted = casefold(text.strip()[:MAX_TEXT])
    profiles = await list_active(db, account_id)
    for each in profiles:
        if wanted in (casefold(each.id), casefold(each.name)):
            return each.settings
    names = [each.name for each in profiles]
    raise CommandError(f"There is no export profile `{excerpt(text)}`.{closest(text, names)}")
