"""The fields of a postal address that layout and checks read."""

from typing import Protocol


class PostalAddress(Protocol):
    """An address: a `DispatchLine`, or a line of a preview. A field without a value is None."""

    @property
    def first_name(self) -> str | None:
        """The first name."""

    @property
    def last_name(self) -> str | None:
        """The last name."""

    @property
    def company(self) -> str | None:
        """The company."""

    @property
    def address1(self) -> str | None:
        """The street, or the PO box."""

    @property
    def address2(self) -> str | None:
        """More of the address, such as a building or a PO box."""

    @property
    def city(self) -> str | None:
        """The city or town."""

    @property
    def state(self) -> str | None:
        """The state, province or county."""

    @property
    def postcode(self) -> str | None:
        """The postcode."""

    @property
    def country(self) -> str:
        """The ISO code of the country."""
