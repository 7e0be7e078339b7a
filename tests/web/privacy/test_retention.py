"""Settings: how long personal data is kept."""

from masthead.model.privacy.retention import RetentionKind
from masthead.services.privacy.retention import list_rules
from tests.conftest import Cast
from tests.web.conftest import Person, fields_of

MONTHS = {f"months_{kind.value}": "600" for kind in RetentionKind}


async def test_rules_are_off_until_they_are_saved(acme: Cast, owner: Person) -> None:
    page = await owner.text("settings", "privacy")
    assert 'value="36"' in page
    assert "checked" not in page
    address = owner.address("settings", "privacy")
    sent = {**MONTHS, "months_emails": "9", "is_on_emails": "y"}
    response = await owner.send(address, sent)
    assert response.headers["Location"] == address
    rules = {rule.kind: rule for rule in await list_rules(acme.db, acme.account_id)}
    assert (rules[RetentionKind.EMAILS].months, rules[RetentionKind.EMAILS].is_automatic) == (
        9,
        True,
    )
    assert not rules[RetentionKind.UPLOADS].is_automatic
    log = await owner.text("settings", "log")
    assert "Retention of personal data changed" in log


async def test_what_a_rule_would_delete_is_shown_before_it_is_saved(
    acme: Cast, owner: Person
) -> None:
    address = owner.address("settings", "privacy")
    moved = await owner.send(address, {**MONTHS, "months_emails": "7", "do": "preview"})
    assert moved.is_redirect  # so that “Back” shows it again
    response = await owner.http.get(moved.headers["location"])
    assert fields_of(response.text)["months_emails"] == "7"
    assert response.text.count("Would be deleted now: 0") == len(RetentionKind)
    assert (await list_rules(acme.db, acme.account_id))[0].months == 1


async def test_months_must_be_a_number_from_1_to_600(owner: Person) -> None:
    address = owner.address("settings", "privacy")
    for sent in (
        {**MONTHS, "months_emails": "0"},
        {**MONTHS, "months_emails": "601", "do": "preview"},
    ):
        response = await owner.send(address, sent)
        assert response.status_code == 400
        assert "Type a number of months from 1 to 600." in response.text
