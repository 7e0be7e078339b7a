"""Create users with two-step sign-in."""

from datetime import UTC, datetime

import pyotp
import time_machine

from masthead.model.emails import Site
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.sign_ins import Client, Verified
from masthead.model.identity.totp import new_secret
from masthead.services.identity import passkeys, second_factors, second_step, sign_in
from tests.conftest import Cast
from tests.services.identity.authenticator import PARTY, Authenticator
from tests.services.identity.people import HOME, PASSWORD

SITE = Site("https://desk.acme.test", "placeholder.example")
SESSION = "the token of a session"


def code_of(secret: str, moment: datetime | None = None, *, steps: int = 0) -> str:
    """The code that the app shows, now or a number of 30-second steps later."""
    return pyotp.TOTP(secret).at(moment or datetime.now(UTC), counter_offset=steps)


async def add_app(
    cast: Cast, user: SignedInUser, *, session: str = SESSION
) -> tuple[str, list[str]]:
    """Add an authenticator app; returns its secret and the recovery codes.

    It is confirmed with the code of the step before, so that the current one is still unused.
    The clock stands meanwhile: that code expires when the current step ends.
    """
    secret = new_secret()
    with time_machine.travel(datetime.now(UTC), tick=False):
        codes = await second_factors.add_app(
            cast.db, user, secret=secret, code=code_of(secret, steps=-1), session=session, site=SITE
        )
    return secret, codes


async def add_passkey(
    cast: Cast,
    user: SignedInUser,
    key: Authenticator,
    *,
    session: str = SESSION,
    name: str = "Phone",
) -> list[str]:
    """Add a passkey; returns the recovery codes."""
    options = await passkeys.creation_options(cast.db, user, PARTY, browser=session)
    return await passkeys.add_passkey(
        cast.db, user, PARTY, answer=key.create(options), name=name, session=session, site=SITE
    )


async def verified(cast: Cast, email: str = "") -> Verified:
    """A user whose password was verified."""
    return await sign_in.sign_in(
        cast.db, email=email or cast.owner, password=PASSWORD, client=Client(HOME)
    )


async def pending(cast: Cast, email: str = "") -> str:
    """The token of a sign-in that waits for its second step."""
    return await second_step.begin_second_step(cast.db, await verified(cast, email))
