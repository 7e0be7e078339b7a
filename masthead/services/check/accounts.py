"""Check the invariants of the data, account by account, for `masthead check`."""

import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import date
from itertools import chain, pairwise

from msgspec import Struct, structs

from masthead.model.billing.documents import is_converted
from masthead.model.dispatch.files import FileStatus
from masthead.model.search import SearchTexts
from masthead.model.subscriptions.lifecycle import derive_status, is_period_complete
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.types.email_addresses import stored_keys
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType
from masthead.services.addresses.apply import list_due_changes
from masthead.services.check.imports import check_imports
from masthead.services.check.journal import check_journal
from masthead.services.check.revenue import check_revenue
from masthead.services.issues.covers import list_damaged_covers
from masthead.services.privacy.moved_erasures import get_account_erasures, list_matches
from masthead.services.search_index import expected_rows
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.billing.invoices import list_after
from masthead.store.check import rows as checks
from masthead.store.dispatch import files
from masthead.store.dispatch.fingerprints import MARK, compute_fingerprint
from masthead.store.engine.citus.placement import list_misplaced
from masthead.store.engine.interface import Connection, Database
from masthead.store.privacy import reapply
from masthead.store.read_model import subscription_json
from masthead.store.search import text_index
from masthead.store.subscribers import merges
from masthead.store.subscribers.records import STATS
from masthead.store.subscriptions import periods, records as subscriptions
from masthead.store.subscriptions.periods import PeriodCompletion

PAGE = 1_000


class Fault(Struct, frozen=True):
    """A row that breaks an invariant. account: its subdomain."""

    account: str
    invariant: str
    id: str


async def check(db: Database) -> AsyncIterator[Fault]:
    """Find the rows of all accounts that break an invariant, and indexes that are damaged."""
    async with db.read(is_long=True) as connection:
        known_accounts = await accounts.list_accounts(connection)
        misplaced = await list_misplaced(connection)
    for known in known_accounts:
        async for fault in check_account(db, known.subdomain):
            yield fault
    for table in misplaced:
        yield Fault("all accounts", "Citus has each table where it belongs", table)
    for index in await db.list_damaged():
        yield Fault("all accounts", "the search index is intact", index)


async def check_account(db: Database, subdomain: str) -> AsyncIterator[Fault]:
    """Find the rows of an account that break an invariant, in one snapshot."""
    async with db.read(is_long=True) as connection:
        account = await accounts.find_account(connection, subdomain)
        if account is None:  # it was deleted meanwhile; subdomains never change
            return
        for invariant in checks.ALL_INVARIANTS:
            for id in await checks.list_broken(connection, account.id, invariant):
                yield Fault(account.subdomain, invariant, id)
        for faults in (
            _check_subscribers(connection, account),
            _check_subscriptions(connection, account),
            _check_search(connection, account),
            check_dispatches(connection, account.id),
            check_merges(connection, account.id),
            check_erasures(connection, account),
            check_revenue(connection, account),
            check_journal(connection, account.id),
            check_documents(connection, account.id),
            check_imports(connection, account.id),
        ):
            async for invariant, id in faults:
                yield Fault(account.subdomain, invariant, id)
        for issue_id in await list_damaged_covers(connection, account.id):
            yield Fault(account.subdomain, "a cover matches its hash", issue_id)
        for change in await list_due_changes(connection, account):
            yield Fault(account.subdomain, "a change of address is made in time", change.id)


async def _check_subscribers(db: Connection, account: Account) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a subscriber."""
    after, seen = "", set[str]()
    while rows := await checks.list_stats(db, account.id, after=after, limit=PAGE):
        recounted = await checks.list_recounted_stats(
            db, account.id, after=after, limit=PAGE, currency=account.currency
        )
        after = rows[-1].id
        for row, recount in zip(rows, recounted, strict=True):
            if row.email_key not in stored_keys(row.email) or row.email_key in seen:
                yield "an email address has one subscriber", row.id
            seen.add(row.email_key)
            for column in STATS:
                if getattr(row, column) != getattr(recount, column):
                    yield f"{column} of a subscriber matches a recount", row.id


async def _check_search(db: Connection, account: Account) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a subscriber or subscription.

    The background work writes the texts of earlier versions again; until then, they are no fault.
    """
    after = ""
    while ids := await checks.list_ids(db, account.id, "subscriber", after=after, limit=PAGE):
        after = ids[-1]
        due = await expected_rows(db, account.id, ids)
        stored = await text_index.list_texts(db, account.id, [row.n for row in due])
        for row in due:
            found = stored.get(row.n)
            if found is None or (_in_order(row) != _in_order(found) and not found.is_outdated):
                id = row.subscriber_id or row.subscription_id or ""
                yield "the search index matches the fields", id


def _in_order(row: SearchTexts) -> dict[str, object]:
    """A row of the search index with its lines sorted: older versions stored them unsorted."""
    return {
        name: sorted(value.split("\n")) if name.endswith("_text") else value
        for name, value in structs.asdict(row).items()
    }


async def _check_subscriptions(db: Connection, account: Account) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a subscription or period."""
    after = ""
    while ids := await checks.list_ids(db, account.id, "subscription", after=after, limit=PAGE):
        after = ids[-1]
        own = await subscriptions.find_rows(db, account.id, ids)
        orders = await periods.list_periods(db, account.id, ids)
        for id, facts in (await periods.list_completion(db, account.id, ids)).items():
            found = chain(_check_state(account, id, facts), _check_span(own[id], orders[id]))
            for fault in found:
                yield fault
        ready = await subscription_json.find_current_json(db, account.id, list(orders))
        rendered = await subscription_json.render_json(db, account.id, list(ready))
        for id, text in ready.items():
            if rendered.get(id) != text:
                yield "the stored JSON of a subscription matches its tables", id


def _check_state(
    account: Account, id: str, facts: Sequence[PeriodCompletion]
) -> Iterator[tuple[str, str]]:
    """Whether periods and status follow from the copies, the issues and the day."""
    complete = []
    for row in facts:
        complete.append(
            is_period_complete(
                period_end=row.period_end,
                day=account.daily_date,
                missing_issues=row.missing_issues,
                unsent_copies=row.unsent_copies,
            )
        )
        if complete[-1] != row.is_complete:
            yield "is_complete of a period matches a recount", str(row.id)
    status = SubscriptionStatus(facts[0].status)
    is_recurring, type = facts[0].is_recurring, SubscriptionType(facts[0].type)
    due = derive_status(status, type=type, is_recurring=is_recurring, periods_complete=complete)
    if due != status or (status is SubscriptionStatus.COMPLETE and not all(complete)):
        yield "the status of a subscription follows from its data", id
    if not is_recurring and status in (
        SubscriptionStatus.RENEWALS_STOPPED,
        SubscriptionStatus.PAST_DUE,
    ):
        yield "only a recurring subscription can be past due or have its renewals stopped", id


def _check_span(
    row: StoredSubscription, orders: Sequence[StoredPeriod]
) -> Iterator[tuple[str, str]]:
    """Whether periods do not overlap, and issue periods have no gaps."""
    if row.type == SubscriptionType.MEMBERSHIP:
        if any(
            (old.period_end or date.max) >= (new.period_start or date.min)
            for old, new in pairwise(orders)
        ):
            yield "the periods of a subscription do not overlap", row.id
        return
    if any((old.last_issue or 0) + 1 != new.first_issue for old, new in pairwise(orders)):
        yield "the periods of a subscription do not overlap", row.id
    if (row.start_issue, row.last_issue) != (
        orders[0].first_issue,
        orders[-1].last_issue,
    ):
        yield "the issue list of a subscription is the union of its periods", row.id


async def check_merges(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a merge. Queries: one for 1,000, and one for each."""
    after = ""
    while found := await merges.list_merges(db, account_id, after=after, limit=PAGE):
        after = found[-1].id
        for merge in found:
            named = {*merge.moved.subscriptions, *merge.moved.gifts}
            rows = await subscriptions.find_rows(db, account_id, named)
            if rows.keys() != named:
                yield "what a merge moved is subscriptions of its account", merge.id
            if merge.kept_id == merge.merged_id:
                yield "a merge has two subscribers", merge.id


async def check_erasures(db: Connection, account: Account) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a subscriber.

    Someone who orders again later is a new subscriber, but an import must not bring anybody back.
    Queries: one if the account has no erasures, else one for 1,000 subscribers.
    """
    moved = await get_account_erasures(db, account)
    if moved is None:
        return
    async for person, erasure in list_matches(db, moved):
        is_older = person.created_at <= erasure.created_at
        if is_older or await reapply.is_made_by_import(db, account.id, person.id):
            yield "an erased subscriber does not come back", person.id


async def check_dispatches(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a run or a file.

    Reads all lines and files of the account. Queries: one for 5,000 lines and for 1 MiB of files.
    """
    for id, known in (await checks.list_fingerprints(db, account_id)).items():
        # marked after an erasure, until `finish_erasures`
        if not known.startswith(MARK) and known != await compute_fingerprint(db, account_id, id):
            yield "the frozen addresses of a run do not change", id
        for file in await files.list_files(db, account_id, id):
            if file.status is not FileStatus.READY:
                continue
            digest, size, part = hashlib.sha256(), 0, 0
            while content := await files.find_part(db, account_id, file.id, part):
                digest.update(content)
                size, part = size + len(content), part + 1
            if (digest.hexdigest(), size) != (file.sha256, file.bytes):
                yield "the bytes of a file match its hash", file.id


async def check_documents(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    """Compare each invoice with its document, which never changes. Yields ids of invoices."""
    after = ""
    while found := await list_after(db, account_id, after=after, limit=PAGE):
        after = found[-1].id
        for each in found:
            document = each.document
            if (document.number, document.net, document.vat) != (each.number, each.net, each.vat):
                yield "an invoice has the number and the amounts of its document", each.id
            if not is_converted(document):
                yield "VAT in the currency of the country is converted by its rate", each.id
