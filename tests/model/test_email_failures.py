"""Answers of mail servers in plain words."""

import pytest

from masthead.model.email_failures import failure_in_words


@pytest.mark.parametrize(
    "error, words",
    [
        (
            "An address containing non-ASCII characters was provided, but SMTPUTF8 is not "
            "supported by this server",
            "The mail server cannot send to an address with letters such as ß or ü before the @",
        ),
        ("550 5.1.1 <ada@example.test>: user unknown", "The mailbox does not exist"),
        (
            "[SMTPRecipientRefused(550, 'The email account that you tried to reach does not "
            "exist.', 'ada@example.test')]",
            "The mailbox does not exist",
        ),
        ("552 5.2.2 over quota", "The mailbox is full"),
        ("554 5.7.1 rejected", "The recipient’s mail server does not accept emails from you"),
        ("550 no", "The mail server refused the address"),
        ("553 5.1.3 bad address syntax", "The mail server refused the address"),
        ("451 try later", "The mail server could not be reached, or asked to try later"),
        ("Timed out connecting", "The mail server could not be reached, or asked to try later"),
        ("something new", ""),
    ],
)
def test_an_answer_of_a_mail_server_is_in_plain_words(error: str, words: str) -> None:
    assert failure_in_words(error) == words
