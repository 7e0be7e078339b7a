"""`masthead letters`."""

from typing import Annotated

from cyclopts import App, Parameter

from masthead.cli.command import CommandError, Json, command_actor, email_site, on_account
from masthead.cli.output import print_data, print_json
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters.recipients import count_letters
from masthead.services.letters.rounds import stop_batch
from masthead.services.letters.write import write_letters
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database

LETTERS = App(
    name="letters",
    help="Renewal letters.",
    help_prologue="""\
Examples:

    masthead letters preview --account acme --stage before
    masthead letters send --account acme --stage before
    masthead letters stop --account acme --batch 01J8X…
""",
)

Stage = Annotated[
    RenewalStage, Parameter(help="one issue before the last one, with it, or one or two after it")
]


@LETTERS.command(name="preview")
@on_account
async def preview_letters(
    db: Database, account: Account, *, stage: Stage, json: Json = False
) -> None:
    """Show how many subscribers would get the letter of a stage now, and why others would not."""
    async with db.read(aside=True) as connection:
        counts = await count_letters(connection, account, stage)
    by_channel = {each.value: counts.by_channel.get(each, 0) for each in LetterChannel}
    skipped = {reason.value: count for reason, count in counts.skipped.items()}
    if json:
        print_json(
            {
                "stage": stage.value,
                "issue_number": counts.issue_number,
                **by_channel,
                "written": counts.written,
                "ended": counts.ended,
                "memberships": counts.memberships,
                "automatic": counts.automatic,
                "skipped": skipped,
            }
        )
        return
    print_data(f"end with issue {counts.last_issue}: {counts.ended}")
    print_data(f"memberships to renew: {counts.memberships}")
    print_data(f"renew automatically: {counts.automatic}")
    print_data(f"by email: {by_channel['email']}")
    print_data(f"to print: {by_channel['print']}")
    print_data(f"written already: {counts.written}")
    for reason, count in skipped.items():
        print_data(f"no letter, {reason}: {count}")


@LETTERS.command(name="send")
@on_account
async def send_letters(db: Database, account: Account, *, stage: Stage, json: Json = False) -> None:
    """Send the letter of a stage by email to all subscribers who have not got it yet."""
    site = email_site()
    if site is None:
        raise CommandError("No mail server is set. Set `MASTHEAD_SMTP_HOST` and its settings.")
    by = command_actor("letters send")
    batch = await write_letters(db, account.id, stage, LetterChannel.EMAIL, site=site, by=by)
    if json:
        print_json({"id": batch.id, "letters": batch.letters})
    else:
        print_data(f"letters queued: {batch.letters}; `masthead serve` sends them")
        print_data(f"batch: {batch.id}")


@LETTERS.command(name="stop")
@on_account
async def stop_letters(
    db: Database,
    account: Account,
    *,
    batch: Annotated[str, Parameter(help="id that `send` printed; also in the page's address")],
    json: Json = False,
) -> None:
    """Stop the letters of a batch that have not gone out; they can be sent again later."""
    done = await stop_batch(db, account.id, batch, by=command_actor("letters stop"))
    if json:
        print_json({"stopped": done.stopped, "sent": done.sent, "on_their_way": done.on_their_way})
    else:
        print_data(f"stopped: {done.stopped}")
        print_data(f"went out before: {done.sent}")
        print_data(f"just being sent: {done.on_their_way}")
