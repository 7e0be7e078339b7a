"""The search of each page finds an invoice by its number, and people by their company."""

from masthead.model.identity.rights import STAFF_RIGHTS, Right
from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import make_issue
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import make_subscriber
from tests.web.test_rights import give


async def test_the_number_of_an_invoice_opens_it(staff: Person, acme: Cast) -> None:
    await turn_on_billing(acme, series="R-")
    invoice = await bill_one(acme)
    number, address = invoice.document.number, staff.address("money", "invoices", invoice.id)
    options = await staff.text("subscribers", "suggestions", search=number)
    assert f'data-address="{address}"' in options
    assert "No subscriber matches." not in options
    for typed in (number, f" {number.lower()} "):
        found = await staff.see("subscribers", search=typed, open="one")
        assert found.headers["Location"] == address, typed
    await give(acme.db, acme, staff, STAFF_RIGHTS - {Right.SEE_MONEY})
    assert address not in await staff.text("subscribers", "suggestions", search=number)
    assert (await staff.see("subscribers", search=number)).status_code == 200


async def test_a_list_that_is_searched_while_somebody_types_stays(
    staff: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    number = (await bill_one(acme)).document.number
    page = await staff.http.get(
        staff.address("subscribers"), params={"search": number}, headers={"HX-Request": "true"}
    )
    assert page.status_code == 200


async def test_suggestions_name_the_company(staff: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make_subscriber(acme, first_name="Olga", last_name="Brandt", company="Brandt AG")
    await make_subscriber(acme, first_name=None, last_name=None, company="Brandt Works")
    options = await staff.text("subscribers", "suggestions", search="Brandt")
    assert "<bdi>Brandt AG</bdi> · " in options
    assert options.count("Brandt Works") == 1
