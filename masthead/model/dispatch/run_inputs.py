"""Structs of input about dispatch runs, and the choices that a run is frozen for."""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

from masthead.model import advice
from masthead.model.dispatch.runs import DispatchSelection, DispatchStatus, LineStatus
from masthead.model.errors import Invalid, excerpt
from masthead.model.inputs import Creation, ListQuery
from masthead.model.types.countries import country_code
from masthead.model.types.enums import Medium
from masthead.model.types.fields import CountryCode, Name
from masthead.model.types.filters import Country, IssueId
from masthead.model.types.text import MAX_TEXT, casefold

MAX_CHOICES = 300  # more than there are countries

# An empty list is refused: a program that found nothing to list must not send everything
_CHOICES = Meta(
    min_length=1, max_length=MAX_CHOICES, extra={"advice": "Leave the field out to choose all."}
)
Countries = Annotated[list[CountryCode], _CHOICES]
Media = Annotated[list[Medium], _CHOICES]
Sources = Annotated[list[Name], _CHOICES]


class DispatchCreate(Creation, kw_only=True):
    """The run to freeze. It takes all free copies of the issue, unless choices are given.

    issue: id of the issue.
    countries: only copies that are shipped to these countries.
    media: only copies of subscriptions with these media.
    sources: only copies of subscriptions from the sources with these ids.
    only_replacements: whether to take replacements only, and no copies.
    """

    elsewhere = advice.DISPATCH
    noun = "issue"

    issue: Annotated[Name, Meta(extra={"advice": "Use the id of an issue from `GET /v1/issues/`."})]
    countries: Countries | None = None
    media: Media | None = None
    sources: Sources | None = None
    only_replacements: bool | None = None


class DispatchQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the runs."""

    issue: IssueId | None = None
    status: Annotated[DispatchStatus, Meta(description="status of the runs")] | None = None


class DispatchLineQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the lines of a run."""

    country: Country | None = None
    medium: Annotated[Medium, Meta(description="medium of the lines")] | None = None
    status: Annotated[LineStatus, Meta(description="status of the lines")] | None = None


class IssueAddressQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the addresses of an issue."""

    country: Country | None = None
    medium: Annotated[Medium, Meta(description="medium of the copies")] | None = None


def selection_of(
    countries: Iterable[str],
    media: Iterable[str],
    sources: Iterable[str],
    *,
    only_replacements: bool = False,
) -> DispatchSelection:
    """The choices of a run; the case of countries and media does not matter. Raises: Invalid."""
    return DispatchSelection(
        countries=tuple(dict.fromkeys(country_code("country", each) for each in countries)),
        media=tuple(dict.fromkeys(medium_of("medium", each) for each in media)),
        sources=tuple(dict.fromkeys(each.strip() for each in sources)),
        only_replacements=only_replacements,
    )


def medium_of(field: str, text: str) -> Medium:
    """The medium with this name, in any case and with any blanks. Raises: Invalid."""
    for medium in Medium:
        if _plain(text) == _plain(medium):
            return medium
    raise Invalid(
        f"`{field}` is `{excerpt(text)}`; expected one of "
        f"{', '.join(f'`{medium}`' for medium in Medium)}.",
        field=field,
        value=text,
    )


def _plain(text: str) -> str:
    return casefold("".join(text[:MAX_TEXT].split()))
