"""`masthead imports`: the list, an import with its rows, undo and presets."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine
from tests.cli.test_import import HEADER, Shop, row


@pytest.fixture
def shop(masthead: CommandLine, tmp_path: Path) -> Shop:
    """An account to import into."""
    return Shop(masthead, tmp_path)


def imports(shop: Shop, words: str, code: int = 0) -> Any:
    """Run a command of the group."""
    return shop.masthead(f"imports {words} --account {shop.account} --json", code=code).json


def test_imports_are_listed_shown_and_undone(shop: Shop) -> None:
    shop.write(row("A1"), row("A2", country="XX"), row("A1"), row("A3"))
    said = shop.full(code=1)
    assert (said["batch"], said["subscribers_made"], said["copies"]) == (1, 2, 2)
    assert any("`masthead imports show 1` lists them." in note for note in said["notes"])
    assert "Import 1 had the same file." in shop.full(code=1)["notes"]
    listed = imports(shop, "list")["items"]
    assert [(each["batch"], each["imported"], each["skipped"]) for each in listed] == [
        (2, 0, 3),
        (1, 2, 1),
    ]
    shown = imports(shop, "show 1")
    assert [(each["line"], each["outcome"], each["order_id"]) for each in shown["rows"]] == [
        (4, "skipped", "A1"),
        (3, "refused", "A2"),
    ]
    assert shown["rows"][0]["subscription"] in shown["rows"][0]["reason"] or (
        "line 2 of this file" in shown["rows"][0]["reason"]
    )
    issue = shop.masthead(f"issue list --account {shop.account} --json").json["items"][0]
    assert issue["number"] == 1
    undone = imports(shop, "undo 1")
    assert (undone["status"], undone["undone"], undone["kept"]) == ("undone", 2, 0)
    assert "undone" in shop.masthead(f"imports undo 1 --account {shop.account}", code=1).said
    assert "no import 9" in shop.masthead(f"imports show 9 --account {shop.account}", code=1).said
    words = shop.masthead(f"imports show 1 --account {shop.account}").out
    assert "status      undone" in words
    assert "1 × refused: `country` is `XX`" in words


def test_a_reason_with_a_question_is_shown_as_it_is(shop: Shop) -> None:
    shop.write(row("A1", country="Germny"))
    shop.run(code=1)
    reason = "`country` is `Germny`; expected the name of a country or its two-letter code, for "
    reason += "example `DE`, `GB` or `US`. Did you mean `Germany` (DE)?"
    assert imports(shop, "show 1")["rows"][0]["reason"] == reason
    words = shop.masthead(f"imports show 1 --account {shop.account}").out
    assert f"1 × refused: {reason}\n" in words


def test_rows_that_are_left_out_show_their_cell(shop: Shop, tmp_path: Path) -> None:
    mapping = tmp_path / "only.toml"
    mapping.write_text('[only]\nnotes = ["print"]\n', encoding="utf-8")
    shop.write(row("A1", notes="digital"), row("A2", notes=""))
    shop.run("--mapping", str(mapping))
    shown = imports(shop, "show 1")["rows"]
    assert [each["reason"] for each in shown] == ["`notes` is `digital`.", "`notes` is empty."]
    words = shop.masthead(f"imports show 1 --account {shop.account}").out
    assert "2 × left_out: notes, such as `digital`" in words


def test_touched_orders_stop_an_undo_or_stay(shop: Shop) -> None:
    shop.write(row("A1"), row("A2"))
    shop.run()
    shop.write(row("B1", start_issue="", length="2") + ",A1", header=HEADER + ",renews")
    shop.run()
    stopped = imports(shop, "undo 1", code=1)
    assert (stopped["status"], stopped["touched"][0]["what"]) == ("imported", ["renewed"])
    told = shop.masthead(f"imports undo 1 --account {shop.account}", code=1).said
    assert "`--touched keep` lets these orders stay" in told
    kept = shop.masthead(f"imports undo 1 --touched keep --account {shop.account}")
    assert "line 2, order A1: renewed" in kept.err
    assert "kept    1" in kept.out


def test_an_order_of_another_shop_is_refused_and_a_prefix_helps(shop: Shop) -> None:
    shop.write(row("1001", first_name="Ann"))
    shop.run()
    other = shop.masthead.source(shop.account)
    shop.write(row("1001", first_name="Bob"))
    words = f"import --account {shop.account} --source {other} --json {shop.path}"
    refused = shop.masthead(words, code=1).json
    assert (refused["skipped"], refused["rejected"]) == (0, 1)
    report = Path(refused["rejects"]).read_text(encoding="utf-8-sig")
    assert "of Ann" in report
    assert "--order-prefix" in report
    assert shop.masthead(words + " --order-prefix B-").json["imported"] == 1


def test_a_source_is_named_by_its_name(shop: Shop) -> None:
    shop.write(row("A1"))
    create = f"source create --account {shop.account} --type shop --json --name"
    for name in ("Kiosk", "Twin", "Twin"):
        shop.masthead(create, name)
    words = f"import --account {shop.account} --json {shop.path} --source"
    assert shop.masthead(words, "kiosk").json["imported"] == 1
    assert "2 sources are called `Twin`" in shop.masthead(words, "Twin", code=1).said
    assert "Did you mean `Kiosk`" in shop.masthead(words, "Kiosq", code=1).said


def test_a_mapping_is_a_file_and_can_be_saved(shop: Shop, tmp_path: Path) -> None:
    shop.write(
        "A1;Ada;Germany;2026-01-15;42,00", header="Order;First;Land;Date;Total".replace(";", ";")
    )
    mapping = tmp_path / "m.toml"
    mapping.write_text(
        'order_prefix = "T-"\n[columns]\n'
        'order_id = {columns = ["Order"]}\nfirst_name = {columns = ["First"]}\n'
        'country = {columns = ["Land"]}\norder_date = {columns = ["Date"]}\n'
        'price = {columns = ["Total"]}\nstart_issue = {constant = "1"}\n'
        'length = {constant = "4"}\n'
    )
    assert shop.run("--mapping", str(mapping), "--save-mapping", "till")["imported"] == 1
    assert shop.run("--mapping", "till")["skipped"] == 1
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    assert "Saved mappings: `till`" in shop.masthead(words, "--mapping", "no", code=1).said
    assert "either" in shop.masthead(words, "--mapping", "no", "--preset", "subsail", code=1).said


def test_presets_are_listed_without_an_account(masthead: CommandLine) -> None:
    names = [each["name"] for each in masthead("imports presets --json").json["items"]]
    assert names[:3] == ["woocommerce-subscriptions", "woocommerce-orders", "shopify-orders"]
    assert names[-1] == "masthead"


def test_an_import_that_died_can_be_undone(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.write(row("A1"))

    async def die(*args: object, **options: object) -> None:
        raise OSError("The machine was switched off.")

    with monkeypatch.context() as patch:
        patch.setattr("masthead.services.imports.work.run_batch.release", die)
        words = f"import --account {shop.account} --source {shop.source} {shop.path}"
        assert "switched off" in shop.masthead(words, code=1).said
    assert imports(shop, "list")["items"][0]["status"] == "running"
    monkeypatch.setattr("masthead.store.background.leases.take_lease", always)  # as after a minute
    listed = imports(shop, "list")["items"][0]
    assert (listed["status"], listed["imported"]) == ("failed", 1)
    assert imports(shop, "undo 1")["undone"] == 1


async def always(*args: object, **options: object) -> bool:
    return True
