"""Letters as e-mail, and their sending by SMTP."""

from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime, localtime

import aiosmtplib

MAX_ATTEMPTS = 10
FIRST_DELAY = timedelta(minutes=1)  # doubled after each failure: the last try is 8.5 hours on


class SendFailed(Exception):
    """A letter was not taken. is_final: trying again is no use."""

    def __init__(self, reason: str, *, is_final: bool) -> None:
        super().__init__(reason)
        self.is_final = is_final


def retry_delay(failures: int) -> timedelta | None:
    """How long to wait after so many failures; None to give up."""
    return FIRST_DELAY * 2 ** (failures - 1) if failures < MAX_ATTEMPTS else None


def compose(
    *, sender: str, recipient: str, subject: str, body: str, message_id: str
) -> EmailMessage:
    """The letter as a message; every attempt carries the same Message-ID."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = recipient
    message["Subject"] = " ".join(subject.split())  # a header is one line
    message["Date"] = format_datetime(localtime())
    message["Message-ID"] = message_id
    message.set_content(body)
    return message


class Mailer:
    """The mail server that letters are handed to."""

    def __init__(self, *, host: str, port: int, security: str, user: str, password: str) -> None:
        self._server = {
            "hostname": host,
            "port": port,
            "use_tls": security == "tls",
            "start_tls": security == "starttls",
            "username": user or None,
            "password": password or None,
            "timeout": 30,
        }

    async def send(self, message: EmailMessage) -> None:
        """Hand a letter over. Raises: SendFailed."""
        try:
            await aiosmtplib.send(message, **self._server)  # type: ignore[arg-type] # see above
        except aiosmtplib.SMTPRecipientsRefused as refusal:
            codes = [each.code for each in refusal.recipients]
            is_final = all(code >= 500 for code in codes)
            raise SendFailed(str(refusal), is_final=is_final) from refusal
        except aiosmtplib.SMTPResponseException as refusal:
            # a login or sender that is refused is the operator's to mend: no letter is to blame
            is_final = refusal.code >= 500 and isinstance(refusal, aiosmtplib.SMTPDataError)
            raise SendFailed(f"{refusal.code} {refusal.message}", is_final=is_final) from refusal
        except (aiosmtplib.SMTPException, OSError) as failure:
            raise SendFailed(str(failure), is_final=False) from failure
        except ValueError as failure:  # an address that no message can carry
            raise SendFailed(str(failure), is_final=True) from failure
