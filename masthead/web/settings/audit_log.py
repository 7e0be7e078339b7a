"""Settings: the audit log, which shows who did what and when."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_date
from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import Response

from masthead.model.actors import BY_SUBSCRIBERS
from masthead.model.audit_entries import label_of
from masthead.model.clock import end_of, now, start_of
from masthead.model.errors import Invalid
from masthead.model.history.entries import FieldChange, Record, RecordNames
from masthead.model.history.fields import changes_in_log, records_in, same_for_each_copy
from masthead.model.identity.rights import Right
from masthead.model.queries import AuditLogQuery
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.translations import current_language, gettext as _, gettext_noop, pgettext
from masthead.model.types.enums import Role
from masthead.store.audit import choices, log as store
from masthead.store.audit.choices import NamedActor
from masthead.store.audit.log import AuditEntry, AuditFilter
from masthead.store.audit.names import RecordName, find_names
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions.bundles import find_bundle_ids
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.words import actor_name, known_name
from masthead.web.settings.audit_filters import has_other_than_chips, list_set

# Instead of an actor: everyone but the user who asks; the same without commands on the server
OTHERS, PEOPLE = "others", "people"
DAY = timedelta(days=1)
MAX_COUNTED = 1000  # entries that the page counts
KINDS = {
    "account": gettext_noop("Account"),
    "bank_line": gettext_noop("Bank line"),
    "bank_statement": gettext_noop("Bank statement"),
    "claim": gettext_noop("Claim"),
    "collection": gettext_noop("Direct debits"),
    "copy": gettext_noop("Copy"),
    "delivery_report": gettext_noop("Delivery problem"),
    "dispatch": gettext_noop("Mailing"),
    "email": gettext_noop("Email"),
    "export_profile": gettext_noop("Export profile"),
    "import_batch": gettext_noop("Import"),
    "invoice": gettext_noop("Invoice"),
    "issue": gettext_noop("Issue"),
    "key": gettext_noop("API key"),
    "letter_batch": gettext_noop("Letters"),
    "payment": gettext_noop("Payment"),
    "product": gettext_noop("Product"),
    "reminder_round": gettext_noop("Reminders"),
    "revenue_statement": gettext_noop("Revenue statement"),
    "source": gettext_noop("Source"),
    "subscriber": gettext_noop("Subscriber"),
    "subscription": gettext_noop("Subscription"),
    "user": gettext_noop("User"),
    "webhook": gettext_noop("Webhook"),
}
PAGES = {
    "collection": ("money/debits", ""),
    "dispatch": ("dispatches", ""),
    "revenue_statement": ("money/deferred", ""),
    "export_profile": ("settings/export-profiles", "edit"),
    "invoice": ("money/invoices", ""),
    "issue": ("issues", ""),
    "payment": ("money/payments", ""),
    "subscriber": ("subscribers", ""),
    "subscription": ("subscriptions", ""),
    "source": ("settings/sources", "edit"),
    "product": ("settings/products", "edit"),
    "user": ("settings/users", ""),
}


async def show_log(context: PageContext) -> Response:
    """List the entries that match the filters, newest first."""
    template, problem, page, count = "settings/audit_log.html", "", None, 0
    today = now().astimezone(context.zone).date()
    entries: list[NamedEntry] = []
    async with context.db.replica.read(aside=True) as db:
        actors = await choices.list_actors(db, context.account_id)
        kinds = await choices.list_actions(db, context.account_id)
        try:
            query, request = decode_filters(context, AuditLogQuery)
            asked = filter_of(query, context.zone, context.user.user_id, actors)
            page = await store.list_log(db, context.account_id, asked, request)
            count = await store.count_log(db, context.account_id, asked, limit=MAX_COUNTED + 1)
            folded = await fold_copies(db, context.account_id, page.items)
            named = await in_words(context, db, [entry for entry, _copies in folded])
            entries = [
                replace(each, copies=copies)
                for each, (_entry, copies) in zip(named, folded, strict=True)
            ]
        except Invalid as reason:
            problem = str(reason)
    filters, me = read_filters(context, AuditLogQuery), context.user.user_id
    days = [(_("Today"), today.isoformat()), (_("Yesterday"), (today - DAY).isoformat())]
    other_actors = ((each.id, actor_name(each)) for each in actors if each.id != me)
    choices_of_filters = {
        "who": [
            (me, _("By me")),
            (PEOPLE, _("By others, without commands")),
            (OTHERS, _("By others")),
            *sorted(other_actors, key=lambda each: each[1]),
        ],
        "action": sorted(((each, label_of(each)) for each in kinds), key=lambda each: each[1]),
        "kind": sorted({(each, kind_named(each)) for each in kinds.values()}),
    }
    people = choices_of_filters["who"][:2]
    variables: dict[str, Any] = {
        "entries": entries,
        "filters": filters,
        "set_filters": list_set(filters.values, choices_of_filters, days, context.locale),
        "count": count,
        "max_counted": MAX_COUNTED,
        "days": days,
        "people": people,
        "is_unfolded": has_other_than_chips(filters.values, people, days),
        "choices": choices_of_filters,
        "label_of": label_of,
        "kind_named": kind_named,
        "url_of": lambda entry: _url_of(context, entry),
    }
    return context.render(template, page=page, problem=problem, **variables)


class NamedEntry(Struct, frozen=True):
    """An entry of the log in words. record: the name of its record; empty if it has none.

    changes: the fields that changed. copies: how many copies of one order it stands for.
    """

    entry: AuditEntry
    record: str
    changes: Sequence[FieldChange]
    copies: int = 1


async def fold_copies(
    db: Connection, account_id: int, entries: Sequence[AuditEntry]
) -> list[tuple[AuditEntry, int]]:
    """Entries, each with the number of copies that it stands for.

    Several copies of one order have an entry each, which differ in nothing but the order id when
    they change together. The oldest entry stands for them. Queries: one at most.
    """
    ids = {each.subject_id for each in entries if each.subject_type == "subscription"}
    bundles = await find_bundle_ids(db, account_id, ids) if len(ids) > 1 else {}
    together: dict[str, list[AuditEntry]] = {}
    for each in entries:
        key = str(each.id)
        if each.subject_type == "subscription" and each.subject_id in bundles:
            fields = same_for_each_copy(each.before), same_for_each_copy(each.after)
            of = each.action, each.actor.id, each.happened_at, bundles[each.subject_id]
            key = repr((of, fields))
        together.setdefault(key, []).append(each)
    return [(each[-1], len({entry.subject_id for entry in each})) for each in together.values()]


async def in_words(
    context: PageContext, db: Connection, entries: Sequence[AuditEntry]
) -> list[NamedEntry]:
    """Entries with names instead of ids, without amounts for users who may not see them.

    Queries: one for each type of record.
    """
    records: set[Record] = set()
    for each in entries:
        records.add((each.subject_type, each.subject_id))
        records |= records_in(each.before) | records_in(each.after)
    found = await find_names(db, context.account_id, records)
    words = {record: _name_in_words(record[0], name) for record, name in found.items()}
    names = RecordNames(
        actors={}, records=words, hides_money=not context.membership.may(Right.SEE_MONEY)
    )
    return [
        NamedEntry(
            each,
            words.get((each.subject_type, each.subject_id)) or _last_name_of(each),
            changes_in_log(each.action, each.before, each.after, names),
        )
        for each in entries
    ]


def _name_in_words(type: str, found: RecordName) -> str:
    """The name of a record, with its issue."""
    name = known_name(found.name)
    if type == "letter_batch":
        name = RenewalStage(name).words
    elif type == "revenue_statement":
        name = format_date(date.fromisoformat(name), "long", locale=current_language())
    if found.issue is None:
        return name
    return _("{name}, issue {number}").format(name=name, number=found.issue)


def _last_name_of(entry: AuditEntry) -> str:
    """The name that a record had which is deleted now, if the entry says it."""
    fields = {**(entry.before or {}), **(entry.after or {})}
    known = (fields.get(name) for name in ("name", "full_name", "email", "file", "url", "number"))
    return str(next(filter(None, known), ""))


def filter_of(
    query: AuditLogQuery, zone: ZoneInfo, user_id: str, actors: Sequence[NamedActor]
) -> AuditFilter:
    """The filters in the form that the store expects. user_id: who asks. actors: all of them."""
    is_others = query.who in (OTHERS, PEOPLE)
    commands = {each.id for each in actors if each.kind == "command"} - BY_SUBSCRIBERS
    left_out = sorted(commands) if query.who == PEOPLE else []
    return AuditFilter(
        actor_id=None if is_others else query.who,
        except_ids=(user_id, *left_out) if is_others else (),
        action=query.action,
        subject_type=query.kind,
        subject_id=query.record,
        since=start_of(query.since, zone) if query.since else None,
        until=end_of(query.until, zone) if query.until else None,
    )


def kind_named(kind: str) -> str:
    """The name of a type of records."""
    if kind == "claim":  # a button has the same word
        return pgettext("record", "Claim")
    return _(KINDS[kind]) if kind in KINDS else kind


def _url_of(context: PageContext, entry: AuditEntry) -> str:
    """The URL of the record of an entry; empty if it has none that the user may open."""
    if entry.subject_type not in PAGES:
        return ""
    is_owners = entry.subject_type == "user"
    is_money = entry.subject_type in (
        "collection",
        "invoice",
        "payment",
        "product",
        "revenue_statement",
    )
    if is_owners and context.membership.role is not Role.OWNER:
        return ""
    if is_money and not context.membership.may(Right.SEE_MONEY):
        return ""
    if entry.subject_type == "collection" and not context.membership.may(Right.BILL):
        return ""
    part, page = PAGES[entry.subject_type]
    return context.url(part, entry.subject_id, *([page] if page else []))
