"""The second step of signing in, after the password: a code, a recovery code, or a passkey."""

import math
from collections.abc import Awaitable, Callable
from datetime import timedelta

from msgspec import Struct

from masthead.model.audit_entries import EntryType
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.errors import Invalid, TooManyAttempts
from masthead.model.identity.login_throttling import Throttle, failures_left
from masthead.model.identity.recovery_codes import recovery_code_digest
from masthead.model.identity.relying_party import RelyingParty
from masthead.model.identity.sign_ins import Verified
from masthead.model.identity.totp import matching_step
from masthead.model.ids import new_token, token_digest
from masthead.model.translations import gettext as _, gettext_noop
from masthead.services.emails.notices import FAILED_SECOND_STEP, SECOND_FACTORS, notify
from masthead.services.identity.own_accounts import record_own, record_own_later, write_own
from masthead.services.identity.passkeys import take_answer, verify_answer
from masthead.services.identity.second_factors import SecondFactors, get_second_factors
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.identity import (
    login_throttling as throttles,
    pending_sign_ins as store,
    people,
    recovery_codes,
    totp,
)

VALID = timedelta(minutes=10)
ATTEMPTS = 5  # for each time that the password was entered
# Only an attacker who knows the password can guess codes; the user can still use a passkey
BY_USER = Throttle(free=10, cap=timedelta(minutes=15))

WRONG = {
    "code": gettext_noop(
        "This code does not match. Each code works once: wait for the next one in the app."
    ),
    "recovery_code": gettext_noop(
        "This is not one of your unused recovery codes. Check each character."
    ),
    "passkey": gettext_noop(
        "This passkey does not belong to you, or was removed. Choose another one."
    ),
}

CheckFactor = Callable[[Transaction, str], Awaitable[bool]]


class PendingStep(Struct, frozen=True):
    """A sign-in that waits for its second step, and the factors that the user can use."""

    user_id: str
    factors: SecondFactors


async def needs_second_step(db: Connection, verified: Verified) -> bool:
    """Whether a user with the right password needs a second step."""
    return (await people.get_person(db, verified.user_id)).has_second_factor


async def begin_second_step(db: Database, verified: Verified) -> str:
    """Begin the second step, and return its token for a cookie."""
    token = new_token()

    async def work(tx: Transaction) -> str:
        await store.insert_pending(
            tx,
            token_digest(token),
            verified.user_id,
            stamp=verified.stamp,
            expires_at=now() + VALID,
        )
        return token

    return await db.write(work)


async def find_second_step(db: Connection, token: str) -> PendingStep | None:
    """The sign-in with this token, if it can still be finished."""
    pending = await store.find_pending(db, token_digest(token), most=ATTEMPTS)
    if pending is None:
        return None
    return PendingStep(pending.user_id, await get_second_factors(db, pending.user_id))


async def finish_by_code(db: Database, token: str, code: str, *, site: Site | None) -> Verified:
    """Finish a sign-in with a code of the authenticator app. Each code works once.

    Raises: Invalid, with a field while attempts are left; TooManyAttempts after many wrong codes
    in several sign-ins of the user.
    """

    async def check(tx: Transaction, user_id: str) -> bool:
        name = f"second factor {user_id}"
        moment = now()
        count, failed_at = await throttles.lock_failures(tx, name)
        failures = failures_left(count, moment - failed_at)
        if (wait := BY_USER.wait(failures, failed_at, moment)) > timedelta():
            raise TooManyAttempts(math.ceil(wait.total_seconds()))
        app = await totp.find_app(tx, user_id)
        step = matching_step(app.secret, code, moment, after=app.last_step) if app else None
        if step is None or not await totp.take_step(tx, user_id, step):
            await throttles.update_failures(tx, name, failures + 1, failed_at=moment)
            return False
        await throttles.delete_failures(tx, name)
        return True

    return await _finish(db, token, check, "code", site=site)


async def finish_by_recovery_code(
    db: Database, token: str, code: str, *, site: Site | None
) -> Verified:
    """Finish a sign-in with a recovery code, which works once. Raises: Invalid."""

    async def check(tx: Transaction, user_id: str) -> bool:
        digest = recovery_code_digest(code)
        if digest is None or not await recovery_codes.take_code(tx, user_id, digest):
            return False
        left = await recovery_codes.count_codes(tx, user_id)
        await record_own(tx, user_id, EntryType.USER_USE_RECOVERY_CODE, {"left": left})
        used = gettext_noop("A recovery code was used. Left: {left}.")
        await notify(tx, user_id, SECOND_FACTORS, site, events=[used], left=str(left))
        return True

    return await _finish(db, token, check, "recovery_code", site=site)


async def finish_by_passkey(
    db: Database, token: str, party: RelyingParty, answer: str, *, site: Site | None
) -> Verified:
    """Finish a sign-in with the answer of a passkey. Raises: Invalid."""
    proof = await verify_answer(db, party, answer)

    async def check(tx: Transaction, user_id: str) -> bool:
        is_own = proof.passkey.user_id == user_id
        return is_own and await take_answer(tx, proof, browser=token)

    return await _finish(db, token, check, "passkey", site=site)


async def _finish(
    db: Database, token: str, check: CheckFactor, field: str, *, site: Site | None
) -> Verified:
    """Count an attempt, then check it; returns the user if it succeeds. Raises: Invalid."""
    digest = token_digest(token)

    async def work(tx: Transaction) -> Verified | str:
        pending = await store.count_attempt(tx, digest, most=ATTEMPTS)
        if pending is None:
            raise _is_over()
        if await check(tx, pending.user_id):
            await store.delete_pending(tx, digest)
            person = await people.get_person(tx, pending.user_id)
            return Verified(person.id, person.email, pending.stamp, has_passed=True)
        if pending.failures < ATTEMPTS:
            return ""
        await notify(tx, pending.user_id, FAILED_SECOND_STEP, site, count=str(ATTEMPTS))
        return pending.user_id

    begun = await store.find_pending(db, digest, most=ATTEMPTS)
    if begun is None:
        raise _is_over()
    # a failure is returned, because raising would undo the count
    outcome = await write_own(db, begun.user_id, work)
    if isinstance(outcome, Verified):
        return outcome
    if not outcome:
        raise Invalid(_(WRONG[field]), field=field)
    # in a separate write, so that a busy account cannot undo the count of the last attempt
    await record_own_later(db, outcome, EntryType.USER_FAIL_SECOND_STEP, {"attempts": ATTEMPTS})
    raise _is_over()


def _is_over() -> Invalid:
    return Invalid(_("This sign-in took too long or had too many wrong codes. Start again."))
