"""A subscriber who says that they moved gets the new address at once."""

import pytest

from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.returns.delivery_reports import PostalAddress, ReportStatus
from masthead.services.returns.moves import move_subscriber
from tests.conftest import BY, Cast
from tests.support.returns import ADDRESS, Sending

NEW = {"address1": "Neuer Weg 7", "city": "Wien", "postcode": "1010", "country": "AT"}


async def move(sending: Sending, **parts: str | None) -> ReportStatus | None:
    """Move the first subscriber of a run; what became of the report."""
    cast, (line, *_) = sending.cast, await sending.lines()
    new = PostalAddress.from_row({**NEW, **parts})
    today = now().date()
    report = await move_subscriber(cast.db, cast.account_id, line, new, today=today, by=BY)
    return report.status if report else None


async def test_the_new_address_is_accepted_once(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    assert await move(sending) is ReportStatus.ACCEPTED
    [made] = sending.subscriptions
    got = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()["shipping_address"]
    assert {name: got[name] for name in NEW} == NEW
    assert await move(sending) is None
    assert await move(sending, address1="Anderer Weg 8") is ReportStatus.OUTDATED


async def test_a_report_that_waits_is_accepted(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    report = {"key": key, "kind": "moved", **NEW}
    await acme.post("/v1/delivery-reports/", {"reports": [report]})
    assert await move(sending) is ReportStatus.ACCEPTED


@pytest.mark.parametrize(
    "parts, message",
    [
        ({**ADDRESS, "country": "DE"}, "the address on the label"),
        ({"address1": None}, "needs a street"),
        ({"city": None, "postcode": None}, "a town or a postcode"),
    ],
)
async def test_an_address_that_is_no_new_one_is_refused(
    acme: Cast, parts: dict[str, str | None], message: str
) -> None:
    sending = await Sending.freeze(acme, 1)
    with pytest.raises(Invalid, match=message):
        await move(sending, **parts)
