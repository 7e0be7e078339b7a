"""`masthead source`: create, list, rename and deactivate sources."""

import pytest

from tests.cli.conftest import CommandLine


@pytest.mark.parametrize("type", ["shop", "import", "checkout"])
def test_create_prints_the_source(masthead: CommandLine, type: str) -> None:
    account = masthead.account()
    made = masthead(f"source create --account {account} --name Shop --type {type} --json").json
    assert made.pop("id")
    assert made == {"name": "Shop", "type": type, "is_active": True}


def test_an_unknown_type_is_a_usage_error(masthead: CommandLine) -> None:
    account = masthead.account()
    ended = masthead(f"source create --account {account} --name Shop --type shpo", code=2)
    assert 'Did you mean "shop"?' in ended.said
    assert masthead(f"source list --account {account} --json").json == {"items": []}


def test_an_empty_name_is_refused(masthead: CommandLine) -> None:
    account = masthead.account()
    ended = masthead(f"source create --account {account} --type shop", "--name= ", code=1)
    assert "`name` is empty" in ended.said


def test_the_list_is_sorted_newest_first_and_has_all_pages(masthead: CommandLine) -> None:
    account = masthead.account()
    ids = [masthead.source(account) for _ in range(3)]
    listed = masthead(f"source list --account {account} --json").json["items"]
    assert [source["id"] for source in listed] == sorted(ids, reverse=True)
    lines = masthead(f"source list --account {account}").out.splitlines()
    assert lines[0].split() == ["id", "name", "type", "is_active"]
    assert [line.split()[0] for line in lines[1:]] == sorted(ids, reverse=True)


def test_rename_prints_the_source(masthead: CommandLine) -> None:
    account = masthead.account()
    id = masthead.source(account)
    (before,) = masthead(f"source list --account {account} --json").json["items"]
    renamed = masthead(f"source rename --account {account} {id} --name Kiosk --json").json
    assert renamed == {**before, "name": "Kiosk"}
    assert masthead(f"source list --account {account} --json").json["items"] == [renamed]
    assert "Kiosk" in masthead(f"source rename --account {account} {id} --name Kiosk").out


def test_rename_refuses_an_empty_name(masthead: CommandLine) -> None:
    account = masthead.account()
    ended = masthead(
        f"source rename --account {account} {masthead.source(account)}", "--name= ", code=1
    )
    assert "`name` is empty" in ended.said


def test_deactivate_can_be_repeated(masthead: CommandLine) -> None:
    account = masthead.account()
    id = masthead.source(account)
    for _ in range(2):
        ended = masthead(f"source deactivate --account {account} {id}")
        assert ended.out == ""
        assert id in ended.said
    (source,) = masthead(f"source list --account {account} --json").json["items"]
    assert source["is_active"] is False


def test_activate_can_be_repeated(masthead: CommandLine) -> None:
    account = masthead.account()
    id = masthead.source(account)
    masthead(f"source deactivate --account {account} {id}")
    for _ in range(2):
        assert id in masthead(f"source activate --account {account} {id}").said
    (source,) = masthead(f"source list --account {account} --json").json["items"]
    assert source["is_active"] is True


def test_a_source_of_another_account_counts_as_unknown(masthead: CommandLine) -> None:
    account, other = masthead.account(), masthead.account()
    id = masthead.source(other)
    assert id in masthead(f"source deactivate --account {account} {id}", code=1).said
    assert id in masthead(f"source activate --account {account} {id}", code=1).said
    assert id in masthead(f"source rename --account {account} {id} --name X", code=1).said
    (source,) = masthead(f"source list --account {other} --json").json["items"]
    assert source["is_active"] is True
