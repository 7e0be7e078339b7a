"""The exceptions of masthead, each with a message and a code; `api/http` adds the HTTP status."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from itertools import islice

from masthead.model.translations import gettext, ngettext

MAX_EXCERPT = 255  # characters that a message quotes
MAX_ERRORS = 20  # of one input that are told at once


def excerpt(value: object) -> str:
    """A value as a message quotes it; a very long one is truncated."""
    text = str(value)
    return text if len(text) <= MAX_EXCERPT else f"{text[: MAX_EXCERPT - 1]}…"


CHANGED_MEANWHILE = "changed_meanwhile"  # the code for a conflict with another person's change


class MastheadError(Exception):
    """An expected error. The message is for people, `code` for programs."""

    code = "internal_error"


@dataclass(eq=False, repr=False)
class Invalid(MastheadError):
    """The input is invalid, or the stored data does not allow the request.

    field, value: the name and the text of the invalid input, for reports by column; the name may
    be a path such as `ids[7]`.
    id: of the record that the message names, if it names one.
    others: more errors of the same input.
    """

    message: str
    _: KW_ONLY
    code: str = "validation_error"
    field: str = ""
    value: object = ""
    id: str = ""
    others: tuple["Invalid", ...] = ()

    def __str__(self) -> str:
        return self.message  # also that of a subclass with other parameters

    @property
    def all(self) -> tuple["Invalid", ...]:
        """This error and the others of the same input."""
        return (self, *self.others)

    def within(self, name: str) -> "Invalid":
        """The same error of a record in a list. name: its place, such as `orders[3]`."""
        return Invalid(f"In `{name}`: {self}", code=self.code, field=f"{name}.{self.field}")


def all_of(errors: Iterable[Invalid]) -> Invalid:
    """The first of the errors of an input, with the others. There must be one; 20 are kept."""
    first, *others = islice(errors, MAX_ERRORS)
    first.others = tuple(others)
    return first


class NotFound(MastheadError):
    """The account has no such record. Records of other accounts give the same error."""

    code = "not_found"

    def __init__(self, noun: str, id: object) -> None:
        self.noun, self.id = noun, excerpt(id)
        text = gettext("There is no {noun} `{id}` in this account. Use an id from a list.")
        super().__init__(text.format(noun=gettext(noun), id=self.id))


class PageNotFound(MastheadError):
    """There is no page at an address."""

    code = "not_found"

    def __init__(self) -> None:
        super().__init__(
            gettext("There is no page at this address. Perhaps a part of the address is missing.")
        )


class MissingSlash(MastheadError):
    """There is nothing at a path of the API, but there is with a slash at its end."""

    code = "not_found"

    def __init__(self, path: str) -> None:
        shown = excerpt(path)
        super().__init__(
            f"There is nothing at `{shown}`. Paths of the API end with a slash: use `{shown}/`."
        )


class UnknownPath(MastheadError):
    """There is nothing at a path of the API, but there is at a similar one."""

    code = "not_found"

    def __init__(self, path: str, similar: str) -> None:
        super().__init__(
            f"There is nothing at `{excerpt(path)}`. Did you mean `{similar}`? Paths of the API "
            "end with a slash; `/docs` lists them."
        )


class MethodNotAllowed(MastheadError):
    """The path does not support the method.

    allowed: the methods that it supports. advice: what to do in place of it.
    """

    code = "method_not_allowed"

    def __init__(self, method: str, allowed: str, advice: str = "") -> None:
        text = f"The method {method} is not allowed at this path; use {allowed}. {advice}"
        super().__init__(text.rstrip())
        self.allowed = allowed


class ReadOnlyKey(MastheadError):
    """A read-only key was used for a write."""

    code = "read_only_key"

    def __init__(self) -> None:
        super().__init__(
            "This API key is read-only; this request needs a read-write key. "
            "The account owner can create one in the settings, under API keys."
        )


class UnsupportedEncoding(MastheadError):
    """The body is compressed. encoding: how, such as `gzip`."""

    code = "unsupported_encoding"

    def __init__(self, encoding: str) -> None:
        super().__init__(
            f"The body is compressed with `{excerpt(encoding)}`, which is not supported. Send the "
            "JSON as it is, without `Content-Encoding`."
        )


class PayloadTooLarge(MastheadError):
    """The request body is over the limit."""

    code = "payload_too_large"

    def __init__(self, limit: int) -> None:
        text = gettext(
            "The request body is too large; at most {limit} bytes are allowed. "
            "Split the data into several requests."
        )
        super().__init__(text.format(limit=limit))


class RateLimited(MastheadError):
    """An API key, or an account, has reached the operator's limit.

    kind: which of them, in the words of the message. retry_after: whole seconds to wait.
    """

    code = "rate_limited"

    def __init__(self, kind: str, per_minute: int, retry_after: int) -> None:
        wait = "a second" if retry_after == 1 else f"{retry_after} seconds"
        super().__init__(
            f"This {kind} may make {per_minute} requests a minute; try again in {wait}."
        )
        self.retry_after = retry_after


class RequestInProgress(MastheadError):
    """The first request with an idempotency key has not finished. retry_after: whole seconds."""

    code = "request_in_progress"
    retry_after = 1

    def __init__(self) -> None:
        super().__init__(
            "The first request with this `Idempotency-Key` is still being processed; repeat it in "
            "a second to get its answer."
        )


class PreconditionFailed(MastheadError):
    """A request has a condition, such as the version to change, which does not hold."""

    code = "precondition_failed"

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "The record has changed since you got it: its `ETag` is none of those in "
            "`If-Match`. Get it again, and send the change with its new `ETag`."
        )


class KeyReused(MastheadError):
    """An idempotency key was used for another request."""

    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__(
            "This `Idempotency-Key` was used for another request. A repetition must have the same "
            "method, path and body, byte for byte, including spaces and line breaks. Use a new key "
            "for a new request."
        )


class AnswerDeleted(MastheadError):
    """The request was done, and its answer was deleted because a subscriber was erased."""

    code = "answer_deleted"

    def __init__(self) -> None:
        super().__init__(
            "The request with this `Idempotency-Key` succeeded, and was not done again. Its answer "
            "was deleted, because the account has erased a subscriber since then. Use a GET "
            "request to see the record."
        )


class Erased(MastheadError):
    """The personal data of a subscriber was erased, and nothing may be added. id: of them."""

    code = "erased"

    def __init__(self, id: str) -> None:
        text = gettext(
            "The data of subscriber `{id}` was erased, so nothing can be added or changed. If this "
            "person orders again, enter the order with their email address: they become a new "
            "subscriber."
        )
        super().__init__(text.format(id=id))


class TooManyAttempts(MastheadError):
    """Too many failed sign-ins. retry_after: whole seconds to wait."""

    code = "rate_limited"

    def __init__(self, retry_after: int) -> None:
        text = ngettext(
            "Too many failed attempts; try again in a second. "
            "A new link to set the password works immediately.",
            "Too many failed attempts; try again in {seconds} seconds. "
            "A new link to set the password works immediately.",
            retry_after,
        )
        super().__init__(text.format(seconds=retry_after))
        self.retry_after = retry_after


class Unavailable(MastheadError):
    """The database does not respond. Nothing was changed, and it is safe to try again.

    retry_after: whole seconds to wait.
    """

    code = "unavailable"
    retry_after = 2

    def __init__(self, reason: str = "") -> None:
        text = gettext("The database is not responding; try again in a few seconds.")
        super().__init__(f"{reason}; try again in a few seconds." if reason else text)


class Busy(Unavailable):
    """Other work has not finished in time: usually a write to the same account, of an import.

    It may also be work on the database itself, such as Citus moving rows to another node.
    """

    def __init__(self, message: str = "") -> None:
        text = gettext(
            "Other work on this account, such as an import, its dry run or maintenance of the "
            "database, has not finished yet; try again in a few seconds."
        )
        MastheadError.__init__(self, message or text)
