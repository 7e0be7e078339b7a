"""The routes of the API for changes of addresses."""

from masthead.api.addresses import handlers
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right

_ADDRESS_CHANGES = Endpoints("/v1/address-changes/", rights=())

ADDRESS_ROUTES = (
    _ADDRESS_CHANGES.get("", handlers.list_address_changes, Right.DOWNLOAD),
    _ADDRESS_CHANGES.post("", handlers.create_address_change, Right.CORRECT, status=201),
    _ADDRESS_CHANGES.get("{id}/", handlers.get_address_change, Right.DOWNLOAD),
    _ADDRESS_CHANGES.post(
        "{id}/cancel/", handlers.cancel_address_change, Right.CORRECT, requires_body=False
    ),
)
