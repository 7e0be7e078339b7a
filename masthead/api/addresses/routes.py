"""The routes of the API for changes of addresses."""

from masthead.api.addresses import handlers
from masthead.api.authentication import Access
from masthead.api.route import Route
from masthead.model.addresses.change_resources import (
    AddressChangeCreate,
    AddressChangeQuery,
    AddressChangeResource,
    AddressChangeResult,
)
from masthead.model.dispatch.run_inputs import NoFields
from masthead.model.identity.rights import Right
from masthead.model.pagination import Page

ADDRESS_ROUTES = (
    Route(
        method="GET",
        path="/v1/address-changes/",
        handler=handlers.list_address_changes,
        summary="List planned addresses, newest first",
        rights=(Right.DOWNLOAD,),
        query=AddressChangeQuery,
        response=Page[AddressChangeResource],
    ),
    Route(
        method="POST",
        path="/v1/address-changes/",
        handler=handlers.create_address_change,
        summary="Change an address now, or plan to",
        rights=(Right.CORRECT,),
        access=Access.WRITE,
        body=AddressChangeCreate,
        response=AddressChangeResult,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/address-changes/{id}/",
        handler=handlers.get_address_change,
        summary="Retrieve a planned address",
        rights=(Right.DOWNLOAD,),
        response=AddressChangeResource,
    ),
    Route(
        method="POST",
        path="/v1/address-changes/{id}/cancel/",
        handler=handlers.cancel_address_change,
        summary="Cancel a planned address",
        rights=(Right.CORRECT,),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=AddressChangeResource,
    ),
)
