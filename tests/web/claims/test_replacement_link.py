"""The link of the message after a claim."""

from masthead.model.identity.rights import STAFF_RIGHTS, Right
from tests.conftest import Cast
from tests.web.claims.conftest import Sent
from tests.web.claims.test_claims import new
from tests.web.conftest import Person
from tests.web.test_rights import give


async def test_only_a_user_who_may_dispatch_is_led_to_the_label(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    await give(acme.db, acme, staff, STAFF_RIGHTS - {Right.DISPATCH})
    await staff.send(new(staff, sent.copy["id"]), {"reason": "damaged"})
    page = await staff.text("subscribers", sent.subscriber)
    assert "The claim is recorded." in page
    assert "Print the label now" not in page
