"""Settings: the log, who did what and when."""

from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from masthead.model.audit_events import label_of
from masthead.model.audit_log import AuditLogQuery, differences, end_of, start_of
from masthead.model.errors import Invalid
from masthead.store.audit import choices
from masthead.store.audit import log as store
from masthead.store.audit.choices import NamedActor
from masthead.store.audit.log import AuditEntry, AuditFilter
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters

KINDS = {"key": "API key"}
PAGES = {
    "subscription": ("subscriptions", ""),
    "issue": ("issues", ""),
    "source": ("settings/sources", "edit"),
    "product": ("settings/products", "edit"),
    "user": ("settings/users", ""),
}


async def show_log(context: PageContext) -> Response:
    """The entries that the filters leave, newest first."""
    template, problem, page = "settings/audit_log.html", "", None
    async with context.db.read(aside=True) as db:
        actors = await choices.list_actors(db, context.account_id)
        kinds = await choices.list_actions(db, context.account_id)
        try:
            asked, request = decode_filters(context, AuditLogQuery)
            page = await store.list_log(db, context.account_id, _query(asked), request)
        except Invalid as reason:
            problem = str(reason)
    variables: dict[str, Any] = {
        "filters": read_filters(context, AuditLogQuery),
        "actors": sorted(((actor.id, named(actor)) for actor in actors), key=lambda each: each[1]),
        "actions": sorted(((each, label_of(each)) for each in kinds), key=lambda each: each[1]),
        "kinds": sorted({(each, kind_named(each)) for each in kinds.values()}),
        "named": named,
        "label_of": label_of,
        "kind_named": kind_named,
        "differences": differences,
        "place": lambda entry: _place(context, entry),
    }
    status = HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK
    return context.render(template, status=status, page=page, problem=problem, **variables)


def _query(asked: AuditLogQuery) -> AuditFilter:
    """What is asked, as the store understands it."""
    return AuditFilter(
        actor_id=asked.who,
        action=asked.action,
        subject_type=asked.kind,
        subject_id=asked.record,
        since=start_of(asked.since) if asked.since else None,
        until=end_of(asked.until) if asked.until else None,
    )


def named(actor: NamedActor) -> str:
    """Who did it, in words."""
    if actor.kind == "command":
        return f"command: {actor.id}"
    return f"key: {actor.name} ({actor.prefix}…)" if actor.kind == "key" else str(actor.name)


def kind_named(kind: str) -> str:
    """A kind of records, as people call it."""
    return KINDS.get(kind, kind.capitalize())


def _place(context: PageContext, entry: AuditEntry) -> str:
    """The page of the record that an entry tells of; nothing if it has none."""
    if entry.subject_type not in PAGES:
        return ""
    part, page = PAGES[entry.subject_type]
    return context.url(part, entry.subject_id, *([page] if page else []))
