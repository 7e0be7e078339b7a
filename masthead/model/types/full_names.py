"""The names of people, as pages and files show them."""

from msgspec import Struct


def full_name(
    first_name: str | None, last_name: str | None, company: str | None, email: str
) -> str:
    """The name to show for a person: first and last name, else the company, else the email."""
    return " ".join(part for part in (first_name, last_name) if part) or company or email


class Named(Struct, frozen=True, kw_only=True):
    """A record with the name of a person."""

    first_name: str | None
    last_name: str | None
    company: str | None
    email: str = ""

    @property
    def full_name(self) -> str:
        """The name to show."""
        return full_name(self.first_name, self.last_name, self.company, self.email)
