"""The endpoints of `/v1/copies/`."""

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.advice import FOUND_BY
from masthead.model.errors import Invalid, excerpt
from masthead.model.identity.rights import Right
from masthead.model.inputs import MarkSent, MarkSentDate, Query
from masthead.model.pagination import Page
from masthead.model.queries import CopyQuery
from masthead.model.resources import Copy, MarkedSent
from masthead.model.types.text import MAX_TEXT, is_digits
from masthead.services import copies as service
from masthead.store import copies as store


async def list_copies(context: RequestContext[CopyQuery, None]) -> bytes:
    """Copies that match the filters, newest first; a page as JSON."""
    page = page_request(context)
    found = await store.list_copies_json(
        context.db.replica, context.account_id, context.query, page
    )
    return found.page(page)


async def get_copy(context: RequestContext[Query, None]) -> bytes:
    """One copy, as JSON. Raises: NotFound, Invalid if the id is not a number."""
    id = parse_copy_id(context.id)
    return await store.get_copy_json(context.db, context.account_id, id)


async def mark_copies_sent(context: RequestContext[Query, MarkSent]) -> MarkedSent:
    """Mark up to 10,000 copies as sent in one transaction."""
    return await service.mark_copies_sent(
        context.db,
        context.account_id,
        context.body.ids,
        context.body.date,
        by=context.principal.actor,
    )


async def mark_copy_sent(context: RequestContext[Query, MarkSentDate]) -> MarkedSent:
    """Mark one copy as sent. An unknown id is skipped. Raises: Invalid if it is not a number."""
    return await service.mark_copies_sent(
        context.db,
        context.account_id,
        [parse_copy_id(context.id)],
        context.body.date,
        by=context.principal.actor,
    )


def parse_copy_id(text: str) -> int:
    """The copy id in a path. Raises: Invalid if it is no whole number, or negative."""
    if not is_digits(text, at_most=MAX_TEXT):
        raise Invalid(
            f"`copy_id` in the path is `{excerpt(text)}`; expected the `id` of a copy, a whole "
            f"number without a sign. {FOUND_BY['copy']}",
            field="copy_id",
            value=text,
        )
    return int(text)


_COPIES = Endpoints("/v1/copies/", rights=())

COPY_ROUTES = (
    _COPIES.get("", list_copies, Right.DOWNLOAD, response=Page[Copy]),
    _COPIES.get("{copy_id}/", get_copy, Right.DOWNLOAD, response=Copy),
    _COPIES.post("mark-sent/", mark_copies_sent, Right.DISPATCH, is_long=True),
    _COPIES.post(
        "{copy_id}/mark-sent/", mark_copy_sent, Right.DISPATCH, is_long=True, requires_body=False
    ),
)
