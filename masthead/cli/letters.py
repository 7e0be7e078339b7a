"""`masthead letters`."""

from typing import Annotated

from cyclopts import App, Parameter

from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    get_account,
    run_with_database,
)
from masthead.cli.output import print_data, print_json
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.emails.notices import Site
from masthead.services.letters.recipients import LetterCounts, count_letters
from masthead.services.letters.write import WrittenBatch, write_letters
from masthead.settings import from_env
from masthead.store.engine.interface import Database

LETTERS = App(
    name="letters",
    help="Renewal letters.",
    help_prologue="""\
Examples:

    masthead letters preview --account acme --stage before
    masthead letters send --account acme --stage before
""",
)

Stage = Annotated[
    RenewalStage, Parameter(help="one issue before the last one, with it, or one or two after it")
]


@LETTERS.command(name="preview")
def preview_letters(*, account: AccountName, stage: Stage, json: Json = False) -> None:
    """Show how many subscribers would get the letter of a stage now, and why others would not."""

    async def work(db: Database) -> LetterCounts:
        found = await get_account(db, account)
        async with db.read(aside=True) as connection:
            return await count_letters(connection, found, stage)

    counts = run_with_database(work)
    by_channel = {each.value: counts.by_channel.get(each, 0) for each in LetterChannel}
    skipped = {reason.value: count for reason, count in counts.skipped.items()}
    if json:
        print_json(
            {
                "stage": stage.value,
                "issue_number": counts.issue_number,
                **by_channel,
                "written": counts.written,
                "skipped": skipped,
            }
        )
        return
    print_data(f"by email: {by_channel['email']}")
    print_data(f"to print: {by_channel['print']}")
    print_data(f"written already: {counts.written}")
    for reason, count in skipped.items():
        print_data(f"no letter, {reason}: {count}")


@LETTERS.command(name="send")
def send_letters(*, account: AccountName, stage: Stage, json: Json = False) -> None:
    """Send the letter of a stage by email to all subscribers who have not got it yet."""
    settings = from_env()
    if not settings.smtp_host:
        raise CommandError("No mail server is set. Set `MASTHEAD_SMTP_HOST` and its settings.")
    site = Site(settings.public_url, settings.placeholder_domain)

    async def work(db: Database) -> WrittenBatch:
        found = await get_account(db, account)
        return await write_letters(
            db,
            found.id,
            stage,
            LetterChannel.EMAIL,
            site=site,
            by=command_actor("letters send"),
        )

    batch = run_with_database(work)
    if json:
        print_json({"id": batch.id, "letters": batch.letters})
    else:
        print_data(f"letters queued: {batch.letters}; `masthead serve` sends them")
