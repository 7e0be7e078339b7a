"""Settings: the audit log, which shows who did what and when."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from masthead.model.audit_events import label_of
from masthead.model.clock import end_of, start_of
from masthead.model.errors import Invalid
from masthead.model.history.entries import Value
from masthead.model.history.fields import differences
from masthead.model.queries import AuditLogQuery
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop
from masthead.store.audit import choices
from masthead.store.audit import log as store
from masthead.store.audit.log import AuditEntry, AuditFilter
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.formatting import actor_name

KINDS = {
    "account": gettext_noop("Account"),
    "claim": gettext_noop("Claim"),
    "copy": gettext_noop("Copy"),
    "delivery_report": gettext_noop("Delivery problem"),
    "dispatch": gettext_noop("Dispatch run"),
    "email": gettext_noop("Email"),
    "export_profile": gettext_noop("Export profile"),
    "import_batch": gettext_noop("Import"),
    "issue": gettext_noop("Issue"),
    "key": gettext_noop("API key"),
    "letter_batch": gettext_noop("Letters"),
    "product": gettext_noop("Product"),
    "revenue_statement": gettext_noop("Revenue statement"),
    "source": gettext_noop("Source"),
    "subscriber": gettext_noop("Subscriber"),
    "subscription": gettext_noop("Subscription"),
    "user": gettext_noop("User"),
    "webhook": gettext_noop("Webhook"),
}
WORDS = frozenset({"medium", "role", "scope", "status", "type"})  # fields with words of the code
PAGES = {
    "dispatch": ("dispatches", ""),
    "revenue_statement": ("money/deferred", ""),
    "export_profile": ("settings/export-profiles", "edit"),
    "issue": ("issues", ""),
    "subscriber": ("subscribers", ""),
    "subscription": ("subscriptions", ""),
    "source": ("settings/sources", "edit"),
    "product": ("settings/products", "edit"),
    "user": ("settings/users", ""),
}


async def show_log(context: PageContext) -> Response:
    """List the entries that match the filters, newest first."""
    template, problem, page = "settings/audit_log.html", "", None
    async with context.db.replica.read(aside=True) as db:
        actors = await choices.list_actors(db, context.account_id)
        kinds = await choices.list_actions(db, context.account_id)
        try:
            query, request = decode_filters(context, AuditLogQuery)
            page = await store.list_log(db, context.account_id, filter_of(query), request)
        except Invalid as reason:
            problem = str(reason)
    variables: dict[str, Any] = {
        "filters": read_filters(context, AuditLogQuery),
        "actors": sorted(
            ((actor.id, actor_name(actor)) for actor in actors), key=lambda each: each[1]
        ),
        "actions": sorted(((each, label_of(each)) for each in kinds), key=lambda each: each[1]),
        "kinds": sorted({(each, kind_named(each)) for each in kinds.values()}),
        "label_of": label_of,
        "kind_named": kind_named,
        "differences": _differences,
        "url_of": lambda entry: _url_of(context, entry),
    }
    status = HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK
    return context.render(template, status=status, page=page, problem=problem, **variables)


def _differences(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> list[tuple[str, Value, Value]]:
    """The fields of an entry: their labels, old and new values, in the language of the page."""
    names = {**(before or {}), **(after or {})}
    return [
        (label, _in_words(name, was), _in_words(name, now))
        for name, (label, was, now) in zip(names, differences(before, after), strict=True)
    ]


def _in_words(name: str, value: Value) -> Value:
    return _(value) if name in WORDS and isinstance(value, str) and value else value


def filter_of(query: AuditLogQuery) -> AuditFilter:
    """The filters in the form that the store expects."""
    return AuditFilter(
        actor_id=query.who,
        action=query.action,
        subject_type=query.kind,
        subject_id=query.record,
        since=start_of(query.since) if query.since else None,
        until=end_of(query.until) if query.until else None,
    )


def kind_named(kind: str) -> str:
    """The name of a type of records."""
    return _(KINDS[kind]) if kind in KINDS else kind


def _url_of(context: PageContext, entry: AuditEntry) -> str:
    """The URL of the record of an entry; empty if it has no page."""
    if entry.subject_type not in PAGES:
        return ""
    part, page = PAGES[entry.subject_type]
    return context.url(part, entry.subject_id, *([page] if page else []))
