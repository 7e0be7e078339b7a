"""Parse and verify the WebAuthn answers of browsers, with one refusal for all failures."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from masthead.lazy_modules import LazyModule
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _

if TYPE_CHECKING:
    from webauthn import helpers
else:
    helpers = LazyModule("webauthn.helpers")


MAX_ANSWER = 16_384  # characters of what a browser sends

T = TypeVar("T")


def parsed(parse: Callable[[str], T], answer: str) -> T:
    """A parsed answer. Raises: Invalid if it is malformed."""
    if len(answer) > MAX_ANSWER:
        raise refused()
    try:
        return parse(answer)
    except Exception:  # noqa: BLE001 - the parsers of JSON and CBOR have many ways to refuse
        raise refused() from None


def challenge_of(credential: Any) -> bytes:
    """The challenge that a browser claims to have answered."""
    try:
        return helpers.parse_client_data_json(credential.response.client_data_json).challenge
    except Exception:  # noqa: BLE001 - see `parsed`
        raise refused() from None


def verified(verify: Callable[..., T], **expected: Any) -> T:
    """The result of verifying an answer. Raises: Invalid if it is refused."""
    try:
        return verify(**expected)
    except Exception:  # noqa: BLE001 - see `parsed`
        raise refused() from None


def refused() -> Invalid:
    """The refusal of every wrong answer."""
    return Invalid(
        _(
            "The passkey was refused: its answer came too late, was used before, or is for "
            "another address. Try again."
        ),
        field="passkey",
    )
