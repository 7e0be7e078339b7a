"""ZIP files: one file for each country group, and a manifest."""

import hashlib
import io
import json
from zipfile import ZipFile

import pytest
from pypdf import PdfReader

from masthead.model.dispatch.profiles import FileFormat
from masthead.model.errors import Invalid
from masthead.services.accounts import update_account
from masthead.services.dispatch import file_builds
from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.dispatch_files import build, freeze_run, rows_of

ZIP = FileFormat.ZIP
_GROUPS = ("home", "europe", "rest")
SUBSCRIBERS = [
    {"first_name": "Ada", "country": "DE"},
    {"first_name": "Bea", "country": "FR"},
    {"first_name": "Cy", "country": "US"},
    {"first_name": "Di", "country": "JP"},
    {"first_name": "Ed", "country": "US", "medium": "Digital"},
]


def members_of(content: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


async def at_home_in_germany(cast: Cast) -> None:
    """Set the country of the account."""

    async def work(tx: Transaction) -> None:
        await accounts.update_account(tx, cast.account_id, {"country": "DE"})

    await cast.db.write(work, account_id=cast.account_id)


async def test_a_zip_has_a_file_for_each_country_group_and_a_manifest(acme: Cast) -> None:
    await at_home_in_germany(acme)
    run = await freeze_run(acme, *SUBSCRIBERS)
    file, content = await build(acme, run, ZIP)
    members = members_of(content)
    manifest = json.loads(members.pop("manifest.json"))
    assert (manifest["dispatch"], manifest["fingerprint"]) == (run.id, run.fingerprint)
    assert (manifest["lines"], manifest["digital"]) == (4, 1)
    names = {group: f"issue-1-mailing-1-mailing-house-csv-{group}.csv" for group in _GROUPS}
    assert members.keys() == set(names.values())
    for described in manifest["files"]:
        member = members[described["name"]]
        assert described["sha256"] == hashlib.sha256(member).hexdigest()
        assert described["bytes"] == len(member)
        assert described["lines"] == len(rows_of(member))
    found = {
        group: [row["name"] for row in rows_of(members[name])] for group, name in names.items()
    }
    assert found == {"home": ["Ada"], "europe": ["Bea"], "rest": ["Di", "Cy"]}
    assert manifest["files"][2]["totals"]["countries"] == {"JP": 1, "US": 1}
    assert file.totals is not None
    assert file.totals.by_section()["groups"] == {"home": 1, "europe": 1, "rest": 2}


async def test_the_files_of_a_german_account_have_german_names(acme: Cast) -> None:
    await update_account(acme.db, acme.account_id, locale="de_DE", country="DE", by=BY)
    run = await freeze_run(acme, *SUBSCRIBERS)
    file, content = await build(acme, run, ZIP)
    assert file.name == "ausgabe-1-aussendung-1-lettershop-csv.zip"
    members = members_of(content)
    manifest = json.loads(members.pop("manifest.json"))
    assert [each["group"] for each in manifest["files"]] == ["home", "europe", "rest"]
    assert (
        [each["name"] for each in manifest["files"]]
        == [*members]
        == [
            f"ausgabe-1-aussendung-1-lettershop-csv-{group}.csv"
            for group in ("inland", "europa", "uebrige-welt")
        ]
    )


@pytest.mark.parametrize(
    "profile, start", [("spreadsheet", b"PK"), ("labels-l7163", b"%PDF"), ("lines-4x30", b"\xef")]
)
async def test_the_profile_decides_on_the_format_inside(
    acme: Cast, profile: str, start: bytes
) -> None:
    run = await freeze_run(acme, *SUBSCRIBERS)
    _, content = await build(acme, run, ZIP, profile)
    for name, member in members_of(content).items():
        assert name == "manifest.json" or member.startswith(start)
        if start == b"%PDF" and name.endswith(".pdf"):
            assert len(PdfReader(io.BytesIO(member)).pages) == 1


async def test_the_problems_of_all_groups_are_named(acme: Cast) -> None:
    await at_home_in_germany(acme)
    run = await freeze_run(
        acme, {"first_name": "Łu", "country": "DE"}, {"first_name": "Ła", "country": "US"}
    )
    with pytest.raises(Invalid) as refused:
        await build(acme, run, ZIP, "mailing-house-windows")
    home, at_home, rest, abroad = str(refused.value).split("\n")
    assert "home.csv: 1 line cannot be written" in home
    assert at_home.startswith("Line 1 (Łu)")
    assert "rest.csv: 1 line cannot be written" in rest
    assert abroad.startswith("Line 2 (Ła)")


async def test_a_zip_without_lines_has_only_the_manifest(acme: Cast) -> None:
    run = await freeze_run(acme, {"medium": "Digital"})
    _, content = await build(acme, run, ZIP)
    members = members_of(content)
    assert json.loads(members.pop("manifest.json"))["digital"] == 1
    assert members == {}


async def test_the_notes_of_the_files_are_in_the_totals(acme: Cast) -> None:
    long = "Donaudampfschifffahrtsgesellschaftskapitän"
    run = await freeze_run(acme, {"first_name": "Ada", "company": long})
    file, _ = await build(acme, run, ZIP, "lines-4x30")
    assert file.totals is not None
    assert (file.totals.shortened, len(file.totals.notes)) == (1, 1)


async def test_the_lines_of_a_group_may_come_in_several_batches(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_builds, "BATCH", 2)
    run = await freeze_run(acme, *[{"first_name": "Ada"}] * 5)
    _, content = await build(acme, run, ZIP)
    (member,) = [part for name, part in members_of(content).items() if name.endswith(".csv")]
    assert [row["sequence"] for row in rows_of(member)] == ["1", "2", "3", "4", "5"]
