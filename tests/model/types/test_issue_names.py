"""Names of issues that only repeat their number, and names of their own."""

from masthead.model.types.issue_names import default_name, own_name, shown_name


def test_the_default_name_of_an_issue_is_not_its_own() -> None:
    assert default_name(12) == "Issue 12"
    assert own_name("Issue 12", 12) == ""
    assert shown_name("Issue 12", 12) == "Issue 12"


def test_a_name_that_somebody_typed_is_shown_as_it_is() -> None:
    assert own_name("Winter", 12) == shown_name("Winter", 12) == "Winter"
    assert own_name("Issue 12", 13) == shown_name("Issue 12", 13) == "Issue 12"
