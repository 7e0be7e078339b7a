"""What is left of several issues goes out together, with one file and one confirmation."""

import io
from datetime import date

import pytest
from pypdf import PdfReader

from masthead.model.dispatch.files import FileStatus
from masthead.model.dispatch.joined_lines import issues_of, join_group
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.dispatch.runs import Dispatch, DispatchStatus
from masthead.model.errors import Invalid
from masthead.services.dispatch import run_groups as service, runs
from masthead.services.issues.numbers import delete_issue
from masthead.store.dispatch import files, groups
from tests.conftest import BY, Cast
from tests.services.returns.test_shipped import ship
from tests.support.dispatch_files import build, rows_of
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.privacy import erase
from tests.web.subscriptions.facts import rows_of as table

DAY = date(2026, 5, 3)
ANNA = {"email": "anna@example.com", "first_name": "Anna", "last_name": "Ek", "city": "Stockholm"}


async def make_late(cast: Cast) -> list[str]:
    """Three issues: Anna gets all of them, Bo the last two, Cy only the first, as a file."""
    issues = [await make_issue(cast, number) for number in (1, 2, 3)]
    place = {"address1": "Storgatan 1", "country": "SE"}
    await make_subscription(cast, start_issue=1, length=3, **ANNA, **place)
    await make_subscription(
        cast, email="bo@example.com", last_name="Bo", start_issue=2, length=2, **place
    )
    await make_subscription(
        cast, email="cy@example.com", last_name="Cy", medium="Digital", length=1, start_issue=1
    )
    return [issue["id"] for issue in issues]


async def freeze(cast: Cast, issue_ids: list[str]) -> Dispatch:
    return await service.freeze_several(cast.db, cast.account_id, issue_ids, by=BY)


async def statuses(cast: Cast) -> list[str]:
    return sorted(row["status"] for row in await table(cast, "copy"))


async def test_one_file_has_a_line_for_each_address_with_its_issues(acme: Cast) -> None:
    run = await freeze(acme, await make_late(acme))
    members = await groups.list_members(acme.db, acme.account_id, run)
    assert [(each.issue_number, each.number, each.lines) for each in members] == [
        (1, 1, 2),
        (2, 1, 2),
        (3, 1, 2),
    ]
    assert {each.group_id for each in members} == {run.id}
    file, content = await build(acme, members[2], FileFormat.CSV)
    rows = rows_of(content)
    assert [(row["sequence"], row["name"], row["copies"]) for row in rows] == [
        ("1", "Ada Bo", "2"),
        ("2", "Anna Ek", "3"),
    ]
    assert (file.dispatch_id, file.lines) == (run.id, 5)
    assert file.totals is not None
    assert (file.totals.addresses, file.totals.digital) == (2, 1)
    assert file.name.startswith("several-issues-")
    _file, content = await build(acme, run, FileFormat.PDF)
    document = PdfReader(io.BytesIO(content))
    text = document.pages[0].extract_text()
    assert "3 copies: No. 1–3" in text
    assert "2 copies: No. 2–3" in text
    assert document.metadata is not None
    assert document.metadata.title == "Issues 1, 2, 3: 2 labels"


async def test_all_are_marked_undone_and_discarded_together(acme: Cast, rival: Cast) -> None:
    await make_late(rival)
    run = await freeze(acme, await make_late(acme))
    last = (await groups.list_members(acme.db, acme.account_id, run))[-1]
    _run, marked, completed = await runs.mark_dispatch(
        acme.db, acme.account_id, last.id, DAY, by=BY
    )
    assert (marked, completed) == (6, 3)
    assert await statuses(acme) == ["Sent"] * 6
    assert "Sent" not in await statuses(rival)
    with pytest.raises(Invalid, match="already marked"):
        await runs.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    _run, undone = await runs.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert undone == 6
    assert await statuses(acme) == ["Not sent"] * 6
    await runs.discard_dispatch(acme.db, acme.account_id, last.id, by=BY)
    members = await groups.list_members(acme.db, acme.account_id, run)
    assert {each.status for each in members} == {DispatchStatus.DISCARDED}


async def test_a_refusal_changes_none_of_them(acme: Cast) -> None:
    run = await freeze(acme, await make_late(acme))
    with pytest.raises(Invalid):
        await runs.mark_dispatch(acme.db, acme.account_id, run.id, date(2099, 1, 1), by=BY)
    assert await statuses(acme) == ["Not sent"] * 6


async def test_issues_without_late_copies_get_no_run(acme: Cast) -> None:
    ids = await make_late(acme)
    await freeze(acme, ids[:1])
    run = await freeze(acme, ids)
    assert [
        each.issue_number for each in await groups.list_members(acme.db, acme.account_id, run)
    ] == [2, 3]
    with pytest.raises(Invalid, match="which is prepared"):
        await freeze(acme, ids)
    with pytest.raises(Invalid, match="Tick at least one"):
        await freeze(acme, [])


async def test_one_issue_is_a_mailing_like_others(acme: Cast) -> None:
    ids = await make_late(acme)
    run = await freeze(acme, ids[1:2])
    assert (run.group_id, run.lines) == (None, 2)


async def test_too_much_is_refused_before_any_work(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await make_late(acme)
    monkeypatch.setattr(service, "MAX_LINES", 5)
    with pytest.raises(Invalid, match="at most 5 copies"):
        await freeze(acme, ids)
    monkeypatch.setattr(service, "MAX_ISSUES", 2)
    with pytest.raises(Invalid, match="at most 2 issues"):
        await freeze(acme, ids)
    assert await table(acme, "dispatch") == []


async def test_the_key_of_a_label_stands_for_the_copies_of_all_its_issues(acme: Cast) -> None:
    run = await freeze(acme, await make_late(acme))
    _file, content = await build(acme, run, FileFormat.CSV)
    [row] = [row for row in rows_of(content) if row["copies"] == "3"]
    summary, _unmatched = await ship(acme, f"key\n{row['key']}\n")
    assert summary.marked == 1
    assert (await statuses(acme)).count("Sent") == 3
    with pytest.raises(Invalid, match="reported copies"):
        await runs.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    _run, marked, _completed = await runs.mark_dispatch(
        acme.db, acme.account_id, run.id, DAY, by=BY
    )
    assert marked == 3


async def test_replacements_of_several_issues_are_one_label(acme: Cast) -> None:
    ids = await make_late(acme)
    run = await freeze(acme, ids)
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    [anna] = [row for row in await table(acme, "subscription") if row["last_name"] == "Ek"]
    copies = await copies_of(acme, anna["id"])
    claims = [
        (await acme.post("/v1/claims/", {"copy": copy["id"], "reason": "damaged"})).json()
        for copy in copies[:2]
    ]
    chosen = [claim["id"] for claim in claims]
    made = await service.freeze_replacements(acme.db, acme.account_id, chosen[:1], by=BY)
    assert (made.group_id, made.lines, made.replacements) == (None, 1, 1)
    with pytest.raises(Invalid, match="cannot be sent now"):
        await service.freeze_replacements(acme.db, acme.account_id, chosen, by=BY)
    await runs.discard_dispatch(acme.db, acme.account_id, made.id, by=BY)
    both = await service.freeze_replacements(acme.db, acme.account_id, chosen, by=BY)
    lines = await groups.list_group_lines(acme.db, acme.account_id, both.id)
    [label] = join_group(lines, joins=True)
    assert (label.quantity, len(issues_of(label))) == (2, 3)


async def test_an_erasure_withdraws_the_file_that_another_run_of_the_group_has(
    acme: Cast,
) -> None:
    run = await freeze(acme, await make_late(acme))
    file, _content = await build(acme, run, FileFormat.CSV)
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    [bo] = [row for row in await table(acme, "subscription") if row["last_name"] == "Bo"]
    assert bo["start_issue"] == 2  # the file belongs to the run of issue 1
    await erase(acme, bo["subscriber_id"])
    assert (await files.get_file(acme.db, acme.account_id, file.id)).status is FileStatus.FAILED


async def test_a_group_stays_when_its_first_issue_is_deleted(acme: Cast) -> None:
    ids = [(await make_issue(acme, number))["id"] for number in (1, 2, 3, 4)]
    await make_subscription(acme, start_issue=1, length=4)
    run = await freeze(acme, ids[1:])
    await runs.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    await delete_issue(acme.db, acme.account_id, ids[1], by=BY)
    left = await groups.list_group(acme.db, acme.account_id, run.id)
    assert [each.issue_number for each in left] == [3, 4]
    assert groups.leader_of(left).issue_number == 3
