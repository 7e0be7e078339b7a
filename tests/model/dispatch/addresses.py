"""Addresses for the tests of layout and checks."""

from masthead.model.dispatch.runs import DispatchLine, LineStatus
from masthead.model.types.enums import Medium


def address(
    *,
    id: int = 1,
    first_name: str | None = "Ann",
    last_name: str | None = "Lee",
    company: str | None = None,
    address1: str | None = None,
    address2: str | None = None,
    city: str | None = None,
    state: str | None = None,
    postcode: str | None = None,
    country: str = "DE",
    medium: Medium = Medium.PRINT,
    claim_id: str | None = None,
    issue_number: int = 3,
) -> DispatchLine:
    """A line of a run with this address."""
    return DispatchLine(
        id=id,
        dispatch_id="R",
        copy_id=id,
        claim_id=claim_id,
        subscription_id=f"S{id}",
        subscriber_id=f"R{id}",
        issue_number=issue_number,
        medium=medium,
        first_name=first_name,
        last_name=last_name,
        company=company,
        address1=address1,
        address2=address2,
        city=city,
        state=state,
        postcode=postcode,
        country=country,
        status=LineStatus.IN_RUN,
        left_reason=None,
        left_at=None,
        shipped_date=None,
    )
