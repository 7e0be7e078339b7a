"""Refusals in the words of the trade; the doors alone know which HTTP status each one is."""

from dataclasses import KW_ONLY, dataclass

MAX_EXCERPT = 255  # characters that a message quotes


def excerpt(value: object) -> str:
    """A value as quoted in a message: whole, unless it is very long."""
    text = str(value)
    return text if len(text) <= MAX_EXCERPT else f"{text[: MAX_EXCERPT - 1]}…"


CHANGED_MEANWHILE = "changed_meanwhile"  # the code for a conflict with another person's change


class MastheadError(Exception):
    """A refusal that a caller can expect, with a message to read and a `code` to branch on."""

    code = "internal_error"


@dataclass(eq=False, repr=False)
class Invalid(MastheadError):
    """What was sent, or the state of the data, does not allow the request.

    field, value: the input at fault and its text, for those who report by column.
    """

    message: str
    _: KW_ONLY
    code: str = "validation_error"
    field: str = ""
    value: object = ""


class NotFound(MastheadError):
    """No such record in this account; a record of another account is answered the same way."""

    code = "not_found"

    def __init__(self, noun: str, id: object) -> None:
        super().__init__(
            f"There is no {noun} `{excerpt(id)}` in this account. Take ids from the lists."
        )


class MethodNotAllowed(MastheadError):
    """The path exists, the method does not. allowed: the methods that do."""

    code = "method_not_allowed"

    def __init__(self, method: str, allowed: str) -> None:
        super().__init__(f"{method} is not possible here; allowed are {allowed}.")
        self.allowed = allowed


class ReadOnlyKey(MastheadError):
    """A read-only key was used for a write."""

    code = "read_only_key"

    def __init__(self) -> None:
        super().__init__(
            "This API key is read-only; writing needs a read-write key. "
            "The account owner creates one in the settings under API keys."
        )


class PayloadTooLarge(MastheadError):
    """The request body is over the limit."""

    code = "payload_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The request body is too large; at most {limit} bytes are allowed. "
            "Split the work over several requests."
        )


class RateLimited(MastheadError):
    """The operator's limit of requests is used up. retry_after: whole seconds to wait."""

    code = "rate_limited"

    def __init__(self, per_minute: int, retry_after: int) -> None:
        super().__init__(
            f"More than {per_minute} requests a minute with this key; "
            f"try again in {retry_after} seconds."
        )
        self.retry_after = retry_after


class TooManyAttempts(MastheadError):
    """Too many wrong passwords in a row. retry_after: whole seconds to wait."""

    code = "rate_limited"

    def __init__(self, retry_after: int) -> None:
        wait = f"{retry_after} seconds" if retry_after > 1 else "a second"
        super().__init__(
            f"There were too many attempts in a row; try again in {wait}. "
            "A new link to set the password works at once."
        )
        self.retry_after = retry_after


class Unavailable(MastheadError):
    """The database cannot answer now; nothing was changed, trying again is harmless."""

    code = "unavailable"

    def __init__(self, reason: str = "The database does not answer at the moment") -> None:
        super().__init__(f"{reason}; try again in a few seconds.")


class Busy(Unavailable):
    """Another write to the same account, mostly an import, has not finished in time."""

    def __init__(self) -> None:
        super().__init__(
            "Another write to this account, such as an import or its dry run, has not finished yet"
        )
