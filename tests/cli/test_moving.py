"""`masthead copy-database`, `masthead backup` and `masthead restore`."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from masthead.services.moving.restores import Restored
from masthead.store.engine.moving.base_backups import BaseBackup
from tests.cli.conftest import CommandLine


def test_a_copy_is_printed_and_never_repeated_over_data(
    alone: CommandLine, scratch_url: str, tmp_path: Path
) -> None:
    alone.account()
    target = f"sqlite:///{tmp_path / 'copy.db'}"
    ended = alone(f"copy-database {scratch_url} {target} --json")
    assert ended.json["is_current"]
    assert ended.json["rows"] > 0
    assert "The copy is complete" in ended.err
    again = alone(f"copy-database {scratch_url} {target}", code=1)
    assert "has 1 account. Copy into a new file" in again.err


def test_a_copy_says_what_it_lacks(
    alone: CommandLine, scratch_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lacks_something(*_: object) -> bool:
        return False

    monkeypatch.setattr("masthead.services.moving.database_copies.sum_writes", lacks_something)
    monkeypatch.setattr("masthead.services.moving.database_copies._compare", lacks_something)
    counts = iter([1, 2])

    async def sum_more(_: object) -> int:
        return next(counts)

    monkeypatch.setattr("masthead.services.moving.database_copies.sum_writes", sum_more)
    ended = alone(f"copy-database {scratch_url} sqlite:///{tmp_path / 'copy.db'}", code=1)
    assert "those changes are not in the copy" in ended.err
    assert "lacks the extension `pg_trgm`" in ended.err


def test_backups_are_made_verified_removed_and_restored(
    alone: CommandLine, tmp_path: Path, scratch_url: str
) -> None:
    alone.account()
    first = alone(f"backup {tmp_path / 'all'} --json")
    assert first.json["is_verified"] is None
    assert "It counts once it was restored beside" in first.err
    assert alone(f"backup {tmp_path / 'all'} --verify --newest --json").json["is_verified"]
    second = alone(f"backup {tmp_path / 'all'} --verify --keep 1 --json")
    assert (second.json["is_verified"], second.json["removed"]) == (True, 1)

    other = alone(f"restore {tmp_path / 'all'}", code=1)
    assert "has 1 account. `--yes` replaces that" in other.err
    restored = alone(f"restore {tmp_path / 'all'} --yes --json")
    assert restored.json["backup"] == second.json["backup"]
    assert "The backup is restored" in restored.err


def damage(backup: Path) -> Path:
    """Change some bytes of the data of a backup; its file."""
    data = next(backup.glob("masthead.d*"))
    data.write_bytes(b"rot" + data.read_bytes()[3:])
    return data


def test_a_damaged_backup_is_reported_and_the_newest_sound_one_is_named(
    alone: CommandLine, tmp_path: Path
) -> None:
    old = Path(alone(f"backup {tmp_path} --json").json["backup"])
    data = damage(old)
    ended = alone(f"backup {tmp_path} --verify", code=1)
    (new,) = set(tmp_path.glob("20*")) - {old}
    assert f"`{data}` is damaged" in ended.err
    assert f"The newest sound backup is `{new}`." in ended.err

    newest = Path(alone(f"backup {tmp_path} --json").json["backup"])
    data = damage(newest)
    named = f"`{data}` is damaged: its SHA-256 is not the one in `manifest.json`. The newest sound "
    for words in ("backup {} --verify --newest", "restore {} --yes"):
        assert f"{named}backup is `{new}`." in alone(words.format(tmp_path), code=1).err
    (newest / "manifest.json").write_text("{")
    for words in ("backup {} --verify --newest", "restore {} --yes"):
        ended = alone(words.format(tmp_path), code=1)
        assert f"`{newest}/manifest.json` cannot be read: " in ended.err
        assert f"The newest sound backup is `{new}`." in ended.err
    damage(new)
    ended = alone(f"restore {newest} --yes", code=1)
    assert f"No other backup in `{tmp_path}` is known to be sound." in ended.err


@pytest.mark.parametrize(
    "options,problem",
    [
        ("--newest", "need `--verify`"),
        ("--keep 3", "need `--verify`"),
        ("--verify --keep 0", "at least 1"),
    ],
)
def test_options_without_verification_are_refused(
    alone: CommandLine, tmp_path: Path, options: str, problem: str
) -> None:
    assert problem in alone(f"backup {tmp_path} {options}", code=1).err


def test_a_restore_says_what_it_holds_back_and_what_is_wrong(
    alone: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def one_rule(url: str) -> str:
        return "acme: a rule: 1"

    async def three_emails(*_: object) -> int:
        return 3

    alone(f"backup {tmp_path}")
    monkeypatch.setattr("masthead.services.moving.restores.find_broken_rule", one_rule)
    monkeypatch.setattr("masthead.services.moving.restores._hold_emails", three_emails)
    ended = alone(f"restore {tmp_path}", code=1)
    assert "Emails that waited in the backup, and may have been sent since then: 3." in ended.err
    assert "breaks a rule: acme: a rule: 1" in ended.err


@pytest.mark.parametrize(
    "text,problem",
    [
        ("yesterday", "`--at` is `yesterday`; expected a moment such as 2026-11-22T09:30:00Z"),
        ("0001-01-01T00:00:00+14:00", "expected a moment such as 2026-11-22T09:30:00Z"),
        ("2026-11-22T09:30:00", "has no time zone: add `Z` for UTC"),
    ],
)
def test_a_moment_has_a_time_zone(
    alone: CommandLine, tmp_path: Path, text: str, problem: str
) -> None:
    assert problem in alone(f"restore {tmp_path} --at {text}", code=1).err


@pytest.mark.parametrize(
    "url,reason",
    [
        ("postgresql://ann:s3cret@127.0.0.1:1/masthead", "PostgreSQL (`127.0.0.1:1/masthead`): "),
        ("sqlite:////no/such/folder/masthead.db", "`/no/such/folder/masthead.db`: The folder"),
        ("sqlite:///{folder}/masthead.db", "`{folder}/masthead.db`: There is no database."),
    ],
)
def test_a_restore_elsewhere_does_not_need_the_database_of_the_settings(
    alone: CommandLine,
    scratch_url: str,
    empty_database: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    url: str,
    reason: str,
) -> None:
    alone(f"backup {tmp_path / 'all'}")
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", url.format(folder=tmp_path))
    target = empty_database()
    ended = alone(f"restore {tmp_path / 'all'} --to {target} --json")
    assert f"not repeated: {reason.format(folder=tmp_path)}" in ended.err
    assert "masthead subscriber reapply" in ended.err
    assert "s3cret" not in ended.out + ended.err
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", scratch_url)
    again = alone(f"restore {tmp_path / 'all'} --to {target} --yes --json")
    assert again.json["unread_erasures"] == ""
    assert "could not be read" not in again.err


def test_a_restore_names_the_database_that_it_needs(alone: CommandLine, tmp_path: Path) -> None:
    alone(f"backup {tmp_path}")
    backup = next(tmp_path.glob("20*/masthead.d*"))
    target = "postgresql://ann:s3cret@127.0.0.1:1/acme"
    name = "PostgreSQL (`127.0.0.1:1/acme`): "
    if backup.suffix == ".db":
        target, name = "sqlite:////no/such/folder/acme.db", "The folder `/no/such/folder`"
    assert name in alone(f"restore {tmp_path} --to {target}", code=1).err


def test_a_folder_that_does_not_exist_is_named(alone: CommandLine, scratch_url: str) -> None:
    for at in ("", " --at 2026-11-22T09:30:00Z"):
        for target in (scratch_url, "postgresql://ann@db/masthead"):
            ended = alone(f"restore /no/such/archive{at} --to {target}", code=1)
            assert "There is no folder `/no/such/archive`. Correct the path, or mount" in ended.err


def test_a_moment_that_is_later_than_asked_is_told(
    alone: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def restored(archive: str, at: datetime, url: str, **_: object) -> Restored:
        return Restored(archive, at + timedelta(seconds=2.999), 9, "", 0, "", 0, "", "")

    monkeypatch.setattr("masthead.cli.moving.restores.restore_moment", restored)
    ended = alone("restore /archive --at 2026-11-22T09:30:00Z --json")
    assert (ended.json["asked"], ended.json["moment"]) == (
        "2026-11-22T09:30:00Z",
        "2026-11-22T09:30:02.999000Z",
    )
    assert "You asked for 2026-11-22 09:30:00 UTC." in ended.err
    assert "The database of 2026-11-22 09:30:02.999000 UTC is restored" in ended.err


@pytest.mark.parametrize("year", [2026, 2999])  # the archive says what its last moment is
def test_a_moment_is_restored_and_named(
    alone: CommandLine, monkeypatch: pytest.MonkeyPatch, year: int
) -> None:
    moment = datetime(year, 11, 22, 8, 30, tzinfo=UTC)

    async def restored(archive: str, at: datetime, url: str, **_: object) -> Restored:
        assert at == moment
        return Restored(archive, at, 9, "", 0, "", 0, "", "")

    monkeypatch.setattr("masthead.cli.moving.restores.restore_moment", restored)
    ended = alone(f"restore s3://acme/masthead --at {year}-11-22T09:30:00+01:00 --json")
    assert ended.json["backup"] == "s3://acme/masthead"
    assert f"The database of {year}-11-22 08:30:00 UTC is restored" in ended.err
    assert "You asked for" not in ended.err


def test_a_base_backup_is_printed(
    alone: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = BaseBackup(
        database="masthead",
        role="masthead",
        major=15,
        segment="000000010000000000000001",
        segment_bytes=2**24,
        finished_at=datetime(2026, 11, 22, tzinfo=UTC),
        bytes=9,
        sha256="",
    )

    async def copied(url: str, archive: Path) -> tuple[Path, BaseBackup]:
        return archive / "base", made

    module = "masthead.cli.moving.base_backups"
    monkeypatch.setattr(f"{module}.make_base_backup", copied)
    monkeypatch.setattr(f"{module}.remove_base_backups", lambda archive, keep: (keep, 7))
    ended = alone(f"base-backup {tmp_path} --json")
    assert (ended.json["removed"], ended.json["bytes"]) == (0, 9)
    kept = alone(f"base-backup {tmp_path} --keep 2 --json").json
    assert (kept["removed"], kept["removed_log_files"]) == (2, 7)
    assert "at least 1" in alone(f"base-backup {tmp_path} --keep 0", code=1).err
