"""`masthead subscriber`: export everything, erase, and erase again after a restore."""

import io
import json
import sys
from pathlib import Path

import pytest

from masthead.store.engine.interface import Transaction, sqlite_path
from masthead.store.engine.sqlite import database
from masthead.store.privacy import erase
from tests.cli.conftest import CommandLine, use_database
from tests.support.privacy import has_trace

HEADER = (
    "order_id,email,first_name,last_name,address1,postcode,country,start_issue,length,order_date,"
    "price"
)
EMAIL = "zebedee@quuxley.test"
OTHERS = 150


@pytest.fixture
def own(bare: CommandLine, scratch_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line on a database of its own."""
    use_database(monkeypatch, scratch_url)
    return bare


def filled(masthead: CommandLine, tmp_path: Path) -> tuple[str, str]:
    """An account with subscribers, and the words that import them."""
    account = masthead.account()
    masthead(f"issue create --account {account} --number 1")
    rows = [
        f"A{n},a{n}@example.test,Anna,Ek{n},Street {n},1000{n},SE,1,1,2026-01-15,42.00"
        for n in range(OTHERS)
    ]
    mine = f"Z,{EMAIL},Zebedee,Quuxley,Xylophonweg 7,99999,DE,1,1,2026-01-15,42.00"
    rows.insert(OTHERS // 2, mine)
    file = tmp_path / "rows.csv"
    file.write_text("\n".join([HEADER, *rows]))
    words = f"import --account {account} --source {masthead.source(account)}"
    masthead(words, str(file))
    return account, f"{words} {file}"


def traces_in(url: str) -> list[str]:
    """The files of a SQLite database that contain the name or the address."""
    path = sqlite_path(url)
    found = []
    for file in path.parent.glob(f"{path.name}*"):
        content = file.read_bytes().lower()
        found += [
            f"{file.name}: {each}" for each in ("quuxley", "xylophon") if each.encode() in content
        ]
    return found


async def overwrite_nothing(_tx: Transaction) -> None:
    """Deleted content stays in the file."""


def test_no_byte_of_the_database_says_who_was_erased(
    own: CommandLine, scratch_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, again = filled(own, tmp_path)
    shown = own(f"subscriber export --account {account} {EMAIL} --json").json
    assert shown["subscriptions"][0]["last_name"] == "Quuxley"
    if scratch_url.startswith("sqlite"):
        assert traces_in(scratch_url)
        # the control: without the protections, the file still has the name
        with monkeypatch.context() as patched:
            patched.setattr(database, "clean_files", lambda path: None)
            patched.setattr(erase, "begin_overwriting", overwrite_nothing)
            own(f"subscriber erase --account {account} {EMAIL}")
            assert traces_in(scratch_url)
        own(f"subscriber erase --account {account} {EMAIL}")
        assert traces_in(scratch_url) == []
    else:
        own(f"subscriber erase --account {account} {EMAIL}")
    own("check")
    counts = own(f"{again} --json").json
    assert (counts["read"], counts["imported"]) == (OTHERS + 1, 0)
    assert "Quuxley" not in own(f"subscriber export --account {account} {EMAIL} --json").out


def test_the_export_writes_a_document_and_json(masthead: CommandLine, tmp_path: Path) -> None:
    account, _words = filled(masthead, tmp_path)
    ask = f"subscriber export --account {account} {EMAIL}"
    html, data = masthead(ask, "--output", str(tmp_path / "out")).out.splitlines()
    assert "Xylophonweg 7" in Path(html).read_text()
    assert json.loads(Path(data).read_text())["email"] == EMAIL
    one = tmp_path / "zebedee.json"
    assert masthead(ask, "--output", str(one), "--json").json["files"] == [str(one)]
    assert one.is_file()


def test_the_export_of_somebody_erased_says_so_and_names_nobody(
    masthead: CommandLine, tmp_path: Path
) -> None:
    account, _words = filled(masthead, tmp_path)
    masthead(f"subscriber erase --account {account} {EMAIL} --yes")
    told = masthead(f"subscriber export --account {account} {EMAIL}", "--output", str(tmp_path))
    assert "This subscriber was erased on" in told.err
    for written in told.out.splitlines():
        text = Path(written).read_text().lower()
        for word in ("zebedee", "quuxley", "xylophon", "99999"):
            assert not has_trace(text, word)
    said = masthead(f"subscriber export --account {account} {EMAIL} --json").json
    assert (said["name"], said["email"], len(said["orders"])) == ("Erased", None, 1)


def test_an_unknown_subscriber_is_named(masthead: CommandLine) -> None:
    account = masthead.account()
    for command in ("export", "erase"):
        for asked in ("nobody@example.test", "a" * 300):
            said = masthead(f"subscriber {command} --account {account} {asked}", code=1).said
            assert "Acme has no subscriber `" in said


def test_the_erasure_says_what_was_kept_and_why(masthead: CommandLine, tmp_path: Path) -> None:
    account, _words = filled(masthead, tmp_path)
    ask = f"subscriber erase --account {account} {EMAIL}"
    assert "Cancel the subscriptions first" in masthead(f"{ask} --no-cancel", code=1).said
    record = masthead(f"{ask} --yes --json").json
    kept = {each["kind"]: each for each in record["kept"]}
    assert kept["orders"]["count"] == 1
    assert "accounts must be kept" in kept["orders"]["why"]
    assert len(record["cancelled"]) == 1
    said = masthead(ask).out
    assert said.startswith(f"Erased: {record['subscriber']}. Kept, without the person:")


def test_the_erasure_asks_on_a_terminal(
    masthead: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    account, _words = filled(masthead, tmp_path)
    ask = f"subscriber erase --account {account} {EMAIL}"
    monkeypatch.setattr(sys, "stdin", Terminal("no\n"))
    said = masthead(ask, code=1).said
    assert "Subscriptions that are cancelled: 1" in said
    assert "Nothing was changed." in said
    monkeypatch.setattr(sys, "stdin", Terminal("erase\n"))
    masthead(ask)
    monkeypatch.setattr(sys, "stdin", Terminal("erase\n"))
    assert "Subscriptions that" not in masthead(ask).said


def test_erasures_are_applied_again(masthead: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "erasures.json"
    assert "There is no file" in masthead(f"subscriber reapply {file}", code=1).said
    file.write_text('{"accounts": []}')
    assert masthead(f"subscriber reapply {file} --json").json == {"erased": 0}


def test_texts_that_an_erasure_leaves_are_printed(own: CommandLine, tmp_path: Path) -> None:
    account, _ = filled(own, tmp_path)
    source = own.source(account)
    own(f"source rename --account {account} {source} --name", "Shop of Quuxley")
    erased = own(f"subscriber erase --account {account} {EMAIL} --json").json
    (left,) = erased["named_elsewhere"]
    assert left == {"where": "Name of a source", "id": source, "text": "Shop of Quuxley"}
