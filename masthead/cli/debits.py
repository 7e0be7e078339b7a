"""`masthead debit`: mandates, and collections by direct debit."""

import os
from pathlib import Path

from cyclopts import App
from msgspec import structs

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    on_account,
    parse_date,
)
from masthead.cli.invoices import Payer, find_payer
from masthead.cli.output import print_done, print_record, print_records
from masthead.model.debits.mandates import NewMandate
from masthead.model.debits.rules import Collection
from masthead.model.debits.settings import FIRST_NOTICE_DAYS
from masthead.model.types.money import money_text
from masthead.services.debits import collect, mandates, settings
from masthead.store.accounts import Account
from masthead.store.debits import (
    collections as store,
    records as debit_store,
    settings as settings_store,
)
from masthead.store.engine.interface import Database

MOST = 10_000  # listed at once

DEBIT = App(
    name="debit",
    help="Direct debits: mandates, what is due, and files for the bank.",
    help_prologue=format_examples(
        "masthead debit settings --account acme --creditor-id DE98ZZZ09999999999",
        "masthead debit settings --account acme --mark-first --charge-bank-fee",
        "masthead debit mandate --account acme --payer ann@example.org \\",
        '    --iban DE02120300000000202051 --holder "Ann Lee" --signed 2026-01-02',
        "masthead debit list --account acme",
        "masthead debit create --account acme --output debits.xml --day 2026-03-02",
    ),
)


@DEBIT.command(name="settings")
@on_account
async def change_settings(
    db: Database,
    account: Account,
    *,
    creditor_id: str | None = None,
    notice_days: int | None = None,
    mark_first: bool | None = None,
    charge_bank_fee: bool | None = None,
    json: Json = False,
) -> None:
    """Change the settings of direct debits, or show them. What is not given stays as it is.

    Parameters
    ----------
    creditor_id
        SEPA creditor identifier
    notice_days
        days from the invoice to the direct debit; 14 at first
    mark_first
        whether the first direct debit by a mandate is marked as FRST; at first not
    charge_bank_fee
        whether payers owe the fee of the bank for a direct debit that came back; at first not
    """
    known = await settings_store.find_settings(db, account.id)
    given = (creditor_id, notice_days, mark_first, charge_bank_fee)
    if any(each is not None for each in given):
        if known is None and creditor_id is None:
            raise CommandError("Give `--creditor-id` first.")
        await settings.save_settings(
            db,
            account.id,
            creditor_id=creditor_id or (known.creditor_id if known else ""),
            notice_days=notice_days
            if notice_days is not None
            else (known.notice_days if known else FIRST_NOTICE_DAYS),
            marks_first=mark_first,
            charges_bank_fee=charge_bank_fee,
            by=command_actor("debit settings"),
        )
        known = await settings_store.find_settings(db, account.id)
    if known is None:
        raise CommandError("This account collects nothing yet. Give `--creditor-id`.")
    print_record(structs.asdict(known), json=json)


@DEBIT.command(name="mandate")
@on_account
async def add_mandate(
    db: Database,
    account: Account,
    *,
    payer: Payer = None,
    iban: str,
    holder: str,
    signed: str,
    bic: str = "",
    reference: str = "",
    once: bool = False,
    b2b: bool = False,
    json: Json = False,
) -> None:
    """Add a signed mandate of a payer.

    Parameters
    ----------
    iban
        IBAN of the payer
    holder
        name of who owns the bank account
    signed
        day on which it was signed, YYYY-MM-DD
    bic
        BIC of the bank; only needed outside the European Economic Area
    reference
        mandate reference; by default one is made of the customer number
    once
        whether it is for one direct debit only
    b2b
        whether it is between companies (SEPA B2B)
    """
    if payer is None:
        raise CommandError("Give `--payer`: an email or an id.")
    asked = NewMandate(
        iban=iban,
        bic=bic,
        holder=holder,
        reference=reference,
        is_recurring=not once,
        is_b2b=b2b,
        signed_date=parse_date(signed),
    )
    by = command_actor("debit mandate")
    payer_id = await find_payer(db, account, payer)
    id = await mandates.add_mandate(db, account.id, payer_id, asked, by=by)
    print_done({"id": id}, "The mandate is added.", json=json)


@DEBIT.command(name="list")
@on_account
async def list_debits(db: Database, account: Account, *, json: Json = False) -> None:
    """List the direct debits that wait, by the day that their payers were told."""
    waiting = await debit_store.list_waiting(db, account.id, limit=MOST)
    rows = [
        {
            "invoice": each.number,
            "payer": each.payer_name,
            "amount": money_text(each.open_amount, each.currency),
            "collect_date": str(each.collect_date),
            "mandate": each.mandate.reference,
            "iban": each.mandate.masked,
            "is_b2b": each.mandate.is_b2b,
            "problem": each.problem_on(max(each.collect_date, account.daily_date)),
        }
        for each in waiting
    ]
    print_records(rows, json=json)


@DEBIT.command(name="collections")
@on_account
async def list_collections(db: Database, account: Account, *, json: Json = False) -> None:
    """List the collections, newest first."""
    found = await store.list_collections(db, account.id, MOST)
    print_records([_row(each) for each in found], json=json)


def _row(collection: Collection) -> dict[str, object]:
    return {
        "id": collection.id,
        "number": collection.number,
        "day": str(collection.collect_date),
        "debits": collection.debits,
        "total": money_text(collection.total, collection.currency),
        "currency": collection.currency,
        "is_b2b": collection.is_b2b,
        "is_sent": collection.sent_at is not None,
        "is_cancelled": collection.cancelled_at is not None,
    }


@DEBIT.command(name="create")
@on_account
async def create_collection(
    db: Database,
    account: Account,
    *,
    output: Path,
    day: str | None = None,
    b2b: bool = False,
    json: Json = False,
) -> None:
    """Collect all that is due, and write the file for the bank (pain.008).

    What is due by mandates between companies (B2B) needs a file of its own.

    Parameters
    ----------
    output
        file to write; it must not exist yet
    day
        day of the collection, YYYY-MM-DD; by default the next bank day
    b2b
        collect by B2B mandates, instead of core mandates
    """
    _require_new(output)
    made = await collect.create_collection(
        db,
        account.id,
        day=None if day is None else parse_date(day),
        is_b2b=b2b,
        by=command_actor("debit create"),
    )
    await _write_file(db, account, made.id, output)
    text = f"{made.debits} direct debits for {made.collect_date} are in `{output}`."
    print_done(_row(made), text, json=json)


@DEBIT.command(name="file")
@on_account
async def write_file(
    db: Database, account: Account, number: int, /, *, output: Path, json: Json = False
) -> None:
    """Write the file of a collection again, byte for byte.

    Parameters
    ----------
    number
        number of the collection
    output
        file to write; it must not exist yet
    """
    _require_new(output)
    listed = await store.list_collections(db, account.id, MOST)
    found = next((each for each in listed if each.number == number), None)
    if found is None:
        raise CommandError(f"There is no collection {number}.")
    await _write_file(db, account, found.id, output)
    print_done(_row(found), f"The file is in `{output}`.", json=json)


def _require_new(output: Path) -> None:
    """Raises: CommandError if a file cannot be written."""
    if output.exists():
        raise CommandError(f"`{output}` exists already. Choose another name.")
    if not output.parent.is_dir():
        raise CommandError(f"There is no folder `{output.parent}`.")


async def _write_file(db: Database, account: Account, id: str, output: Path) -> None:
    """Write the file so that only its owner can read it: it has whole IBANs."""
    by = command_actor("debit create")
    _collection, content = await collect.download_file(db, account.id, id, by=by)
    handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
