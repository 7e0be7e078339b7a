"""Everything that is kept about a subscriber, as one JSON document."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec
from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.history.words import MONEY_FIELDS
from masthead.model.privacy.erasures import Record
from masthead.model.types.money import money_text
from masthead.services.privacy.data_subjects import file_terms, get_data_subject, list_people
from masthead.services.privacy.uploaded_files import find_files
from masthead.services.subscribers.correct import name_of
from masthead.services.transactions import in_transaction
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import paid_for
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.privacy import erasures, files as files_store, records, uploaded_files
from masthead.store.privacy.records import DataSubject
from masthead.store.revenue.subscriber_payments import sum_paid
from masthead.store.subscriptions.skips import list_skipped

# Columns that say nothing about the subscriber: keys of masthead, and who of the staff did it
_INTERNAL = frozenset(
    "account_id n actor_id deleted_by_id undone_by_id actor_kind deleted_by_kind undone_by_kind "
    "digest email_key group_id is_secret link_digest message_id said unsubscribe_url".split()
)
_JSON = frozenset("before after moved old_address new_address made reasons cells document".split())
_AMOUNTS = frozenset(
    "price discount_amount refunded amount original_amount net vat total open_amount "
    "unused_amount".split()
)
_WITH_CURRENCY = frozenset({Record.BANK_LINES, Record.INVOICES, Record.PAYMENTS, Record.REMINDERS})
# What a subscriber may see of a gift that they gave: nothing about who got it
_OF_GIFT = (
    "id type status medium start_issue last_issue total_length created_at gifter_name gifter_email"
).split()
_OF_GIFT_ORDER = (
    "order_id order_date price discount_amount refunded currency payment_method transaction_id"
).split()
_OF_GIVER = frozenset("gifter_id gifter_name gifter_email".split())


async def collect_everything(
    db: Connection, account: Account, id: str, *, placeholder_domain: str
) -> dict[str, Any]:
    """All that is kept about a subscriber and who was merged into them, ready for JSON.

    Data of other people is left out: of who got a gift, who gave one, what others paid, and of the
    staff. Queries: about 34. Raises: NotFound.
    """
    subject, row = await get_data_subject(db, account.id, id, placeholder_domain=placeholder_domain)
    rows = {record: await records.list_rows(db, account.id, record, subject) for record in Record}
    unpaid = await _find_paid_by_others(db, account.id, rows, subject)
    currencies = {
        each["id"]: each["currency"] for each in rows[Record.ORDERS] if each["id"] not in unpaid
    }
    found: dict[str, Any] = {
        "account": {"name": account.name, "subdomain": account.subdomain},
        "exported_at": now(),
        "id": subject.id,
        "name": name_of(row),
        "email": None if row["is_placeholder"] else row["email"],
    }
    for record, listed in rows.items():
        found[record.value] = [
            _without_placeholders(
                _shown(record, each, currencies, "" if unpaid else account.currency),
                placeholder_domain,
            )
            for each in listed
            if _is_theirs(record, each, subject)
        ]
    await _add_skipped(db, account.id, found[Record.SUBSCRIPTIONS.value])
    await _add_gift_orders(db, account.id, found[Record.GIFTS.value], subject)
    found["paid"] = await _sum_paid(db, account.id, subject)
    others = {each["subscription_id"] for each in rows[Record.ORDERS] if each["id"] in unpaid}
    for entry in found[Record.AUDIT_ENTRIES.value]:
        if entry["subject_type"] == "subscription" and entry["subject_id"] in others:
            for name in ("before", "after"):
                _hide_money(entry[name])
    found["files"] = await _list_files(db, account.id, subject, rows)
    found["revenue_statements"] = await _list_statements(db, account.id, rows)
    erased = await erasures.find_erasure(db, account.id, subject.id)
    found["erased_at"] = erased.created_at if erased else None
    return found


async def _find_paid_by_others(
    db: Connection, account_id: int, rows: Mapping[Record, list[Row]], subject: DataSubject
) -> set[int]:
    """The orders that somebody else pays: a giver, or a company. Queries: one at most."""
    ids = [each["id"] for each in rows[Record.ORDERS]]
    billed = await paid_for.find_payers_of_orders(db, account_id, ids) if ids else {}
    given = {each["id"] for each in rows[Record.SUBSCRIPTIONS] if each["is_gift"]}
    return {
        each["id"]
        for each in rows[Record.ORDERS]
        if (
            billed[each["id"]] not in subject.subscribers
            if each["id"] in billed
            else each["subscription_id"] in given
        )
    }


async def _add_skipped(
    db: Connection, account_id: int, subscriptions: list[dict[str, Any]]
) -> None:
    """Add the issues that subscriptions leave out, which their length counts. Queries: one."""
    for each in await list_skipped(db, account_id, [it["id"] for it in subscriptions]):
        row = next(it for it in subscriptions if it["id"] == each.subscription_id)
        row.setdefault("skipped_issues", []).append(each.issue_number)


async def _add_gift_orders(
    db: Connection, account_id: int, gifts: list[dict[str, Any]], subject: DataSubject
) -> None:
    """Add to gifts what the subscriber paid for them. Queries: two at most."""
    rows = await records.list_gift_orders(db, account_id, subject) if gifts else []
    billed = await paid_for.find_payers_of_orders(db, account_id, [each.id for each in rows])
    for gift in gifts:
        gift["orders"] = [
            {
                name: money_text(value, each.currency) if name in _AMOUNTS else value
                for name, value in structs.asdict(each).items()
                if name in _OF_GIFT_ORDER
            }
            for each in rows
            if each.subscription_id == gift["id"]
            and billed.get(each.id, subject.id) in subject.subscribers
        ]


async def _sum_paid(db: Connection, account_id: int, subject: DataSubject) -> dict[str, str]:
    """What they paid by currency, as the page of the subscriber says. Queries: one."""
    paid = Counter[str]()
    for by_currency in (await sum_paid(db, account_id, subject.subscribers)).values():
        paid.update(by_currency)
    return {currency: money_text(paid[currency], currency) for currency in sorted(paid)}


def _is_theirs(record: Record, row: Row, subject: DataSubject) -> bool:
    """Whether to show a record. The email of a gift went to the giver.

    A change of address can be stored in several parts; only the one for the whole is shown.
    """
    if record is Record.ADDRESS_CHANGES:
        return row["move_first_issue"] is None or row["last_issue"] is None
    if record is not Record.EMAILS:
        return True
    return row["subscriber_id"] in subject.subscribers or row["recipient"].lower() in subject.emails


def _hide_money(fields: dict[str, Any] | None) -> None:
    """Take the amounts out of what an audit entry says."""
    for name in MONEY_FIELDS:
        (fields or {}).pop(name, None)


def _shown(record: Record, row: Row, currencies: Mapping[int, str], usual: str) -> dict[str, Any]:
    """The columns of a record that are about the subscriber.

    currencies: of the orders that they pay. usual: that of the account; empty to hide it.
    """
    if record is Record.GIFTS:
        return {name: row[name] for name in _OF_GIFT}
    hidden = _OF_GIVER if record is Record.SUBSCRIPTIONS else frozenset[str]()
    shown = {name: row[name] for name in row.keys() if name not in _INTERNAL | hidden}  # noqa: SIM118 - rows of PostgreSQL iterate over their values
    if record is Record.ADDRESS_CHANGES:
        whole = shown.pop("move_first_issue")
        shown["first_issue"] = whole or shown["first_issue"]
    period: Any = row["id"] if record is Record.ORDERS else shown.get("period_id")
    for name, value in shown.items():
        if name == "ltv":
            shown[name] = money_text(value, usual) if usual else None
        elif name in _AMOUNTS:
            currency = row["currency"] if record in _WITH_CURRENCY else currencies.get(period)
            shown[name] = None if value is None or not currency else money_text(value, currency)
        elif name in _JSON and value:
            shown[name] = msgspec.json.decode(value)
    return shown


def _without_placeholders(shown: dict[str, Any], domain: str) -> dict[str, Any]:
    """A record without the addresses that stand for a missing one."""
    return {
        name: None if str(value).endswith(f"@{domain}") else value for name, value in shown.items()
    }


async def _list_files(
    db: Connection, account_id: int, subject: DataSubject, rows: Mapping[Record, list[Row]]
) -> list[dict[str, Any]]:
    """The stored files that have the name or email of the subscriber."""
    people = await list_people(db, account_id, subject)
    terms = file_terms(subject, rows[Record.SUBSCRIBERS], people)
    files: list[dict[str, Any]] = [
        {"id": each.id, "kind": "dispatch", "name": each.name}
        for each in await files_store.list_run_files(db, account_id, subject)
        if each.status == "ready"
    ]
    kinds = {"import_file_part": "import", "carrier_file_part": "carrier"}
    for table, ids in (await find_files(db, account_id, terms, is_sure=True)).items():
        named = await uploaded_files.list_file_names(db, account_id, table, ids)
        files += [{"id": each.id, "kind": kinds[table], "name": each.name} for each in named]
    return files


async def _list_statements(
    db: Connection, account_id: int, rows: Mapping[Record, list[Row]]
) -> list[dict[str, Any]]:
    """The revenue statements that list the orders, by id and amount."""
    days = [each["order_date"] for each in rows[Record.ORDERS] if each["order_date"]]
    if not days:
        return []
    first: date = min(days)
    return [
        structs.asdict(each) for each in await files_store.list_statements(db, account_id, first)
    ]


@in_transaction
async def record_export(tx: Transaction, account_id: int, id: str, *, by: Actor) -> None:
    """Record in the audit trail that everything about a subscriber was exported."""
    entry = NewEntry(EntryType.SUBSCRIBER_EXPORT, id, None, None)
    await trail.record(tx, account_id, by, [entry])
