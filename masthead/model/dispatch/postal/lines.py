"""What layout and checks read of a line."""

from typing import Protocol


class AddressedLine(Protocol):
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


class CheckedLine(AddressedLine, Protocol):
    """An address of a copy, for checks that compare lines."""

    @property
    def copy_id(self) -> int:
        """The id of the copy."""

    @property
    def subscription_id(self) -> str:
        """The id of the subscription."""

    @property
    def issue_number(self) -> int:
        """The number of the issue; that of a replacement may be older than its run's."""
