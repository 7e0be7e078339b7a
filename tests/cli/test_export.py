"""`masthead export`, and `masthead import` of its folder."""

import errno
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from masthead.services.exports import write
from tests.cli.conftest import CommandLine


def test_an_account_moves_by_two_commands(masthead: CommandLine, tmp_path: Path) -> None:
    old, new = masthead.account(), masthead.account()
    masthead(f"issue create --account {old} --number 7")
    told = masthead(f"export --account {old} {tmp_path}/out --json").json
    assert told["folder"] == f"{tmp_path}/out"
    assert told["rows"] > 3
    assert told["bytes"] > 1_000
    dry = masthead(f"import --account {new} {tmp_path}/out --dry-run --json")
    assert "Nothing was changed" in dry.err
    assert "7" not in masthead(f"issue list --account {new}").out
    ended = masthead(f"import --account {new} {tmp_path}/out --json")
    assert ended.json["imported"] > 3
    assert dry.json == ended.json
    assert "make new API keys" in ended.err
    assert "7" in masthead(f"issue list --account {new}").out


def test_who_was_erased_since_an_export_does_not_come_back(
    masthead: CommandLine, tmp_path: Path
) -> None:
    old, new = masthead.account(), masthead.account()
    masthead(f"issue create --account {old} --number 1")
    file = tmp_path / "rows.csv"
    file.write_text(
        "order_id,email,first_name,country,start_issue,length,order_date,price\n"
        "A,ann@example.test,Ann,DE,1,1,2026-01-15,42.00\n"
    )
    masthead(f"import --account {old} --source {masthead.source(old)} {file}")
    masthead(f"export --account {old} {tmp_path}/out")
    masthead(f"subscriber erase --account {old} ann@example.test --yes")
    words = f"import --account {new} {tmp_path}/out --erasures"
    assert "There is no file" in masthead(f"{words} {tmp_path}/nowhere.json", code=1).err
    empty = tmp_path / "erasures.json"
    empty.write_text('{"accounts": []}')
    told = masthead(f"{words} {empty}")
    assert "are erased again: 1." in told.err
    said = masthead(f"subscriber export --account {new} ann@example.test --json").json
    assert said["erased_at"]


def test_a_folder_with_files_is_refused(masthead: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = masthead(f"export --account {masthead.account()} {tmp_path}", code=1)
    assert "not an empty folder" in refused.err


def test_only_a_whole_export_needs_no_source(masthead: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").touch()
    refused = masthead(f"import --account {masthead.account()} {tmp_path}/orders.csv", code=1)
    assert "`--source` is missing" in refused.err


def test_a_full_disk_is_named_and_nothing_is_left(
    masthead: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = masthead.account()

    def flush(code: int, folder: Path) -> None:
        raise OSError(code, "no")

    for code, told in [(errno.ENOSPC, f"The disk of `{tmp_path}` is full"), (errno.EIO, "no")]:
        monkeypatch.setattr(write, "_flush", partial(flush, code))
        assert told in masthead(f"export --account {account} {tmp_path}/out", code=1).err
        assert not list(tmp_path.iterdir())


def test_a_folder_that_the_user_may_not_write_is_named_with_the_user(
    masthead: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, folder = masthead.account(), tmp_path / "exports"

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(write, "_flush", refuse)
    monkeypatch.setattr("masthead.cli.pwd.getpwuid", lambda _: SimpleNamespace(pw_name="carol"))
    told = masthead(f"export --account {name} {folder}/out", code=1).err
    assert told == (
        f"masthead: `{folder}`: Permission denied. The command runs as the user `carol`.\n"
    )

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr("masthead.cli.pwd.getpwuid", unknown)
    told = masthead(f"export --account {name} {folder}/out", code=1).err
    assert told.endswith(f"The command runs as the user `{os.geteuid()}`.\n")
