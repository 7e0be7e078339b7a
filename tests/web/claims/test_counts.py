"""What the post loses by issue and country: counted once, until something changes."""

import pytest

from masthead.model.claims.rules import ClaimCount
from masthead.store.claims import records as store
from masthead.store.engine.interface import Connection
from tests.web.claims.conftest import Sent
from tests.web.claims.test_claims import new, words
from tests.web.conftest import Person


async def test_copies_are_counted_by_issue_and_country_once_until_a_claim_is_recorded(
    staff: Person, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are all sent copies of twelve issues."""
    counted = list[int]()
    count = store.count_claims

    async def counting(db: Connection, account_id: int, *, issues: int) -> list[ClaimCount]:
        counted.append(account_id)
        return await count(db, account_id, issues=issues)

    monkeypatch.setattr(store, "count_claims", counting)
    assert await staff.text("claims") == await staff.text("claims")
    assert len(counted) == 1
    await staff.send(new(staff, sent.copy["id"]), {"reason": "damaged"})
    assert "1 replacement waits" in words(await staff.text("claims"))
    assert len(counted) == 2
