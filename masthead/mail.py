"""Compose emails and send them by SMTP."""

import re
from contextlib import suppress
from email.header import Header
from email.headerregistry import BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTPUTF8, Policy, default
from email.utils import format_datetime, getaddresses, localtime, parseaddr
from enum import Enum, auto
from typing import Any

import aiosmtplib
from msgspec import Struct

from masthead.model.types.email_addresses import with_ascii_domain

# Tells programs that answer by themselves, such as with a notice of absence, not to: RFC 3834, and
# Microsoft Exchange. Its value `All` would also suppress reports that an email was not delivered
UNANSWERED = {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "OOF, AutoReply"}

# Timeouts of RFC 5321, 4.5.3.2, except for connecting
CONNECT_SECONDS = 60.0
COMMAND_SECONDS = 300.0  # for each answer
DATA_SECONDS = 600.0  # for the answer to the final dot: whether the email is accepted
QUIT_SECONDS = 2.0

CLOSING, TOO_LARGE = 421, 552  # answers: "closing the connection", "more than I take"


class Attachment(Struct, frozen=True):
    """A file of an email."""

    name: str
    media_type: str
    content: bytes


class SendFailed(Exception):
    """An email was not accepted. is_final: a retry is useless.

    is_unknown: the server received the whole email but did not answer; it may have accepted it.
    is_general: other emails would probably fail too. is_away: the server was not reached, or did
    not let masthead in, so that it has not seen the email.
    """

    def __init__(
        self,
        reason: str,
        *,
        is_final: bool,
        is_unknown: bool = False,
        is_general: bool = False,
        is_away: bool = False,
    ) -> None:
        super().__init__(reason)
        self.is_final, self.is_unknown = is_final, is_unknown
        self.is_general, self.is_away = is_general or is_away, is_away


class Phase(Enum):
    """The phases of sending an email. It can be interrupted safely while connecting."""

    CONNECTING = auto()
    TRANSFERRING = auto()
    ACCEPTED = auto()


class Progress:
    """The progress of sending an email. has_begun: the server was told its sender."""

    def __init__(self) -> None:
        self.phase = Phase.CONNECTING
        self.has_begun = False


def domain_of(sender: str) -> str:
    """The domain of a sender such as `Acme <hello@acme.test>`, IDNA-encoded if possible."""
    domain = parseaddr(sender)[1].rpartition("@")[2]
    with suppress(UnicodeError):
        return domain.encode("idna").decode()
    return domain


class _LiteralHeader(UnstructuredHeader, BaseHeader):
    """A header in one line, exactly as it is given.

    Python would encode a long address, so that nothing could read it, and decode an encoded word in
    an address (`=?utf-8?q?=0aBcc:...?=`), so that it became further lines.
    """

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Take the text as it is."""
        kwds |= {"parse_tree": cls.value_parser(""), "decoded": value}

    def fold(self, *, policy: Policy) -> str:
        """The line of the header."""
        return f"{self.name}: {self}{policy.linesep}"


class _TextHeader(_LiteralHeader):
    """A header whose text arrives as it is given, even if it looks like an encoded word."""

    def fold(self, *, policy: Policy) -> str:
        """The lines of the header."""
        fits = all(len(word) <= MAX_WORD for word in self.split())
        is_plain = self.isascii() and "=?" not in self and fits
        charset = "us-ascii" if is_plain else "utf-8"
        text = Header(str(self), charset, header_name=self.name).encode(linesep=policy.linesep)
        return f"{self.name}: {text}{policy.linesep}"


MAX_WORD = 60  # characters: a longer one would not fit into a line
_HEADERS = HeaderRegistry()
for _name in ("from", "to", "list-unsubscribe"):
    _HEADERS.map_to_type(_name, _LiteralHeader)
_HEADERS.map_to_type("subject", _TextHeader)
_POLICY = default.clone(header_factory=_HEADERS)
_LINE = re.compile(rb"(?P<name>[!-9;-~]+): [^\0-\x08\x0a-\x1f\x7f]*")
_QUOTE = re.compile(r'["\\]')
_FOLDED = re.compile(rb"[ \t][^\0-\x08\x0a-\x1f\x7f]*")


def require_own_headers(message: EmailMessage) -> None:
    """Check the bytes of an email: they have its headers and no others. Raises: ValueError.

    A text in one of them must not become a line of its own, whatever Python's `email` does with it.
    """
    head, _, _body = message.as_bytes(policy=SMTPUTF8).partition(b"\r\n\r\n")
    names = []
    for line in head.split(b"\r\n"):
        if match := _LINE.fullmatch(line):
            names.append(match["name"].decode())
        elif not names or not _FOLDED.fullmatch(line):
            raise ValueError("a header would have a control character or a line break")
    if names != list(message.keys()):
        raise ValueError("a text would become a header of its own")


def compose(
    *,
    sender: str,
    recipient: str,
    subject: str,
    body: str,
    message_id: str,
    unsubscribe_url: str | None = None,
    attachment: Attachment | None = None,
) -> EmailMessage:
    """The email as a message. Every attempt has the same Message-ID. Raises: ValueError.

    unsubscribe_url: an address to which email programs can send `List-Unsubscribe=One-Click`
    (RFC 8058).
    """
    message = EmailMessage(policy=_POLICY)
    message["From"] = _from_header(sender)
    message["To"] = _one_address(recipient)
    message["Subject"] = " ".join(subject.split())  # a header is one line
    message["Date"] = format_datetime(localtime())
    message["Message-ID"] = message_id
    for name, value in UNANSWERED.items():
        message[name] = value
    if unsubscribe_url and unsubscribe_url.isascii():
        message["List-Unsubscribe"] = f"<{unsubscribe_url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(body)
    if attachment:
        maintype, _, subtype = attachment.media_type.partition("/")
        message.add_attachment(
            attachment.content, maintype=maintype, subtype=subtype, filename=attachment.name
        )
    require_own_headers(message)
    return message


def _one_address(recipient: str) -> str:
    """The address that an email goes to. Raises: ValueError if it would go to others as well."""
    address = with_ascii_domain(recipient)
    if [found for _name, found in getaddresses([address])] != [address]:
        raise ValueError(f"`{recipient}` is not one email address")
    return address


def _from_header(sender: str) -> str:
    """The sender with the name in quotes: brackets, colons and others would be no part of it."""
    name, address = parseaddr(sender)
    address = with_ascii_domain(address)
    if not name:
        return address
    if name.isascii() and "=?" not in name:
        escaped = _QUOTE.sub(r"\\\g<0>", name)
        return f'"{escaped}" <{address}>'
    return f"{Header(name, 'utf-8', header_name='From').encode(linesep='')} <{address}>"


class _Client(aiosmtplib.SMTP):
    """An SMTP connection with a separate timeout for the final dot."""

    def __init__(self, progress: Progress, **options: Any) -> None:
        super().__init__(**options)
        self._progress = progress

    async def mail(self, sender: str, **options: Any) -> aiosmtplib.SMTPResponse:
        """Begin an email."""
        self._progress.has_begun = True
        return await super().mail(sender, **options)

    async def data(self, message: bytes | str, **_: Any) -> aiosmtplib.SMTPResponse:
        """Transfer the email."""
        self._progress.phase = Phase.TRANSFERRING
        return await super().data(message, timeout=DATA_SECONDS)

    async def rset(self, **_: Any) -> aiosmtplib.SMTPResponse:
        """Send no RSET after an error: the connection is closed instead."""
        return aiosmtplib.SMTPResponse(250, "")


class Mailer:
    """Sends emails through an SMTP server."""

    def __init__(self, *, host: str, port: int, security: str, user: str, password: str) -> None:
        self._server = {
            "hostname": host,
            "port": port,
            "use_tls": security == "tls",
            "start_tls": security == "starttls",
            "username": user or None,
            "password": password or None,
            "timeout": COMMAND_SECONDS,
        }

    async def send(self, message: EmailMessage, progress: Progress | None = None) -> None:
        """Send an email. progress: updated while the email is sent. Raises: SendFailed."""
        progress = progress or Progress()
        is_let_in = False
        try:
            client = _Client(progress, **self._server)
            try:
                await client.connect(timeout=CONNECT_SECONDS)
                is_let_in = True
                await client.send_message(message)
                progress.phase = Phase.ACCEPTED
                with suppress(aiosmtplib.SMTPException, OSError):
                    await client.quit(timeout=QUIT_SECONDS)
            finally:
                client.close()
        except aiosmtplib.SMTPRecipientsRefused as refusal:
            codes = [each.code for each in refusal.recipients]
            is_final = all(code >= 500 for code in codes)
            is_general = CLOSING in codes
            raise SendFailed(str(refusal), is_final=is_final, is_general=is_general) from refusal
        except aiosmtplib.SMTPResponseException as refusal:
            raise _refused(refusal, progress) from refusal
        except (aiosmtplib.SMTPNotSupported, ValueError) as failure:  # an address, or the settings
            raise SendFailed(str(failure), is_final=is_let_in, is_away=not is_let_in) from failure
        except (aiosmtplib.SMTPException, OSError) as failure:
            raise SendFailed(
                str(failure),
                is_final=False,
                is_unknown=progress.phase is Phase.TRANSFERRING,
                is_general=True,
                is_away=not progress.has_begun,
            ) from failure


def _refused(refusal: aiosmtplib.SMTPResponseException, progress: Progress) -> SendFailed:
    """What an answer means. A refused login or sender can be corrected by the operator: retry."""
    is_of_sender = isinstance(refusal, aiosmtplib.SMTPSenderRefused) and refusal.code != TOO_LARGE
    is_away = not progress.has_begun
    return SendFailed(
        f"{refusal.code} {refusal.message}",
        is_final=refusal.code >= 500 and not is_of_sender and not is_away,
        is_general=is_of_sender or refusal.code == CLOSING,
        is_away=is_away,
    )
