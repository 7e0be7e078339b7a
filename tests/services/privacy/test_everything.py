"""Everything about a subscriber, without the data of other people."""

from typing import Any

import msgspec

from masthead.services.privacy.document import make_document
from masthead.services.privacy.everything import collect_everything, record_export
from masthead.store import accounts
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.support.letters import execute
from tests.support.privacy import EMAIL, erase, make_known
from tests.support.subscribers import make_subscriber


async def everything_of(cast: Cast, id: str) -> dict[str, Any]:
    """Everything about a subscriber, as JSON has it."""
    async with cast.db.read() as db:
        account = await accounts.get_account(db, cast.account_id)
        found = await collect_everything(db, account, id, placeholder_domain=PLACEHOLDER_DOMAIN)
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found))
    return decoded


async def test_everything_that_is_kept_is_in_the_document(acme: Cast) -> None:
    known = await make_known(acme)
    found = await everything_of(acme, known.id)
    assert (found["name"], found["email"]) == ("Zebedee Quuxley", EMAIL)
    assert len(found["subscribers"]) == 2  # the merged one, too
    assert found["subscriptions"][0]["address1"] == "Xylophonweg 7"
    # the uncle paid for the first one
    assert [each["price"] for each in found["orders"]] == [None, "42.00"]
    assert found["orders"][0]["order_date"] == "2026-01-15"
    assert found["refunds"][0]["amount"] is None
    assert found["refunds"][0]["refund_date"]
    assert found["notes"][0]["text"] == "secretword about Zebedee"
    assert found["address_changes"][0]["city"] == "Otherville"
    assert found["delivery_reports"][0]["old_address"]["postcode"] == "99999"
    assert found["dispatch_lines"][0]["last_name"] == "Quuxley"
    assert found["emails"][0]["body"] == "Dear Zebedee Quuxley"
    assert found["letters"][0]["subject"] == "Dear Quuxley"
    assert found["claims"][0]["notes"] == "secretword, says Quuxley"
    assert {each["kind"] for each in found["files"]} == {"dispatch", "import", "carrier"}
    assert any(each["action"] == "subscriber.merge" for each in found["audit_entries"])
    shown = make_document(found, "de_DE", "UTC")
    assert '<html lang="de">' in shown
    assert "Xylophonweg 7" in shown
    assert "<dt>Land</dt><dd>Deutschland</dd>" in shown
    assert "<dd>Abonnement</dd>" in shown
    assert "<dd>subscription</dd>" not in shown
    assert "<script" not in shown


async def test_amounts_of_what_others_paid_are_left_out_of_the_log(acme: Cast) -> None:
    known = await make_known(acme)  # the uncle paid for the first order, and got a refund
    found = await everything_of(acme, known.id)
    given, own = (each["subscription_id"] for each in found["orders"])
    await refund_own(acme, own)
    found = await everything_of(acme, known.id)
    amounts = {
        each["subject_id"]: each["after"].get("amount")
        for each in found["audit_entries"]
        if each["action"] == "subscription.refund"
    }
    assert amounts.keys() == {given, own}
    assert (amounts[given], bool(amounts[own])) == (None, True)


async def refund_own(cast: Cast, id: str) -> None:
    """Refund a part of the last order of a subscription."""
    periods = (await cast.get(f"/v1/subscriptions/{id}/")).json()["periods"]
    body = {"order_id": periods[-1]["order_id"], "amount": "5.00", "reason": "Late"}
    answer = await cast.post(f"/v1/subscriptions/{id}/refunds/", body)
    assert answer.status_code < 300, answer.text


async def test_data_of_other_people_is_left_out(acme: Cast) -> None:
    known = await make_known(acme)
    found = await everything_of(acme, known.id)
    text = msgspec.json.encode(found).decode()
    assert len(found["gifts"]) == 1
    for other in ("niece@example.test", "Bystander", "bystander@", "Uncle Quuxley", BY.id):
        assert other not in text, other


async def test_a_text_is_escaped_in_the_document(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(
        acme, "a@example.test", first_name="<script>alert(1)</script>", length=1
    )
    found = await everything_of(acme, id)
    assert "<script>" not in make_document(found, "en_GB", "UTC")
    await execute(acme, "UPDATE period SET order_date = NULL WHERE account_id = :account_id")
    assert (await everything_of(acme, id))["revenue_statements"] == []
    await erase(acme, id)
    found = await everything_of(acme, id)
    assert "was erased on" in make_document(found, "en_GB", "UTC")
    await record_export(acme.db, acme.account_id, id, by=BY)
    async with acme.db.read() as db:
        entries = await list_entries(db, acme.account_id, "subscriber", id)
    assert entries[-1]["action"] == "subscriber.export"
