"""Passkeys (WebAuthn): options for browsers, and verification of their answers.

Every passkey verifies its user, by a fingerprint or a PIN, so that it counts as both steps.
A challenge belongs to one browser and works once. For a known user, its digest is stored. For an
unknown user, it is derived from a secret of the browser and stored only when it is used, so that
strangers cannot fill the database.
"""

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from masthead.lazy_modules import LazyModule
from masthead.model.audit_entries import EntryType
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.relying_party import RelyingParty
from masthead.model.identity.sign_ins import Verified, password_stamp
from masthead.model.ids import token_digest
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.fields import required_text
from masthead.services.identity.own_accounts import write_own
from masthead.services.identity.second_factors import FactorChange, lock_factors, record_added
from masthead.services.identity.webauthn_answers import challenge_of, parsed, refused, verified
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import passkeys as store, people
from masthead.store.identity.passkeys import Passkey

if TYPE_CHECKING:
    import webauthn
    from webauthn import helpers
    from webauthn.helpers import structs
else:
    webauthn = LazyModule("webauthn")
    helpers = LazyModule("webauthn.helpers")
    structs = LazyModule("webauthn.helpers.structs")


VALID = timedelta(minutes=5)
USED_FOR = timedelta(hours=1)  # how long a used challenge is remembered: longer than its cookie
MOST_PASSKEYS = 20
MAX_ID = 1_400  # characters of a credential id, which has at most 1,023 bytes


class PasskeyAnswer(Struct, frozen=True):
    """A verified answer of a passkey.

    challenge: the digest of the signed challenge. has_handle: whether it identifies its user.
    """

    passkey: Passkey
    sign_count: int
    challenge: str
    has_handle: bool


# --- Options --------------------------------------------------------------------------------------


async def creation_options(
    db: Database, user: SignedInUser, party: RelyingParty, *, browser: str
) -> str:
    """The options for `navigator.credentials.create()`, as JSON. browser: see `_new_challenge`."""
    fresh = helpers.bytes_to_base64url(secrets.token_bytes(32))

    async def work(tx: Transaction) -> tuple[str | None, list[Passkey]]:
        await store.insert_handle(tx, user.user_id, fresh)
        return (
            await store.find_handle(tx, user.user_id),
            await store.list_passkeys(tx, user.user_id),
        )

    handle, known = await db.write(work)
    assert handle is not None
    options = webauthn.generate_registration_options(
        rp_id=party.id,
        rp_name=f"masthead ({party.id})",
        user_id=helpers.base64url_to_bytes(handle),
        user_name=user.email,
        challenge=await _new_challenge(db, browser),
        timeout=int(VALID.total_seconds() * 1000),
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=_descriptors(known),
    )
    return helpers.options_to_json(options)


async def request_options(
    db: Database, party: RelyingParty, known: list[Passkey], *, browser: str
) -> str:
    """The options for `navigator.credentials.get()`, as JSON. known: the passkeys to choose from.

    browser: see `_new_challenge`.
    """
    return _request(party, await _new_challenge(db, browser), known)


def sign_in_options(party: RelyingParty, *, browser: str) -> str:
    """The options to sign in an unknown user: the browser offers all its passkeys for this site.

    browser: a new secret, which only this browser knows until it answers.
    """
    return _request(party, _challenge_for(browser), [])


def _request(party: RelyingParty, challenge: bytes, known: list[Passkey]) -> str:
    options = webauthn.generate_authentication_options(
        rp_id=party.id,
        challenge=challenge,
        timeout=int(VALID.total_seconds() * 1000),
        allow_credentials=_descriptors(known),
        user_verification=structs.UserVerificationRequirement.REQUIRED,
    )
    return helpers.options_to_json(options)


def _challenge_for(browser: str) -> bytes:
    return hashlib.sha256(f"passkey {browser}".encode()).digest()


async def _new_challenge(db: Database, browser: str) -> bytes:
    """A new challenge. browser: a secret of the browser that may answer it."""
    challenge = secrets.token_bytes(32)

    async def work(tx: Transaction) -> None:
        await store.insert_challenge(
            tx, _digest(challenge), browser=token_digest(browser), expires_at=now() + VALID
        )

    await db.write(work)
    return challenge


def _descriptors(known: list[Passkey]) -> "list[structs.PublicKeyCredentialDescriptor]":
    return [
        structs.PublicKeyCredentialDescriptor(id=helpers.base64url_to_bytes(each.id))
        for each in known
    ]


def _digest(challenge: bytes) -> str:
    return token_digest(helpers.bytes_to_base64url(challenge))


# --- Answers -------------------------------------------------------------------------------------


async def add_passkey(
    db: Database,
    user: SignedInUser,
    party: RelyingParty,
    *,
    answer: str,
    name: str,
    session: str,
    site: Site | None,
) -> list[str]:
    """Add a passkey that a browser has created; returns recovery codes for the first factor.

    session: the token of the session, which also identifies the browser.
    Raises: Invalid, also if the answer is for a challenge of another browser.
    """
    name = required_text("name", name.strip())
    credential = parsed(helpers.parse_registration_credential_json, answer)
    challenge = challenge_of(credential)
    made = verified(
        webauthn.verify_registration_response,
        credential=credential,
        expected_challenge=challenge,
        expected_rp_id=party.id,
        expected_origin=party.origin,
        require_user_verification=True,
    )
    id, public_key = map(
        helpers.bytes_to_base64url, (made.credential_id, made.credential_public_key)
    )
    if len(id) > MAX_ID:
        raise refused()

    async def work(tx: Transaction) -> list[str]:
        is_first = await lock_factors(tx, user.user_id)
        if not await store.take_challenge(tx, _digest(challenge), browser=token_digest(session)):
            raise refused()
        if len(await store.list_passkeys(tx, user.user_id)) >= MOST_PASSKEYS:
            raise Invalid(
                _("You have {most} passkeys, which is the maximum. Remove one first.").format(
                    most=MOST_PASSKEYS
                )
            )
        if not await store.insert_passkey(
            tx, user.user_id, id=id, name=name, public_key=public_key, sign_count=made.sign_count
        ):
            raise Invalid(_("This passkey has already been added."))
        added = FactorChange(
            EntryType.USER_ADD_PASSKEY,
            {"name": name},
            gettext_noop("The passkey “{name}” was added."),
        )
        return await record_added(tx, user, added, session=session, is_first=is_first, site=site)

    return await write_own(db, user.user_id, work)


async def verify_answer(db: Database, party: RelyingParty, answer: str) -> PasskeyAnswer:
    """Verify the answer of a browser. The caller has to use up its challenge. Raises: Invalid."""
    credential = parsed(helpers.parse_authentication_credential_json, answer)
    passkey = await store.find_passkey(db, credential.id) if len(credential.id) <= MAX_ID else None
    if passkey is None:
        raise Invalid(_("This passkey is unknown. It may have been removed."), field="passkey")
    handle = credential.response.user_handle
    known = await store.find_handle(db, passkey.user_id)
    if handle is not None and helpers.bytes_to_base64url(handle) != known:
        raise refused()
    challenge = challenge_of(credential)
    used = verified(
        webauthn.verify_authentication_response,
        credential=credential,
        expected_challenge=challenge,
        expected_rp_id=party.id,
        expected_origin=party.origin,
        credential_public_key=helpers.base64url_to_bytes(passkey.public_key),
        credential_current_sign_count=passkey.sign_count,
        require_user_verification=True,
    )
    return PasskeyAnswer(passkey, used.new_sign_count, _digest(challenge), handle is not None)


async def take_answer(tx: Transaction, answer: PasskeyAnswer, *, browser: str) -> bool:
    """Use up the challenge and count of an answer; False if another request used them first."""
    return await store.take_challenge(
        tx, answer.challenge, browser=token_digest(browser)
    ) and await store.update_used(tx, answer.passkey, sign_count=answer.sign_count)


async def sign_in_by_passkey(
    db: Database, party: RelyingParty, answer: str, *, browser: str
) -> Verified:
    """Verify the user of a passkey, which counts as password and second step.

    browser: the secret that was passed to `sign_in_options`. Raises: Invalid.
    """
    proof = await verify_answer(db, party, answer)
    if not proof.has_handle or proof.challenge != _digest(_challenge_for(browser)):
        raise refused()

    async def work(tx: Transaction) -> Verified:
        person = await people.lock_person(tx, proof.passkey.user_id)
        is_fresh = await store.insert_challenge(
            tx, proof.challenge, browser="", expires_at=now() + USED_FOR
        )
        if not is_fresh or not await store.update_used(
            tx, proof.passkey, sign_count=proof.sign_count
        ):
            raise refused()
        stamp = password_stamp(person.password_hash)
        return Verified(person.id, person.email, stamp, has_passed=True)

    return await db.write(work)
