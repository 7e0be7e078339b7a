"""`masthead subscriber` and `masthead privacy`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    on_account,
    run_on_account,
    run_with_database,
)
from masthead.cli.output import print_data, print_json, print_message, print_record
from masthead.model.errors import NotFound, excerpt
from masthead.model.privacy.erasures import (
    Erasure,
    ErasurePreview,
    NamedElsewhere,
    describe_place,
    describe_stays,
)
from masthead.services.privacy.data_subjects import find_subscriber
from masthead.services.privacy.document import document_locale, make_document
from masthead.services.privacy.erase import erase_subscriber, preview_erasure
from masthead.services.privacy.everything import collect_everything, record_export
from masthead.services.privacy.finish import finish_erasures
from masthead.services.privacy.moved_erasures import reapply_erasures
from masthead.services.privacy.named_elsewhere import list_named_elsewhere
from masthead.settings import from_env
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Database
from masthead.store.engine.private_files import create_private_folder, open_private
from masthead.store.subscribers.corrections import get_subscriber

SUBSCRIBER = App(
    name="subscriber",
    help="Subscribers who ask for their data, or to be forgotten.",
    help_prologue="""\
Examples:

    masthead subscriber export --account acme ann@example.com --output ann/
    masthead subscriber erase --account acme ann@example.com
    masthead subscriber reapply erasures.json
""",
)

Subscriber = Annotated[str, Parameter(help="email address or id of the subscriber")]


async def _find(db: Connection, account: Account, asked: str) -> str:
    """The id of the subscriber. Raises: CommandError."""
    try:
        return await find_subscriber(db, account.id, asked)
    except NotFound:
        raise CommandError(
            f"{account.name} has no subscriber `{excerpt(asked)}`. Give the email address as it is "
            "stored, or an id; nothing was changed."
        ) from None


@SUBSCRIBER.command(name="export")
@on_account
async def export_subscriber(
    db: Database,
    account: Account,
    subscriber: Subscriber,
    /,
    *,
    output: Path | None = None,
    json: Json = False,
) -> None:
    """Write everything that is kept about a subscriber: a document to read, and JSON.

    With --json and without --output, the JSON goes to the standard output.

    Parameters
    ----------
    output
        folder for both files, or a file that ends in .html or .json; default: this folder
    """
    async with db.read(is_long=True) as connection:
        id = await _find(connection, account, subscriber)
        locale = document_locale(await get_subscriber(connection, account.id, id), account)
        everything = await collect_everything(
            connection, account, id, placeholder_domain=from_env().placeholder_domain
        )
    await record_export(db, account.id, id, by=command_actor("subscriber export"))
    if everything["erased_at"]:
        print_message(
            f"This subscriber was erased on {everything['erased_at'].date()}. What was kept is "
            "written, without name, email and address."
        )
    if json and output is None:
        print_json(everything)
        return
    content = msgspec.json.format(msgspec.json.encode(everything), indent=2).decode()
    files = [
        _write(
            path,
            content
            if path.suffix == ".json"
            else make_document(everything, locale, account.time_zone),
        )
        for path in _paths(output or Path(), str(everything["id"]))
    ]
    if json:
        print_json({"id": everything["id"], "files": files})
    else:
        for file in files:
            print_data(file)


def _paths(output: Path, id: str) -> list[Path]:
    """The files to write: both in a folder, or the one that was named."""
    if output.suffix in (".html", ".json") and not output.is_dir():
        return [output]
    return [output / f"subscriber-{id}.html", output / f"subscriber-{id}.json"]


def _write(path: Path, content: str) -> str:
    create_private_folder(path.parent)
    with open_private(path) as file:
        file.write(content)
    return str(path)


@SUBSCRIBER.command(name="erase")
def erase(
    subscriber: Subscriber,
    /,
    *,
    account: AccountName,
    yes: Annotated[bool, Parameter(negative="")] = False,
    cancel: Annotated[bool, Parameter(negative="--no-cancel")] = True,
    json: Json = False,
) -> int:
    """Erase a subscriber: names, addresses, emails and texts go; amounts and dates stay.

    Parameters
    ----------
    yes
        erase without asking; without a terminal, nothing is asked
    cancel
        cancel the subscriptions that are not over; with --no-cancel, refuse instead
    """
    domain, actor = from_env().placeholder_domain, command_actor("subscriber erase")

    async def look(db: Database, found: Account) -> tuple[ErasurePreview, list[NamedElsewhere]]:
        async with db.read(is_long=True) as connection:
            id = await _find(connection, found, subscriber)
            return (
                await preview_erasure(connection, found.id, id, placeholder_domain=domain),
                await list_named_elsewhere(connection, found.id, id, placeholder_domain=domain),
            )

    preview, elsewhere = run_on_account(account, look)
    if not yes and sys.stdin.isatty() and not _confirm(preview, elsewhere):
        print_message("Nothing was changed.")
        return 1

    async def work(db: Database, found: Account) -> Erasure:
        erasure = await erase_subscriber(
            db,
            found.id,
            preview.subscriber_id,
            is_cancelling=cancel,
            placeholder_domain=domain,
            by=actor,
        )
        await finish_erasures(db)
        return erasure

    erasure = run_on_account(account, work)
    record = {
        "id": erasure.id,
        "subscriber": erasure.subscriber_id,
        "erased_at": erasure.created_at,
        "cancelled": preview.running,
        "files_withdrawn": preview.files,
        "kept": [
            {"kind": kind.value, "count": count, "why": describe_stays(kind)}
            for kind, count in erasure.kept.items()
        ],
        "named_elsewhere": [
            {"where": describe_place(each.table), "id": each.id, "text": each.text}
            for each in elsewhere
        ],
    }
    if json:
        print_json(record)
    else:
        print_data(f"Erased: {erasure.subscriber_id}. Kept, without the person:")
        for kind, count in erasure.kept.items():
            print_data(f"  {kind.words} ({count}): {describe_stays(kind)}")
        if elsewhere:
            print_data("These texts name the person too. Change them yourself:")
            for line in _lines_elsewhere(elsewhere):
                print_data(line)
    return 0


def _lines_elsewhere(elsewhere: Sequence[NamedElsewhere]) -> list[str]:
    return [f"  {describe_place(each.table)} {each.id}: {each.text}" for each in elsewhere]


def _confirm(preview: ErasurePreview, elsewhere: Sequence[NamedElsewhere]) -> bool:
    """Show what goes, and ask."""
    print_message(f"{preview.name} {preview.email}".rstrip())
    for kind, count in preview.counts.items():
        print_message(f"  {kind.words}: {count}")
    if elsewhere:
        print_message("These texts name the person too, and stay as they are:")
        for line in _lines_elsewhere(elsewhere):
            print_message(line)
    for sentence in preview.open_money:
        print_message(sentence)
    if preview.running:
        print_message(f"  Subscriptions that are cancelled: {len(preview.running)}")
    print_message("This cannot be undone. Type `erase` to erase this subscriber:")
    return sys.stdin.readline().strip() == "erase"


@SUBSCRIBER.command(name="reapply")
def reapply(file: Path, /, *, json: Json = False) -> None:
    """Erase again who was erased before, in a database that was restored from a backup.

    Parameters
    ----------
    file
        erasures.json, which each backup has
    """
    if not file.is_file():
        raise CommandError(f"There is no file `{file}`.")
    actor, content = command_actor("subscriber reapply"), file.read_bytes()

    async def work(db: Database) -> int:
        count = await reapply_erasures(
            db, content, placeholder_domain=from_env().placeholder_domain, by=actor
        )
        await finish_erasures(db)
        return count

    print_record({"erased": run_with_database(work)}, json=json)
