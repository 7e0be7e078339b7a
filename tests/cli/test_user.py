"""`masthead user`: people let into an account, and listed."""

from tests.cli.conftest import CommandLine


def test_add_prints_the_user(masthead: CommandLine) -> None:
    account = masthead.account()
    made = masthead(f"user add --account {account} --email bob@acme.test --json").json
    assert made.pop("id")
    assert made == {"email": "bob@acme.test", "account": account}


def test_list_tells_owner_and_staff(masthead: CommandLine) -> None:
    account = masthead.account()
    masthead(f"user add --account {account} --email cleo@acme.test")
    users = masthead(f"user list --account {account} --json").json["items"]
    assert [(user["email"], user["role"]) for user in users] == [
        ("ann@acme.test", "owner"),
        ("cleo@acme.test", "staff"),
    ]
    lines = masthead(f"user list --account {account}").out.splitlines()
    assert [line.split()[1:] for line in lines[1:]] == [
        ["ann@acme.test", "owner"],
        ["cleo@acme.test", "staff"],
    ]


def test_adding_somebody_again_in_other_case_changes_nothing(masthead: CommandLine) -> None:
    account = masthead.account()
    first = masthead(f"user add --account {account} --email bob@acme.test --json").json
    again = masthead(f"user add --account {account} --email Bob@ACME.test --json").json
    assert again["id"] == first["id"]
    assert len(masthead(f"user list --account {account} --json").json["items"]) == 2


def test_one_person_may_be_in_two_accounts(masthead: CommandLine) -> None:
    accounts = [masthead.account(), masthead.account()]
    ids = {
        masthead(f"user list --account {account} --json").json["items"][0]["id"]
        for account in accounts
    }
    assert len(ids) == 1


def test_what_is_no_address_is_refused(masthead: CommandLine) -> None:
    account = masthead.account()
    ended = masthead(f"user add --account {account} --email bob", code=1)
    assert "`email` is `bob`" in ended.said


def test_an_unknown_account_is_refused(masthead: CommandLine) -> None:
    assert "nowhere" in masthead("user list --account nowhere", code=1).said
