"""Claims of copies that never came, and the limit on replacements."""

from datetime import date
from typing import Any

import pytest

from masthead.model.claims.inputs import ClaimCreate, ClaimQuery
from masthead.model.claims.rules import Claim, ClaimReason, ClaimStatus, CreatedClaim
from masthead.model.dispatch.copy_keys import key_of
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.model.errors import Invalid, NotFound
from masthead.model.pagination import PageRequest
from masthead.services.claims import records as service
from masthead.services.claims.claimable import list_others, preview_claim
from masthead.services.dispatch import runs
from masthead.store.claims import records as store
from masthead.store.dispatch import lines
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import copies_of, make_issue, make_issues, make_subscription
from tests.support.walk import walk
from tests.web.subscriptions.test_renew import make_bundle

DAY = date(2026, 5, 3)


async def freeze(cast: Cast, issue_id: str, **selection: Any) -> Dispatch:
    chosen = DispatchSelection(**selection)
    return await runs.freeze_dispatch(cast.db, cast.account_id, issue_id, chosen, by=BY)


async def send(cast: Cast, issue_id: str, **selection: Any) -> Dispatch:
    run = await freeze(cast, issue_id, **selection)
    marked, *_ = await runs.mark_dispatch(cast.db, cast.account_id, run.id, DAY, by=BY)
    return marked


async def record(cast: Cast, **fields: Any) -> CreatedClaim:
    body = ClaimCreate(**{"reason": ClaimReason.NEVER_ARRIVED, **fields})
    return await service.create_claim(cast.db, cast.account_id, body, by=BY)


async def sent_copy(cast: Cast, **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """An issue, and a copy of it that was sent in a run."""
    issue = await make_issue(cast)
    made = await make_subscription(cast, **fields)
    await send(cast, issue["id"])
    (copy,) = await copies_of(cast, made["id"])
    return issue, copy


async def get(cast: Cast, id: str) -> Claim:
    return await store.get_claim(cast.db, cast.account_id, id)


async def close(cast: Cast, id: str) -> Claim:
    return await service.close_claim(cast.db, cast.account_id, id, by=BY)


async def test_a_replacement_is_a_line_of_the_next_run_and_no_second_copy(
    acme: Cast, rival: Cast
) -> None:
    issue, copy = await sent_copy(acme)
    claim = await record(acme, copy=copy["id"], notes="Has called")
    assert (claim.status, claim.reason, claim.notes) == (
        "open",
        "never_arrived",
        "Has called",
    )
    assert (claim.country, claim.issue.number, claim.replacement) == ("DE", 1, True)
    assert claim.warnings == []
    late = await make_subscription(acme)
    run = await freeze(acme, issue["id"])
    assert (run.number, run.copies, run.replacements) == (2, 1, 1)
    held = await get(acme, claim.id)
    assert (held.status, held.dispatch_id) == (ClaimStatus.IN_RUN, run.id)
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, date(2026, 5, 20), by=BY)
    sent = await get(acme, claim.id)
    assert (sent.status, sent.date_sent) == (ClaimStatus.SENT, date(2026, 5, 20))
    assert await copies_of(acme, copy["subscription_id"]) == [copy]
    assert (await copies_of(acme, late["id"]))[0]["date_sent"] == "2026-05-20"
    with pytest.raises(NotFound):
        await get(rival, claim.id)


async def test_a_replacement_can_have_a_run_of_its_own(acme: Cast) -> None:
    issue, copy = await sent_copy(acme)
    await make_subscription(acme)
    claim = await record(acme, copy=copy["id"])
    run = await freeze(acme, issue["id"], only_replacements=True)
    assert (run.copies, run.replacements) == (0, 1)
    _, marked, _ = await runs.mark_dispatch(
        acme.db, acme.account_id, run.id, date(2026, 5, 20), by=BY
    )
    _, undone = await runs.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert (marked, undone) == (1, 1)
    await runs.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert (await get(acme, claim.id)).status is ClaimStatus.OPEN


async def test_the_key_of_a_copy_and_of_its_replacement_name_the_copy(acme: Cast) -> None:
    issue, copy = await sent_copy(acme)
    (line,) = await lines.list_lines_of_copies(acme.db, acme.account_id, [copy["id"]])
    key = key_of(acme.account_id, line.id)
    first = await record(acme, key=f"#{key.lower()}#")
    assert first.copy_id == copy["id"]
    await send(acme, issue["id"])
    _, line = await lines.list_lines_of_copies(acme.db, acme.account_id, [copy["id"]])
    assert line.claim_id == first.id
    second = await record(acme, key=key_of(acme.account_id, line.id), reason=ClaimReason.DAMAGED)
    assert (second.copy_id, second.status) == (copy["id"], "open")
    with pytest.raises(NotFound, match="copy with the key"):
        await record(acme, key=key_of(acme.account_id, 10**6))
    with pytest.raises(Invalid, match="Send either `copy`"):
        await record(acme, copy=copy["id"], key=key)
    with pytest.raises(Invalid, match="Send either `copy`"):
        await record(acme)


async def test_a_second_open_claim_of_a_copy_is_refused(acme: Cast) -> None:
    issue, copy = await sent_copy(acme)
    claim = await record(acme, copy=copy["id"])
    with pytest.raises(Invalid, match=f"Claim `{claim.id}` of this copy is open") as refused:
        await record(acme, copy=copy["id"])
    assert refused.value.code == "claim_exists"
    await freeze(acme, issue["id"])
    with pytest.raises(Invalid, match="Withdraw that claim, or wait"):
        await record(acme, copy=copy["id"])


async def test_a_copy_that_is_not_sent_gets_the_answer_why(acme: Cast, rival: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, first_name="Ann")
    (copy,) = await copies_of(acme, made["id"])
    await freeze(acme, issue["id"])
    with pytest.raises(Invalid, match="issue 1 for Ann is in mailing 1, prepared on") as refused:
        await record(acme, copy=copy["id"])
    assert refused.value.code == "copy_not_sent"
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    with pytest.raises(Invalid, match="subscription was cancelled on") as refused:
        await record(acme, copy=copy["id"])
    assert refused.value.code == "copy_cancelled"
    with pytest.raises(NotFound):
        await record(rival, copy=copy["id"])


async def test_a_digital_copy_cannot_be_claimed(acme: Cast) -> None:
    _, copy = await sent_copy(acme, medium="Digital")
    with pytest.raises(Invalid, match="does not go by post") as refused:
        await record(acme, copy=copy["id"])
    assert refused.value.code == "copy_digital"


async def test_a_claim_without_a_replacement_is_closed_at_once(acme: Cast) -> None:
    issue, copy = await sent_copy(acme)
    claim = await record(acme, copy=copy["id"], replacement=False)
    assert (claim.status, claim.replacement) == ("closed", False)
    (row,) = await acme.db.fetch_all(
        "SELECT closed_at FROM claim WHERE account_id = :id", {"id": acme.account_id}
    )
    assert row["closed_at"] is not None
    with pytest.raises(Invalid, match="Nothing is left to send"):
        await freeze(acme, issue["id"])


async def test_a_claim_can_be_withdrawn_until_a_run_has_its_replacement(acme: Cast) -> None:
    issue, copy = await sent_copy(acme)
    first = await record(acme, copy=copy["id"])
    (row,) = await acme.db.fetch_all(
        "SELECT closed_at FROM claim WHERE account_id = :id", {"id": acme.account_id}
    )
    assert row["closed_at"] is None
    assert (await close(acme, first.id)).status is ClaimStatus.CLOSED
    assert (await close(acme, first.id)).status is ClaimStatus.CLOSED
    entries = await list_entries(acme.db, acme.account_id, "claim", first.id)
    assert [each["action"] for each in entries] == ["claim.create", "claim.close"]
    second = await record(acme, copy=copy["id"])
    run = await freeze(acme, issue["id"])
    with pytest.raises(
        Invalid, match=f"so it stays there. Discard the dispatch `{run.id}`"
    ) as refused:
        await close(acme, second.id)
    assert refused.value.code == "claim_held"
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    with pytest.raises(Invalid, match="already sent") as refused:
        await close(acme, second.id)
    assert refused.value.code == "claim_sent"
    with pytest.raises(NotFound):
        await close(acme, "X")


async def test_a_claim_waits_while_its_copy_is_not_sent_after_an_undo(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    run = await send(acme, issue["id"])
    (copy,) = await copies_of(acme, made["id"])
    claim = await record(acme, copy=copy["id"])
    await runs.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    with pytest.raises(Invalid, match="Nothing is left to send"):
        await freeze(acme, issue["id"])
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    assert (await freeze(acme, issue["id"])).replacements == 1
    assert (await get(acme, claim.id)).status is ClaimStatus.IN_RUN


async def test_a_replacement_over_the_limit_warns_and_is_recorded(acme: Cast) -> None:
    issues = await make_issues(acme, 1, 4)
    made = await make_subscription(acme, length=4)
    for issue in issues:
        await send(acme, issue["id"])
    copies = await copies_of(acme, made["id"])
    claims = [await record(acme, copy=copy["id"]) for copy in copies[:3]]
    assert [claim.warnings for claim in claims[:2]] == [[], []]
    assert claims[2].warnings == [
        "This is replacement 3 for this subscriber within 6 issues. The settings allow at most 2 "
        "within 6 issues. Check the address first."
    ]
    await service.update_policy(acme.db, acme.account_id, replacements=1, issues=1, by=BY)
    async with acme.db.read() as db:
        preview = await preview_claim(db, acme.account_id, str(copies[3]["id"]))
    assert preview.warnings == []
    assert preview.sentence.startswith("Issue 4 was sent to Ada: mailing 1 of 2026-05-03, to ")
    await service.update_policy(acme.db, acme.account_id, replacements=0, issues=1, by=BY)
    await service.update_policy(acme.db, acme.account_id, replacements=0, issues=1, by=BY)
    async with acme.db.read() as db:
        preview = await preview_claim(db, acme.account_id, str(copies[3]["id"]))
    (warning,) = preview.warnings
    assert (
        "replacement 1 for this subscriber within 1 issue. The settings allow at most 0 within"
        in warning
    )
    entries = await list_entries(acme.db, acme.account_id, "account", str(acme.account_id))
    assert len([each for each in entries if each["action"] == "account.update"]) == 2
    with pytest.raises(Invalid, match="`max_replacements` is -1"):
        await service.update_policy(acme.db, acme.account_id, replacements=-1, issues=1, by=BY)


async def test_several_copies_are_claimed_together_or_not_at_all(acme: Cast) -> None:
    issues = await make_issues(acme, 1, 2)
    ids = await make_bundle(acme, 3)
    stranger = await make_subscription(acme, length=2)
    await make_subscription(acme, email="desk@harbour.example", length=2, medium="Digital")
    for issue in issues:
        await send(acme, issue["id"])
    mine = [await copies_of(acme, id) for id in sorted(ids)]
    (_, theirs) = await copies_of(acme, stranger["id"])
    await record(acme, copy=mine[2][0]["id"])
    async with acme.db.read() as db:
        preview = await preview_claim(db, acme.account_id, str(mine[0][1]["id"]))
        others = await list_others(db, acme.account_id, preview.copy)
    assert [(each.issue_number, each.copy_ids, each.sent_on, each.to) for each in others] == [
        (2, [mine[1][1]["id"], mine[2][1]["id"]], DAY, ""),
        (1, [mine[0][0]["id"], mine[1][0]["id"]], DAY, ""),
    ]

    async def claim(*copies: dict[str, Any]) -> list[CreatedClaim]:
        bodies = [ClaimCreate(copy=each["id"], reason=ClaimReason.OTHER) for each in copies]
        return await service.create_claims(acme.db, acme.account_id, bodies, by=BY)

    with pytest.raises(Invalid, match="of this copy is open"):
        await claim(mine[0][1], mine[2][0])
    with pytest.raises(Invalid, match="Claims of several subscribers"):
        await claim(mine[0][1], theirs)
    assert len(await walk(acme, "/v1/claims/")) == 1
    first, second = await claim(*mine[0])
    assert (first.warnings, len(second.warnings)) == ([], 1)


async def test_claims_are_counted_by_issue_and_country(acme: Cast, rival: Cast) -> None:
    issue, copy = await sent_copy(acme)
    await sent_copy(rival)
    austrian, silent = [await make_subscription(acme, country="AT") for _ in range(2)]
    await make_subscription(acme, country="CH")
    await send(acme, issue["id"])
    await record(acme, copy=copy["id"])
    (first,) = await copies_of(acme, austrian["id"])
    await record(acme, copy=first["id"], reason=ClaimReason.DAMAGED, replacement=False)
    (second,) = await copies_of(acme, silent["id"])
    await close(acme, (await record(acme, copy=second["id"])).id)
    await send(acme, issue["id"])
    counts = await store.count_claims(acme.db, acme.account_id, issues=12)
    assert [
        (each.country, each.sent, each.claims, each.never_arrived, each.damaged, each.replacements)
        for each in counts
    ] == [("AT", 2, 1, 0, 1, 0), ("DE", 1, 1, 1, 0, 1), ("CH", 1, 0, 0, 0, 0)]
    assert [each.rate for each in counts] == [0.5, 1.0, 0.0]
    assert await store.count_claims(rival.db, rival.account_id, issues=12) == []


async def test_the_country_of_a_claim_is_where_the_copy_went(acme: Cast) -> None:
    _, copy = await sent_copy(acme)
    await acme.patch(f"/v1/subscriptions/{copy['subscription_id']}/", {"country": "SE"})
    assert (await record(acme, copy=copy["id"])).country == "DE"
    german = next(
        each
        for each in await store.count_claims(acme.db, acme.account_id, issues=1)
        if each.country == "DE"
    )
    assert (german.sent, german.claims, german.rate) == (0, 1, None)


@pytest.mark.parametrize("status", [None, *ClaimStatus])
async def test_claims_are_listed_by_filters(acme: Cast, status: ClaimStatus | None) -> None:
    issue, copy = await sent_copy(acme)
    claim = await record(acme, copy=copy["id"])
    request = PageRequest(limit=10, after=None, binding=b"")
    for filters in (
        {},
        {"copy": copy["id"]},
        {"issue": issue["id"]},
        {"subscriber": copy["subscriber_id"], "country": "DE"},
        {"subscription": copy["subscription_id"]},
        {"reason": ClaimReason.NEVER_ARRIVED},
    ):
        query = ClaimQuery(**filters, status=status)
        page = await store.list_claims(acme.db, acme.account_id, query, request)
        expected = [claim.id] if status in (None, ClaimStatus.OPEN) else []
        assert [each.id for each in page.items] == expected
