"""`masthead demo`: create the demo publication from the CSV files in the package; serve it."""

import csv
import os
from contextlib import suppress
from pathlib import Path

from masthead import demo
from masthead.cli.command import command_actor, format_examples, list_all, run_with_database
from masthead.cli.output import OutputClosedError, print_data, print_message
from masthead.cli.server import address_of, prepare, start
from masthead.model.billing.vat import EU_PLACE, HOME, VatRate
from masthead.model.imports.batches import BatchStatus, Counts
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.tabular_data import FileLayout
from masthead.model.inputs import IssueCreate
from masthead.model.orders.order import OrderDefaults
from masthead.model.self_service.settings import SelfService
from masthead.model.types.enums import Scope, SourceType
from masthead.model.validation import decode_input
from masthead.services import accounts, keys, products, sources
from masthead.services.billing import settings as billing
from masthead.services.identity import sign_in
from masthead.services.imports.facts import load_facts
from masthead.services.imports.reading import read_table
from masthead.services.imports.uploads import measure
from masthead.services.imports.work.leases import new_holder
from masthead.services.imports.work.run_batch import begin_run, run_batch
from masthead.services.issues import records as issues
from masthead.services.self_service.settings import update_settings
from masthead.serving.start import usable_port
from masthead.settings import Settings, from_env
from masthead.store import sources as source_store
from masthead.store.accounts import Account, find_account
from masthead.store.billing import settings as billing_store
from masthead.store.engine.interface import Database
from masthead.store.imports.batches import list_same_file
from masthead.store.issues import records as issue_store
from masthead.store.self_service.settings import get_settings

BY = command_actor("demo")


def serve_demo(*, host: str = "127.0.0.1", port: int = 0, workers: int = 1) -> None:
    """Create a demo publication, unless it exists, and serve it.

    The data is in masthead-demo.db in the current folder, or in MASTHEAD_DATABASE_URL if set.

    Parameters
    ----------
    port
        port to listen on; 0 for a free one
    """
    if "MASTHEAD_DATABASE_URL" not in os.environ:
        path = Path("masthead-demo.db").resolve()
        os.environ["MASTHEAD_DATABASE_URL"] = f"sqlite:///{path}"
    settings = from_env()
    prepare(settings, may_replace=True)
    key, token = create_publication(settings)
    write_key = create_write_key()
    port = usable_port(host, port)

    def announce() -> None:
        with suppress(OutputClosedError):  # as after `| head -1`
            print_instructions(address_of(host, port), key, token, write_key)

    start(settings, host=host, port=port, workers=workers, announce=announce)


def create_publication(settings: Settings) -> tuple[str, str]:
    """Create the missing parts of the demo publication.

    Returns: a new read-only API key, and the token of a link to set the owner's password.
    """
    print_message("Creating the missing parts of the demo publication …")

    async def work(db: Database) -> tuple[str, str]:
        async with db.read() as connection:
            account = await find_account(connection, demo.SUBDOMAIN)
        account = account or await accounts.create_account(
            db,
            name=demo.NAME,
            subdomain=demo.SUBDOMAIN,
            currency=demo.CURRENCY,
            time_zone=demo.TIME_ZONE,
            owner=demo.OWNER,
            by=BY,
        )
        if account.country is None:
            await accounts.update_account(
                db,
                account.id,
                country=demo.COUNTRY,
                country_languages=demo.LANGUAGES,
                postal_address=demo.POSTAL_ADDRESS,
                by=BY,
            )
        await _create_issues(db, account)
        counts = await _import(db, account, await _create_sources(db, account), settings)
        print_message(
            f"Demo publication: {counts.imported} orders imported, {counts.skipped} skipped."
        )
        await _set_up_sales(db, account.id)
        await _set_contact(db, account.id)
        _, key = await keys.create_key(
            db, account.id, user=demo.OWNER, scope=Scope.READ_ONLY, name="demo", by=BY
        )
        return key, await sign_in.create_link(db, demo.OWNER, by=BY)

    return run_with_database(work)


def create_write_key() -> str:
    """A new read-write API key of the demo publication."""

    async def work(db: Database) -> str:
        async with db.read() as connection:
            account = await find_account(connection, demo.SUBDOMAIN)
        assert account is not None
        _, key = await keys.create_key(
            db, account.id, user=demo.OWNER, scope=Scope.READ_WRITE, name="demo, writes", by=BY
        )
        return key

    return run_with_database(work)


async def _create_sources(db: Database, account: Account) -> str:
    """Create the missing sources; returns the id of the one for imports."""
    existing = await list_all(db, account.id, source_store.list_sources)
    ids = {source.name: source.id for source in existing}
    for name, type in demo.SOURCES:
        if name not in ids:
            created = await sources.create_source(
                db, account.id, name=name, type=SourceType(type), by=BY
            )
            ids[name] = created.id
    return next(ids[name] for name, type in demo.SOURCES if type == SourceType.IMPORT)


async def _set_up_sales(db: Database, account_id: int) -> None:
    """A product with prices, and what invoices need, so that an order can be tried at once."""
    async with db.read() as connection:
        if await billing_store.find_settings(connection, account_id):
            return
    await products.create_product(db, account_id, name=demo.PRODUCT, offer=demo.OFFER, by=BY)
    for place in (HOME, EU_PLACE):
        rate = VatRate(first_day=demo.VAT_SINCE, place=place, rate=demo.VAT_RATE)
        await billing.save_rate(db, account_id, rate, by=BY)
    await billing.save_settings(db, account_id, demo.INVOICES, by=BY)


async def _set_contact(db: Database, account_id: int) -> None:
    """How to reach the publisher, for the page for subscribers, which is closed at first."""
    async with db.read() as connection:
        known = await get_settings(connection, account_id)
    if known == SelfService():
        await update_settings(db, account_id, SelfService(contact=demo.CONTACT), by=BY)


async def _create_issues(db: Database, account: Account) -> None:
    with demo.ISSUES_CSV.open(encoding="utf-8", newline="") as file:
        for cells in csv.DictReader(file):
            number = int(cells["number"])
            async with db.read() as connection:
                if await issue_store.find_issue_id(connection, account.id, number):
                    continue
            given = {name: cell for name, cell in cells.items() if cell} | {"number": number}
            body = decode_input(IssueCreate, given)
            await issues.create_issue(db, account.id, body, by=BY)


async def _import(db: Database, account: Account, source_id: str, settings: Settings) -> Counts:
    """Import the orders, or the rest of them; a file that was imported is skipped as a whole."""
    file, holder = demo.SUBSCRIPTIONS_CSV, new_holder()
    sha256, size = measure(file)
    for batch in await list_same_file(db, account.id, sha256):
        if batch.status is BatchStatus.IMPORTED:
            return Counts(read=batch.counts.read, skipped=batch.counts.read)
    facts = await load_facts(
        db, account.id, OrderDefaults(account.currency, settings.placeholder_domain)
    )
    reading = read_table(file, name=file.name, layout=FileLayout(), plan=ImportPlan(), facts=facts)
    batch = await begin_run(
        db, account.id, reading, sha256=sha256, size=size, source_id=source_id, holder=holder, by=BY
    )
    return (await run_batch(db, account.id, batch, reading, holder=holder)).counts


def print_instructions(address: str, key: str, token: str, write_key: str) -> None:
    """Print the address, a link to sign in, API keys, and a request with its response.

    key: read-only. token: of the link. write_key: read-write.
    """
    print_data(f"address  {address}")
    print_data(f"desk     {address}/link/{token}/   (sets your password)")
    print_data(f"key      {key}   (read-only)")
    print_data(f"writes   {write_key}   (read-write)")
    print_data(f"docs     {address}/docs")
    print_data("")
    print_data("In another terminal, run:")
    print_data(f"  curl -H 'Authorization: Bearer {key}' {address}/v1/me/")
    print_data("The response:")
    print_data(
        f'  {{"email":"{demo.OWNER}","account":{{"name":"{demo.NAME}",'
        f'"subdomain":"{demo.SUBDOMAIN}"}},"scope":"read_only"}}'
    )
    print_data("")


COMMANDS = {"demo": serve_demo}
EXAMPLES = {"demo": format_examples("masthead demo", "masthead demo --port 8000")}
