"""Several copies for one address are one line or label, with their number."""

import io
import json
from datetime import date
from zipfile import ZipFile

import pytest
from msgspec.structs import replace
from pypdf import PdfReader

from masthead.model.dispatch.built_in_profiles import BUILT_IN
from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.services.dispatch import file_builds, profiles
from masthead.services.dispatch.runs import freeze_dispatch
from masthead.services.returns.shipped import ShippedSummary
from tests.conftest import BY, Cast
from tests.services.returns.test_shipped import ship
from tests.support.dispatch_files import build, rows_of
from tests.support.factories import make_issue, make_subscription
from tests.web.subscriptions.facts import rows_of as table
from tests.web.subscriptions.test_renew import make_bundle

PLACE = {"address1": "Quay 1", "postcode": "20457", "city": "Hamburg"}


async def freeze(cast: Cast) -> Dispatch:
    """A run with three copies for a company, and two for others at the same place."""
    issue = await make_issue(cast)
    other = {"first_name": None, "last_name": None, "company": "Harbour Books"}
    await make_subscription(cast, email="other@harbour.example", **other, **PLACE)
    await make_bundle(cast, 3, **PLACE)
    await make_subscription(cast, email="third@harbour.example", **other, **PLACE)
    return await freeze_dispatch(cast.db, cast.account_id, issue["id"], DispatchSelection(), by=BY)


@pytest.mark.parametrize("batch", [1, 1_000])
async def test_a_mailing_house_gets_a_line_with_the_number(
    acme: Cast, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_builds, "BATCH", batch)
    run = await freeze(acme)
    file, content = await build(acme, run, FileFormat.CSV)
    rows = rows_of(content)
    assert sorted(row["copies"] for row in rows) == ["1", "1", "3"]
    assert file.totals is not None
    assert (file.lines, file.totals.lines, file.totals.addresses) == (5, 5, 3)
    assert file.totals.by_section()["countries"] == {"DE": 5}
    _, content = await build(acme, run, FileFormat.ZIP, "mailing-house")
    with ZipFile(io.BytesIO(content)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert [(manifest[name], manifest["files"][0][name]) for name in ("lines", "addresses")] == [
        (5, 5),
        (3, 3),
    ]
    _, content = await build(acme, run, FileFormat.XLSX)
    assert content  # the spreadsheet has a row for each copy


async def test_a_label_says_how_many_copies_or_there_are_several_by_the_profile(acme: Cast) -> None:
    run = await freeze(acme)
    _, content = await build(acme, run, FileFormat.PDF)
    document = PdfReader(io.BytesIO(content))
    text = document.pages[0].extract_text()
    assert text.count("Harbour Books") == 3
    assert text.count("3 copies") == 1
    assert document.metadata is not None
    assert document.metadata.title == "Issue 1, run 1: 3 labels"
    settings = replace(BUILT_IN["labels-l7160"].settings, joins_copies=False)
    single = await profiles.create_profile(
        acme.db, acme.account_id, name="Single", settings=settings, by=BY
    )
    _, content = await build(acme, run, FileFormat.PDF, single.id)
    text = PdfReader(io.BytesIO(content)).pages[0].extract_text()
    assert (text.count("Harbour Books"), text.count("copies")) == (5, 0)


async def test_the_key_of_a_joined_line_stands_for_all_of_its_copies(acme: Cast) -> None:
    run = await freeze(acme)
    _, content = await build(acme, run, FileFormat.CSV)
    [row] = [row for row in rows_of(content) if row["copies"] == "3"]
    summary, unmatched = await ship(acme, f"key\n{row['key']}\n")
    assert (summary, unmatched) == (ShippedSummary(read=1, marked=1), {})
    copies = await table(acme, "copy")
    assert sorted(copy["status"] for copy in copies) == ["Not sent"] * 2 + ["Sent"] * 3
    again, _ = await ship(acme, f"key\n{row['key']}\n")
    assert again == ShippedSummary(read=1, already_sent=1)


async def test_without_a_joined_file_a_key_stands_for_one_copy(acme: Cast) -> None:
    run = await freeze(acme)
    summary, _ = await ship(acme, f"key\n{printed(key_of(acme.account_id, run.first_line))}\n")
    assert summary.marked == 1
    assert [copy["status"] for copy in await table(acme, "copy")].count("Sent") == 1
    assert date(2026, 5, 1) in {copy["date_sent"] for copy in await table(acme, "copy")}
