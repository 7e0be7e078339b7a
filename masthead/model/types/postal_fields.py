"""The fields of a name and an address, as they go on an envelope."""

from typing import Self

from msgspec import Struct, structs

from masthead.model.types.enums import Salutation

ADDRESS_FIELDS = ("address1", "address2", "city", "state", "postcode", "country")


class PostalFields(Struct, frozen=True, kw_only=True):
    """A record with the name and the address that something is sent to. country: ISO code."""

    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    address1: str | None = None
    address2: str | None = None
    city: str | None = None
    state: str | None = None
    postcode: str | None = None
    country: str

    @classmethod
    def of(cls, record: object) -> Self:
        """The name and the address of a record that also has them."""
        return cls(**{name: getattr(record, name) for name in cls.__struct_fields__})


class EnvelopeFields(PostalFields, frozen=True, kw_only=True):
    """A name and an address, with how the person is addressed."""

    salutation: Salutation | None = None
    title: str | None = None


class PayerAddress(EnvelopeFields, frozen=True, kw_only=True):
    """The address of a payer. department: or the person, who gets what is sent to a company."""

    department: str = ""

    @classmethod
    def to(cls, address: EnvelopeFields, department: str) -> Self:
        """The address with a department."""
        return cls(**structs.asdict(address), department=department)


class PersonFields(Struct, frozen=True, kw_only=True):
    """A person and their postal address, as far as they are known."""

    salutation: Salutation | None = None
    title: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    address1: str | None = None
    address2: str | None = None
    city: str | None = None
    state: str | None = None
    postcode: str | None = None
    country: str | None = None
