"""`masthead payments`."""

from pathlib import Path

from tests.cli.conftest import CommandLine

FILES = Path("tests/files/bank")


def test_a_statement_is_imported_once(masthead: CommandLine) -> None:
    account = masthead.account()
    line = f"payments import --account {account} --json"
    done = masthead(line, str(FILES / "camt_02.xml")).json
    assert (done["lines"], done["new"], done["returns"], done["open"]) == (4, 4, 1, 4)
    again = masthead(line, str(FILES / "camt_02.xml"))
    assert (again.json["is_known"], again.json["new"], again.json["open"]) == (True, 0, 4)
    assert "was imported before" in again.said
    other = masthead(f"{line} --confirm", str(FILES / "mt940_german.sta")).json
    assert (other["new"], other["known"], other["confirmed"], other["open"]) == (1, 2, 0, 5)


def test_a_statement_that_cannot_be_used_is_refused(masthead: CommandLine, tmp_path: Path) -> None:
    account = masthead.account()
    line = f"payments import --account {account}"
    assert "There is no file" in masthead(line, str(tmp_path / "none.xml"), code=1).said
    cut = tmp_path / "cut.xml"
    cut.write_bytes((FILES / "camt_02.xml").read_bytes()[:1500])
    refused = masthead(line, str(cut), code=1)
    assert "part of it is missing" in refused.said
    other = masthead.account("CHF")
    line = f"payments import --account {other}"
    assert "is in EUR, and this account is in CHF" in (
        masthead(line, str(FILES / "camt_02.xml"), code=1).said
    )
