"""The demo publication, made by the importer from the files that are shipped."""

import csv

from masthead import demo
from masthead.cli.output import by, list_all, put, say, with_database
from masthead.model.inputs import IssueCreate
from masthead.model.orders.order import Terms
from masthead.model.types.enums import Scope, SourceType
from masthead.model.validation import decode_input
from masthead.services import accounts, issues, keys, sources
from masthead.services.identity import sign_in
from masthead.services.imports import CsvFile, Import, Summary, import_lines
from masthead.settings import Settings
from masthead.store import accounts as account_store
from masthead.store import issues as issue_store
from masthead.store import sources as source_store
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database

BY = by("demo")


def make_publication(settings: Settings) -> tuple[str, str]:
    """Make whatever of the demo publication is missing; a fresh read-only key for it.

    And the token of a fresh link by which its owner sets a password.
    """

    say("Making the demo publication, or what is missing of it …")

    async def work(db: Database) -> tuple[str, str]:
        async with db.read() as connection:
            account = await account_store.find_account(connection, demo.SUBDOMAIN)
        account = account or await accounts.create_account(
            db,
            name=demo.NAME,
            subdomain=demo.SUBDOMAIN,
            currency=demo.CURRENCY,
            owner=demo.OWNER,
            by=BY,
        )
        await _make_issues(db, account)
        summary = await _import(db, account, await _make_sources(db, account), settings)
        say(f"Demo publication: {summary.imported} orders imported, {summary.skipped} kept.")
        _, key = await keys.create_key(
            db, account.id, user=demo.OWNER, scope=Scope.READ_ONLY, name="demo", by=BY
        )
        return key, await sign_in.create_link(db, demo.OWNER, by=BY)

    return with_database(work)


async def _make_sources(db: Database, account: Account) -> str:
    """The id of the source for imports."""
    there = await list_all(db, account.id, source_store.list_sources, "id")
    ids = {source.name: source.id for source in there}
    for name, type in demo.SOURCES:
        if name not in ids:
            made = await sources.create_source(
                db, account.id, name=name, type=SourceType(type), by=BY
            )
            ids[name] = made.id
    return next(ids[name] for name, type in demo.SOURCES if type == SourceType.IMPORT)


async def _make_issues(db: Database, account: Account) -> None:
    with demo.ISSUES_CSV.open(encoding="utf-8", newline="") as file:
        for cells in csv.DictReader(file):
            number = int(cells["number"])
            async with db.read() as connection:
                if await issue_store.find_issue_id(connection, account.id, number):
                    continue
            given = {name: cell for name, cell in cells.items() if cell} | {"number": number}
            body = decode_input(IssueCreate, given)
            await issues.create_issue(db, account.id, body, by=BY)


async def _import(db: Database, account: Account, source_id: str, settings: Settings) -> Summary:
    terms = Terms(account.currency, settings.placeholder_domain)
    how = Import(account.id, source_id, terms, BY)
    return await import_lines(db, CsvFile(demo.SUBSCRIPTIONS_CSV), how)


def explain(address: str, key: str, token: str) -> None:
    """Print where it is served, a link into its desk, a key, a curl line and what to expect."""
    put(f"address  {address}")
    put(f"desk     {address}/link/{token}/   (sets your password)")
    put(f"key      {key}   (read-only)")
    put(f"docs     {address}/docs")
    put("")
    put("Try, in another terminal:")
    put(f"  curl -H 'Authorization: Bearer {key}' {address}/v1/me/")
    put("and expect:")
    put(
        f'  {{"email":"{demo.OWNER}","account":{{"name":"{demo.NAME}",'
        f'"subdomain":"{demo.SUBDOMAIN}"}},"scope":"read_only"}}'
    )
    put("")
