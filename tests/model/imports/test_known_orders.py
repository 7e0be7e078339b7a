"""What rows say about their subscribers, as digests."""

from masthead.model.imports.known_orders import said_digest
from masthead.model.privacy.digests import PersonDetails


def test_the_email_counts_and_otherwise_the_name_and_the_street() -> None:
    ada = PersonDetails(first_name="Ada", last_name="Byron", address1="1 Square", postcode="1 A")
    other = PersonDetails(first_name="ADA", last_name="byron", address1="1 square", postcode="1a")
    assert said_digest(ada) == said_digest(other)
    first = PersonDetails(email="ada@example.test", first_name="Ada")
    assert said_digest(first) == said_digest(PersonDetails(email="Ada@Example.test"))
    assert said_digest(first) != said_digest(ada)


def test_nothing_has_no_digest() -> None:
    assert said_digest(PersonDetails()) is None
