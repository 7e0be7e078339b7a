"""An export that is imported into an empty account is the same when it is exported again."""

import base64
import csv
import hashlib
import io
import json
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from masthead.background.lease import DURATION, HeldLease
from masthead.background.worker import LEASE
from masthead.model.errors import Invalid
from masthead.model.exports.contents import EXPORT_FILES
from masthead.model.exports.ids import IdChange
from masthead.services import accounts
from masthead.services.check.accounts import check_account
from masthead.services.exports import load as load_module
from masthead.services.exports.folder import is_export
from masthead.services.exports.load import load_export
from masthead.services.exports.write import export_account
from masthead.store.accounts import Account, get_account
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast
from tests.services.exports.test_write import export, rows_of
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.own_service import open_own_service
from tests.support.rich_account import make_rich

load = partial(load_export, placeholder_domain=PLACEHOLDER_DOMAIN)
NEW = ("account", "audit_trail", "users")  # the new account has its own beside them


async def new_account(db: Database, old: Cast) -> Account:
    return await accounts.create_account(
        db,
        name="New",
        subdomain=f"new-{old.subdomain}",
        currency="USD",
        owner="new@example.test",
        by=BY,
    )


async def faults(db: Database, subdomain: str) -> Counter[str]:
    return Counter([fault.invariant async for fault in check_account(db, subdomain)])


def as_before(folder: Path, name: str, ids: IdChange | None = None) -> list[list[str]]:
    """The rows of a file; ids: to change the ids of the old account."""
    exported = next(each for each in EXPORT_FILES if each.name == name)
    change = ids.of_file(exported) if ids else lambda cells: None
    rows = [list(row.values()) for row in rows_of(folder, name)]
    for row in rows:
        change(row)
    if name in ("covers", "letterheads", "mandate_files"):  # they are written again
        rows = [row[: exported.columns.index("media_type")] for row in rows]
    if name == "dispatches":  # of lines with ids
        place = exported.columns.index("fingerprint")
        rows = [[*row[:place], *row[place + 1 :]] for row in rows]
    return rows


async def test_everything_comes_back_as_it_was(acme: Cast, tmp_path: Path) -> None:
    db = acme.db
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    for exported in EXPORT_FILES:
        assert rows_of(tmp_path / "old", exported.name) or exported.stays, (
            f"{exported.name} is not tested"
        )
    new = await new_account(db, acme)
    assert is_export(tmp_path / "old")
    assert not is_export(tmp_path)
    limit = csv.field_size_limit()
    await load(db, new.id, tmp_path / "old", by=BY)
    assert csv.field_size_limit() == limit  # one for the process: other readers need it

    await export_account(db, await get_account(db, new.id), tmp_path / "new", by=BY)
    ids = IdChange(acme.account_id, new.id, {})
    for exported in EXPORT_FILES:
        before = as_before(tmp_path / "old", exported.name, ids)
        after = as_before(tmp_path / "new", exported.name)
        if exported.stays and exported.name != "users":
            assert after == [], exported.name
        elif exported.name == "audit_trail":
            assert [row[1:] for row in before] == [row[1:] for row in after[1:-2]]
        elif exported.name not in NEW:
            assert before == after, exported.name
    (old_settings,), (settings,) = (rows_of(tmp_path / each, "account") for each in ("old", "new"))
    kept = ("id", "subdomain", "created_at")
    assert {name: old_settings[name] for name in old_settings if name not in kept} == {
        name: settings[name] for name in settings if name not in kept
    }
    assert await faults(db, new.subdomain) == await faults(db, acme.subdomain)


async def test_the_imported_account_goes_on(acme: Cast, rival: Cast, tmp_path: Path) -> None:
    """New orders get ids after the imported ones, and searches find the imported people."""
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    await load(rival.db, rival.account_id, tmp_path / "old", by=BY)
    found = (await rival.get("/v1/subscribers/", search="giver@example.test")).json()
    assert [item["email"] for item in found["items"]] == ["giver@example.test"]
    body = {
        "source": rival.shop,
        "start_issue": 5,
        "length": 2,
        "first_name": "New",
        "country": "DE",
        "order_id": "AFTER",
        "order_date": "2026-08-01",
        "price": "9.00",
    }
    response = await rival.post("/v1/subscriptions/", body)
    assert response.status_code == 201, response.text
    old = Counter(await faults(acme.db, acme.subdomain))
    assert await faults(rival.db, rival.subdomain) == old


async def test_an_account_with_data_is_refused(acme: Cast, tmp_path: Path) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    with pytest.raises(Invalid, match="already has rows in `subscriber`"):
        await load(acme.db, acme.account_id, tmp_path / "old", by=BY)


async def test_a_changed_file_is_refused(acme: Cast, rival: Cast, tmp_path: Path) -> None:
    await export(acme, tmp_path / "old")
    with (tmp_path / "old" / "csv" / "issues.csv").open("a") as file:
        file.write("x")
    with pytest.raises(Invalid, match=r"`csv/issues.csv` is missing, or was changed"):
        await load(rival.db, rival.account_id, tmp_path / "old", by=BY)
    (tmp_path / "old" / "csv" / "issues.csv").unlink()
    with pytest.raises(Invalid, match=r"`csv/issues.csv` is missing"):
        await load(rival.db, rival.account_id, tmp_path / "old", by=BY)


def forge(folder: Path, name: str, **columns: str) -> None:
    """Change the rows of a file as an attacker does: the digest in the manifest fits again."""
    rows = rows_of(folder, name)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows({**row, **columns} for row in rows)
    content = text.getvalue().encode()
    (folder / "csv" / f"{name}.csv").write_bytes(content)
    manifest = json.loads((folder / "manifest.json").read_text())
    for file in manifest["files"]:
        if file["name"] == f"csv/{name}.csv":
            file["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


async def test_a_cover_that_is_a_page_with_a_script_is_refused(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    page = base64.b64encode(b"<script>alert(1)</script>").decode()
    forge(tmp_path / "old", "covers", content=page, media_type="text/html")
    with pytest.raises(Invalid, match=r"The cover of issue `\w+` in `csv/covers.csv` is refused"):
        await load(rival.db, rival.account_id, tmp_path / "old", by=BY)
    assert (await rival.get("/v1/issues/")).json()["items"] == []


async def test_a_cover_is_decoded_and_written_again(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    (cover, *_rest) = rows_of(tmp_path / "old", "covers")
    tail = base64.b64encode(base64.b64decode(cover["content"]) + b"<script>").decode()
    forge(tmp_path / "old", "covers", content=tail, media_type="text/html", width="7")
    await load(rival.db, rival.account_id, tmp_path / "old", by=BY)
    (issue,) = await rival.db.fetch_all(
        "SELECT * FROM issue_cover WHERE account_id = :id", {"id": rival.account_id}
    )
    assert (issue["media_type"], issue["width"] > 7) == ("image/jpeg", True)
    assert b"<script>" not in bytes(issue["content"])
    assert hashlib.sha256(issue["content"]).hexdigest() == issue["sha256"]


async def test_rows_that_break_a_rule_are_named(
    acme: Cast, rival: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    there = await faults(acme.db, acme.subdomain)
    loaded = await load(rival.db, rival.account_id, tmp_path / "old", by=BY, is_rehearsal=True)
    assert Counter(fault.invariant for fault in loaded.faults) == there
    forge(tmp_path / "old", "subscribers", latest_order_date="1999-01-01")
    loaded = await load(rival.db, rival.account_id, tmp_path / "old", by=BY, is_rehearsal=True)
    said = {fault.invariant for fault in loaded.faults}
    assert "latest_order_date of a subscriber matches a recount" in said
    monkeypatch.setattr(load_module, "MOST_FAULTS", 1)
    loaded = await load(rival.db, rival.account_id, tmp_path / "old", by=BY, is_rehearsal=True)
    assert len(loaded.faults) == 1


def rewrite(folder: Path, name: str, rows: list[dict[str, str]]) -> None:
    """Write the rows of a file, or no file without rows, and what the manifest says of it."""
    text = io.StringIO(newline="")
    if rows:
        writer = csv.DictWriter(text, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    content, file = text.getvalue().encode(), f"csv/{name}.csv"
    (folder / file).write_bytes(content) if rows else (folder / file).unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    others = [each for each in manifest["files"] if each["name"] != file]
    (own,) = [each for each in manifest["files"] if each["name"] == file]
    own["sha256"] = hashlib.sha256(content).hexdigest()
    manifest["files"] = [*others, own] if rows else others
    (folder / "manifest.json").write_text(json.dumps(manifest))


async def test_an_export_of_an_older_masthead_has_fewer_files_and_columns(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    await make_rich(acme)
    old = tmp_path / "old"
    await export(acme, old)
    lines, sources = rows_of(old, "bank_lines"), rows_of(old, "sources")
    assert lines
    rewrite(
        old,
        "bank_lines",
        [{k: v for k, v in each.items() if k != "ultimate_name"} for each in lines],
    )
    rewrite(old, "vat_settings", [])
    with pytest.raises(Invalid, match=r"`csv/vat_settings.csv` is missing"):
        await load(rival.db, rival.account_id, old, by=BY)
    manifest = old / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"schema": "0053"}))
    for name in ("account_id", "unknown"):  # no column of the file, and none at all
        rewrite(old, "sources", [{**each, name: "1"} for each in sources])
        with pytest.raises(Invalid, match=r"`csv/sources.csv` has other columns"):
            await load(rival.db, rival.account_id, old, by=BY)
    rewrite(old, "sources", sources)
    await load(rival.db, rival.account_id, old, by=BY)
    await export(rival, tmp_path / "new")
    loaded = rows_of(tmp_path / "new", "bank_lines")
    assert [each["text"] for each in loaded] == [each["text"] for each in lines]
    assert {each["ultimate_name"] for each in loaded} == {""}


async def test_an_unknown_folder_or_a_newer_export_is_refused(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    with pytest.raises(Invalid, match="not a complete export"):
        await load(rival.db, rival.account_id, tmp_path, by=BY)
    await export(acme, tmp_path / "old")
    manifest = tmp_path / "old" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"schema": "9999"}))
    with pytest.raises(Invalid, match="newer than this one"):
        await load(rival.db, rival.account_id, tmp_path / "old", by=BY)


async def test_nothing_is_left_of_an_import_that_fails(
    acme: Cast, rival: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")

    def fail(rows: int) -> None:
        if rows > 50:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await load(rival.db, rival.account_id, tmp_path / "old", by=BY, on_progress=fail)
    await export(rival, tmp_path / "after")
    for name in ("subscribers", "issues", "periods"):
        assert rows_of(tmp_path / "after", name) == []
    assert len(rows_of(tmp_path / "after", "products")) == 1


async def test_a_large_export_is_not_imported_beside_a_server(
    scratch_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a database of its own: servers that other tests have killed keep the lease for a while."""
    monkeypatch.setattr(load_module, "MANY", 1)
    assert (load_module.SERVER, load_module.SERVER_LASTS) == (LEASE, DURATION)
    async with open_own_service(scratch_url) as own:
        db = own.cast.db
        await export(own.cast, tmp_path / "old")
        lease = HeldLease(db, LEASE)
        assert await lease.renew()
        new = await new_account(db, own.cast)
        if db.dialect == "sqlite":
            with pytest.raises(Invalid, match="Stop it, import the export, and start it again"):
                await load(db, new.id, tmp_path / "old", by=BY)
        await lease.release()
        assert (await load(db, new.id, tmp_path / "old", by=BY)).rows
