"""The endpoints of `/v1/address-changes/`."""

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.addresses.change_resources import (
    AddressChangeCancel,
    AddressChangeCreate,
    AddressChangeQuery,
    AddressChangeResource,
    AddressChangeResult,
)
from masthead.model.identity.rights import Right
from masthead.model.inputs import Query
from masthead.model.pagination import Page
from masthead.services.addresses import programs as service
from masthead.store.addresses import changes as store


async def list_address_changes(
    context: RequestContext[AddressChangeQuery, None],
) -> Page[AddressChangeResource]:
    """Changes that match the filters, those that were planned last first."""
    async with context.db.replica.read(aside=True) as db:
        return await store.list_changes(
            db, context.account_id, context.query, page_request(context)
        )


async def create_address_change(
    context: RequestContext[Query, AddressChangeCreate],
) -> AddressChangeResult:
    """Change addresses now, or plan to. Raises: NotFound, Erased, Invalid."""
    return await service.create_changes(
        context.db, context.account_id, context.body, by=context.principal.actor
    )


async def get_address_change(context: RequestContext[Query, None]) -> AddressChangeResource:
    """One planned address. Raises: NotFound."""
    return AddressChangeResource.of(
        await store.get_change(context.db, context.account_id, context.id)
    )


async def cancel_address_change(
    context: RequestContext[Query, AddressChangeCancel],
) -> AddressChangeResource:
    """Cancel a planned change. Raises: NotFound, Invalid."""
    return await service.cancel_change(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )


_ADDRESS_CHANGES = Endpoints("/v1/address-changes/", rights=())

ADDRESS_ROUTES = (
    _ADDRESS_CHANGES.get("", list_address_changes, Right.DOWNLOAD),
    _ADDRESS_CHANGES.post("", create_address_change, Right.CORRECT, status=201),
    _ADDRESS_CHANGES.get("{id}/", get_address_change, Right.DOWNLOAD),
    _ADDRESS_CHANGES.post(
        "{id}/cancel/", cancel_address_change, Right.CORRECT, requires_body=False
    ),
)
