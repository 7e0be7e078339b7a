"""Emails by SMTP: their headers, and the meaning of an email server's responses."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8, Policy, compat32
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult
from aiosmtplib.email import extract_recipients, extract_sender
from hypothesis import given, strategies as st

from masthead.mail import UNANSWERED, SendFailed, compose, require_own_headers
from masthead.model.email_retries import LONGEST_WAIT, MAX_ATTEMPTS, retry_delay
from tests.support.cases import for_each
from tests.support.mailbox import Mailbox, open_mailbox
from tests.support.ports import reserved_port

ID = "<00001abc@acme.placeholder.example>"


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    """An email server."""
    async with open_mailbox() as opened:
        yield opened


def email(**fields: Any) -> EmailMessage:
    """An email with some fields changed."""
    usual = {
        "sender": "Acme <hello@acme.test>",
        "recipient": "ada@example.test",
        "subject": "Welcome",
        "body": "Dear Ada\n",
        "message_id": ID,
    }
    return compose(**{**usual, **fields})


async def failure(
    mailbox: Mailbox, *, message: EmailMessage | None = None, **options: Any
) -> SendFailed:
    """The error when an email cannot be sent."""
    with pytest.raises(SendFailed) as failed:
        await mailbox.mailer(**options).send(message or email())
    assert mailbox.emails == []
    return failed.value


async def test_an_email_arrives_unchanged(mailbox: Mailbox) -> None:
    text = "Dear Zoë,\n\nwelcome to 東京.\n.\nA line of one dot stands above.\n"
    await mailbox.mailer().send(email(subject="Willkommen, Zoë", body=text))
    (arrived,) = mailbox.emails
    assert arrived["From"] == "Acme <hello@acme.test>"
    assert arrived["To"] == "ada@example.test"
    assert arrived["Subject"] == "Willkommen, Zoë"
    assert arrived["Message-ID"] == ID
    assert arrived["Date"]
    assert arrived["Auto-Submitted"] == "auto-generated"  # RFC 3834
    assert arrived["X-Auto-Response-Suppress"] == "OOF, AutoReply"  # of Microsoft Exchange
    assert arrived.get_content().replace("\r\n", "\n") == text
    assert mailbox.envelopes == [("hello@acme.test", ["ada@example.test"])]


@pytest.mark.parametrize(
    "recipient",
    ["zoë@example.test", "ada@bücher.test", "a.b+c@example.test", "o'neil@example.test"],
)
async def test_an_unusual_address_works(mailbox: Mailbox, recipient: str) -> None:
    await mailbox.mailer().send(email(recipient=recipient))
    ((_, recipients),) = mailbox.envelopes
    assert recipients in ([recipient], ["ada@xn--bcher-kva.test"])


@for_each(
    "recipient",
    [
        "ada@x.test, eve@y.test",
        "ada@x.test;eve@y.test",
        "Eve <eve@y.test> ada@x.test",
        "<eve@y.test>ada@x.test",
        "ada@x.test (eve@y.test)",
        "all:ada@x.test,eve@y.test;",
        "",
        "@",
    ],
)
def test_an_email_goes_to_one_address(recipient: str) -> None:
    with pytest.raises(ValueError, match="is not one email address"):
        email(recipient=recipient)


async def test_a_server_without_smtputf8_gets_international_domains() -> None:
    async with open_mailbox(enable_SMTPUTF8=False) as mailbox:
        await mailbox.mailer().send(
            email(recipient="ada@bücher.test", sender="Straße <hello@straße.test>")
        )
        assert mailbox.envelopes == [("hello@xn--strae-oqa.test", ["ada@xn--bcher-kva.test"])]
        (arrived,) = mailbox.emails
        assert arrived["To"] == "ada@xn--bcher-kva.test"
        assert arrived["From"] == "Straße <hello@xn--strae-oqa.test>"


@for_each(
    "sender, name",
    [
        ("hello@acme.test", ""),
        ("Acme (Books) <hello@acme.test>", "Acme (Books)"),
        ("Kock\\Arne <hello@acme.test>", "Kock\\Arne"),
        ('"Acme, Inc." <hello@acme.test>', "Acme, Inc."),
        ('"Acme: [News] a@b; c" <hello@acme.test>', "Acme: [News] a@b; c"),
        ('"The \\"A\\"" <hello@acme.test>', 'The "A"'),
        ('"Zoë, Verlag (Köln)" <hello@acme.test>', "Zoë, Verlag (Köln)"),
    ],
)
def test_the_name_of_a_sender_arrives_and_the_address_stays_one(sender: str, name: str) -> None:
    composed = email(sender=sender)
    assert extract_sender(composed) == "hello@acme.test"  # for MAIL FROM
    (arrived,) = message_from_bytes(bytes(composed), policy=SMTP)["From"].addresses
    assert (arrived.display_name, arrived.addr_spec) == (name, "hello@acme.test")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x0b", "\x85", "\u2028", "\n\n", "\r\n\t"])
async def test_line_breaks_in_a_subject_do_not_start_a_header(mailbox: Mailbox, end: str) -> None:
    subject = f"Hello Ada{end}Bcc: everybody@example.test{end}{end}body"
    await mailbox.mailer().send(email(subject=subject))
    (arrived,) = mailbox.emails
    assert arrived["Subject"] == "Hello Ada Bcc: everybody@example.test body"
    assert arrived["Bcc"] is None
    assert mailbox.envelopes[0][1] == ["ada@example.test"]


# Encoded words, controls and folded lines that would become headers, a body or other characters
TRICKS = st.sampled_from(
    [
        "=?utf-8?q?=0d=0aReply-To:_eve=40evil.test?=",
        "=?utf-8?b?DQpCY2M6IGV2ZUBldmlsLnRlc3QNCg0KYm9keQ==?=",
        *(
            "=?",
            "?=",
            "=??b??=",
            "=?utf-8?q?",
            "\r\n ",
            "\n\t",
            "\0",
            "\x1b",
            "\x7f",
            "\x85",
            "\u2028",
        ),
        *("Reply-To: eve@evil.test", "<", ">", '"', ",", ";", ":", "\\", "(", ")", "\ud7ff"),
    ]
)
WORDS = st.lists(st.text(max_size=8) | TRICKS, max_size=6).map("".join)


@pytest.mark.fuzz
@given(subject=WORDS, recipient=st.just("ada") | WORDS, link=WORDS)
def test_no_text_becomes_a_header_or_changes(subject: str, recipient: str, link: str) -> None:
    try:
        composed = email(
            subject=subject, recipient=f"{recipient}@p.test", unsubscribe_url=f"https://{link}"
        )
    except ValueError:
        return  # it is not sent
    assert len(extract_recipients(composed)) == 1
    for policy in (SMTP, SMTPUTF8) if recipient.isascii() else (SMTPUTF8,):
        content = composed.as_bytes(policy=policy)
        arrived = message_from_bytes(content, policy=compat32)
        names = {"From", "To", "Subject", "Date", "Message-ID", "MIME-Version"}
        names |= {"Content-Type", "Content-Transfer-Encoding", *UNANSWERED}
        assert set(arrived.keys()) - {"List-Unsubscribe", "List-Unsubscribe-Post"} == names
        text = str(make_header(decode_header(arrived["Subject"])))
        assert text == " ".join(subject.split())
        assert arrived.get_payload() == "Dear Ada\r\n"


@pytest.mark.parametrize("field", ["subject", "recipient", "sender"])
def test_an_encoded_word_stays_the_text_that_it_is(field: str) -> None:
    word = "=?utf-8?q?=0d=0aReply-To:_eve=40evil.test=0d=0a=0d=0abody?="
    given = {"subject": word, "recipient": f"{word}@p.test", "sender": f"{word} <a@acme.test>"}
    try:
        content = email(**{field: given[field]}).as_bytes(policy=SMTPUTF8)
    except ValueError:
        assert field in ("recipient", "sender")  # which Python decodes
        return
    assert b"eve@evil" not in content
    assert message_from_bytes(content, policy=compat32)["Reply-To"] is None


def test_without_the_check_of_the_bytes_a_sender_adds_a_header(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    message = email()
    monkeypatch.setattr(message, "_headers", [("Subject", Raw("x\r\nReply-To: eve@evil.test"))])
    with pytest.raises(ValueError, match="header of its own"):
        require_own_headers(message)


class Raw(str):
    """A header whose text Python writes as it is."""

    name = "Subject"

    def fold(self, *, policy: Policy) -> str:
        """The line, with what stands in the text."""
        return f"Subject: {self}{policy.linesep}"


async def test_a_very_long_subject_is_folded_but_complete(mailbox: Mailbox) -> None:
    subject = "Zoë " * 300
    await mailbox.mailer().send(email(subject=subject))
    assert mailbox.emails[0]["Subject"] == subject.strip()


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["RCPT", "DATA"])
@pytest.mark.parametrize("answer", ["550 no such user", "554 we do not like it", "501 what?"])
async def test_a_permanently_refused_email_is_not_retried(
    mailbox: Mailbox, step: str, answer: str
) -> None:
    mailbox.answers[step] = answer
    failed = await failure(mailbox)
    assert failed.is_final is True
    assert answer[4:] in str(failed)


@pytest.mark.parametrize("step", ["MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize("answer", ["450 later", "421 closing", "452 full"])
async def test_a_temporarily_refused_email_is_retried(
    mailbox: Mailbox, step: str, answer: str
) -> None:
    mailbox.answers[step] = answer
    failed = await failure(mailbox)
    assert failed.is_final is False
    assert answer[4:] in str(failed)


async def test_a_refused_sender_is_retried(mailbox: Mailbox) -> None:
    mailbox.answers["MAIL"] = "550 who are you?"
    assert (await failure(mailbox)).is_final is False


async def test_a_refused_login_is_retried() -> None:
    def refuse(*_: object) -> AuthResult:
        return AuthResult(success=False, handled=False)

    async with open_mailbox(authenticator=refuse, auth_require_tls=False) as mailbox:
        failed = await failure(mailbox, user="ada", password="wrong")
    assert failed.is_final is False
    assert "535" in str(failed)


async def test_with_a_correct_login_the_email_is_sent() -> None:
    seen = []

    def accept(
        _server: object, _session: object, _envelope: object, _how: str, who: Any
    ) -> AuthResult:
        seen.append((who.login, who.password))
        return AuthResult(success=True)

    async with open_mailbox(authenticator=accept, auth_require_tls=False) as mailbox:
        await mailbox.mailer(user="ada", password="Zoë's").send(email())
        assert len(mailbox.emails) == 1
    assert seen == [(b"ada", "Zoë's".encode())]


async def test_a_server_without_login_is_retried(mailbox: Mailbox) -> None:
    assert (await failure(mailbox, user="ada", password="x")).is_final is False


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_nothing_is_sent_unencrypted_to_a_server_without_tls(
    mailbox: Mailbox, security: str
) -> None:
    assert (await failure(mailbox, security=security)).is_final is False


async def test_an_unreachable_server_is_retried(mailbox: Mailbox) -> None:
    with reserved_port() as port:
        for options in ({"port": port}, {"host": "no.such.host.test"}):
            assert (await failure(mailbox, **options)).is_final is False


@pytest.mark.parametrize(
    "greeting",
    [
        *(b"", b"220 hello\r\n", b"554 go away\r\n", b"HTTP/1.1\r\n"),
        *(b"\xff\xfe\0\r\n", b"999 x\r\n", b"\r\n", b"x" * 100_000, b"220-x\r\n" * 20_000),
    ],
    ids=lambda greeting: repr(greeting[:8]),
)
async def test_a_server_that_disconnects_is_retried(mailbox: Mailbox, greeting: bytes) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        if greeting.startswith(b"2"):
            await reader.readline()
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert (await failure(mailbox, port=port)).is_final is False


# --- patience -------------------------------------------------------------------------------------


def test_an_email_is_tried_for_five_days_and_later_with_long_pauses() -> None:
    """RFC 5321, 4.5.4.1: for at least four to five days; at least 30 minutes apart."""
    delays = [retry_delay(failures) for failures in range(1, MAX_ATTEMPTS + 1)]
    minutes = [delay / timedelta(minutes=1) for delay in delays if delay is not None]
    assert minutes[:9] == [1, 2, 4, 8, 16, 32, 64, 128, 240]
    assert set(minutes[8:]) == {240}
    assert timedelta(days=5) <= timedelta(minutes=sum(minutes)) < timedelta(days=5, hours=1)
    assert max(minutes) < LONGEST_WAIT / timedelta(minutes=1)  # which means a wrong clock
    assert delays[-1] is None


@pytest.mark.parametrize(
    "options",
    [
        {"host": "no..such.host.test"},  # which Python refuses to look up
        {"host": "no.such.host.test"},
        {"security": "starttls"},
        {"user": "ada", "password": "x"},
    ],
)
async def test_a_server_that_lets_nobody_in_has_not_seen_the_email(
    mailbox: Mailbox, options: dict[str, Any]
) -> None:
    failed = await failure(mailbox, **options)
    assert (failed.is_final, failed.is_away, failed.is_general) == (False, True, True)


@pytest.mark.parametrize(
    "step, answer, is_general",
    [
        ("MAIL", "550 not your address", True),
        ("MAIL", "452 disk full", True),
        ("RCPT", "421 closing", True),
        ("DATA", "421 closing", True),
        ("RCPT", "450 greylisted", False),
        ("RCPT", "550 no such user", False),
        ("DATA", "452 mailbox full", False),
    ],
)
async def test_what_a_server_says_about_one_email_is_not_said_about_all(
    mailbox: Mailbox, step: str, answer: str, *, is_general: bool
) -> None:
    mailbox.answers[step] = answer
    failed = await failure(mailbox)
    assert (failed.is_general, failed.is_away) == (is_general, False)


async def test_an_email_that_is_too_large_is_given_up(mailbox: Mailbox) -> None:
    """The server says so to MAIL FROM, which has the size, and each attempt would have it."""
    mailbox.answers["MAIL"] = "552 5.3.4 message too big"
    failed = await failure(mailbox)
    assert (failed.is_final, failed.is_general) == (True, False)


async def test_an_address_that_the_server_cannot_write_is_given_up() -> None:
    async with open_mailbox(enable_SMTPUTF8=False) as mailbox:
        failed = await failure(mailbox, message=email(recipient="zoë@example.test"))
    assert (failed.is_final, failed.is_general) == (True, False)
