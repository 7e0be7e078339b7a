"""The fields of a name and an address, as they go on an envelope."""

from msgspec import Struct


class PostalFields(Struct, frozen=True, kw_only=True):
    """A record with the name and the address that something is sent to. country: ISO code."""

    first_name: str | None
    last_name: str | None
    company: str | None
    address1: str | None
    address2: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str
