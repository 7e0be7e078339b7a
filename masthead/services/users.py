"""Add, invite and remove users of an account, and change their roles."""

from datetime import timedelta
from functools import partial

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.emails import EmailTemplate, Site
from masthead.model.errors import Invalid
from masthead.model.identity.rights import (
    STAFF_RIGHTS,
    Rights,
    in_order,
    rights_of,
    role_in_words,
    stored_text,
    usable_rights,
)
from masthead.model.ids import token_digest
from masthead.model.translations import current_locale, gettext as _
from masthead.model.types.email_addresses import email_address
from masthead.model.types.enums import Role
from masthead.services.emails import link_emails
from masthead.services.identity import memberships
from masthead.services.identity.invitations import write_invitation
from masthead.services.identity.one_time_links import list_opened, owns_all
from masthead.services.identity.sign_in import RESET_VALID, write_link
from masthead.services.transactions import with_locked_account
from masthead.store import keys, users as store
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.identity import people, sessions
from masthead.store.identity.second_factors import delete_second_factors
from masthead.store.users import User

INVITE_VALID = timedelta(days=7)


@with_locked_account
async def add_user(tx: Transaction, account: Account, *, email: str, by: Actor) -> str:
    """Add a user to an account, and return the user's id. Adding a user twice changes nothing."""
    email = email_address("email", email.strip())
    known = await store.find_user(tx, account.id, email)
    if known and not known.is_pending:
        return known.id
    user_id = await people.match_or_insert_user(tx, email)
    if known:
        await memberships.accept_invited(tx, account.id, user_id)
    else:
        await memberships.add_member(tx, account.id, user_id, role=Role.STAFF)
    entry = NewEntry(EntryType.USER_ADD, user_id, None, {"email": email, "role": Role.STAFF})
    await trail.record(tx, account.id, by, [entry])
    return user_id


class InvitedUser(Struct, frozen=True):
    """A user who was invited to an account.

    token: of the link to set a password or to accept, if the user needs one.
    is_new: whether the user was not in the account before.
    """

    id: str
    email: str
    token: str | None
    is_new: bool


@with_locked_account
async def invite_user(
    tx: Transaction,
    account: Account,
    *,
    email: str,
    role: Role,
    rights: Rights | None = None,
    by: Actor,
    site: Site | None = None,
) -> InvitedUser:
    """Add a user to an account, with a link to set a password if they have none.

    rights: None for those of the role. site: with it, the user gets the link by email. A user of
    accounts that `by` does not own has to accept first, with another kind of link. The result looks
    the same as for a new user. A user of this account without a password gets a new link.
    Raises: Invalid if the user is in the account with another role.
    """
    email = email_address("email", email.strip())
    await _require_owner(tx, account.id, by)
    known = await store.find_user(tx, account.id, email)
    if known and known.role != role:
        raise Invalid(
            _(
                "`{email}` is already in this account, as {role}. You can change the role in "
                "the list of users."
            ).format(email=email, role=_(known.role)),
            field="email",
            value=email,
        )
    user_id = await people.match_or_insert_user(tx, email)
    may_set_password = await _may_set_password(tx, account.id, user_id, by)
    if known is None:
        add = memberships.add_member if may_set_password else memberships.add_invited
        await add(tx, account.id, user_id, role=role)
        own_rights = _own_rights(role, rights)
        await store.update_role(tx, account.id, user_id, role, own_rights)
    elif known.is_pending and may_set_password:
        await memberships.accept_invited(tx, account.id, user_id)
    user = await store.get_user(tx, account.id, user_id)
    if known is None or not user.has_password:
        after: dict[str, object] = {"email": email, "role": role}
        if user.own_rights is not None:
            after["rights"] = in_order(user.rights)
        entry = NewEntry(EntryType.USER_INVITE, user_id, None, after)
        await trail.record(tx, account.id, by, [entry])
    token = None
    if not user.has_password and may_set_password:
        token = await write_link(tx, user_id, INVITE_VALID, by=by)
    elif not user.has_password:
        token = await write_invitation(tx, account.id, user_id, INVITE_VALID, by=by)
    if site and token:
        template = link_emails.INVITATION if may_set_password else link_emails.INVITATION_TO_ACCEPT
        await _send_link(tx, account, user, token, template, site, by)
    return InvitedUser(user_id, email, token, known is None)


async def _send_link(
    tx: Transaction,
    account: Account,
    user: User,
    token: str,
    template: EmailTemplate,
    site: Site,
    by: Actor,
) -> None:
    """Email a user a link, which expires at the same time as the link with this token.

    It is in the language that they chose, or else in that of the page of the user who sends it.
    """
    person = await people.get_person(tx, user.id)
    is_by_user = by.kind == "user"
    of_page = current_locale() if is_by_user else None
    sender = await people.get_person(tx, by.id) if is_by_user else None
    await link_emails.write_link_email(
        tx,
        account,
        user.email,
        locale=person.locale or of_page,
        role=partial(role_in_words, user.role, user.chosen_rights),
        sender=(sender.full_name or sender.email) if sender else None,
        public_url=site.public_url,
        link_digest=token_digest(token),
        template=template,
        domain=site.domain,
    )


async def _may_set_password(tx: Connection, account_id: int, user_id: str, by: Actor) -> bool:
    """Whether `by` may let a user of the account set a password.

    They must be the operator, or own all accounts that it opens. It is checked again when the link
    is used, see `one_time_links.could_be_created_now`.
    """
    return await owns_all(tx, by, {account_id} | await list_opened(tx, user_id))


def _not_owner() -> Invalid:
    return Invalid(
        _(
            "This user is also in an account that you do not own, and the same password opens "
            "both. Ask the operator of this server to create a link with `masthead user reset`."
        ),
        field="email",
    )


@with_locked_account
async def reset_user(
    tx: Transaction, account: Account, user_id: str, *, by: Actor, site: Site | None = None
) -> tuple[str, str]:
    """Create a link to set a new password; returns the user's email address and the token.

    site: with it, the user gets the link by email. A user who has not accepted an invitation yet
    gets a new link to accept. Raises: NotFound; Invalid if `by` does not own all their accounts.
    """
    await _require_owner(tx, account.id, by)
    user = await memberships.lock_member(tx, account.id, user_id)
    may_set_password = await _may_set_password(tx, account.id, user_id, by)
    if not may_set_password and not user.is_pending:
        raise _not_owner()
    entry = NewEntry(EntryType.USER_RESET, user_id, None, {"email": user.email})
    await trail.record(tx, account.id, by, [entry])
    if not may_set_password:
        template = link_emails.INVITATION_TO_ACCEPT
        token = await write_invitation(tx, account.id, user_id, RESET_VALID, by=by)
    else:
        if user.is_pending:
            await memberships.accept_invited(tx, account.id, user_id)
        template = link_emails.NEW_PASSWORD
        token = await write_link(tx, user_id, RESET_VALID, by=by)
    if site:
        await _send_link(tx, account, user, token, template, site, by)
    return user.email, token


def _own_rights(role: Role, rights: Rights | None) -> str | None:
    """The usable rights, to store them; None for those of the role."""
    if role is Role.OWNER or rights is None or rights == STAFF_RIGHTS:
        return None
    return stored_text(usable_rights(rights))


@with_locked_account
async def change_role(
    tx: Transaction,
    account: Account,
    user_id: str,
    *,
    role: Role,
    rights: Rights | None = None,
    by: Actor,
) -> None:
    """Give a user another role, or other rights. Open sessions and keys have them at once.

    rights: None for those of the role; owners always have all. Those that open nothing without
    another right are left out. Raises: NotFound; Invalid if no
    owner would be left, or `by` is a user who is not an owner.
    """
    own_rights = _own_rights(role, rights)
    await _require_owner(tx, account.id, by)
    user = await store.get_user(tx, account.id, user_id)
    if user.role == role and user.own_rights == own_rights:
        return
    if user.role != role:
        await _require_another_owner(tx, account.id, user)
    await store.update_role(tx, account.id, user_id, role, own_rights)
    entries = []
    if user.role != role:
        states = {"role": user.role}, {"role": role}
        entries.append(NewEntry(EntryType.USER_CHANGE_ROLE, user_id, *states))
    if user.own_rights != own_rights:
        now = rights_of(role, own_rights)
        shown = {"rights": in_order(user.rights)}, {"rights": in_order(now)}
        entries.append(NewEntry(EntryType.USER_CHANGE_RIGHTS, user_id, *shown))
    await trail.record(tx, account.id, by, entries)


@with_locked_account
async def remove_user(tx: Transaction, account: Account, user_id: str, *, by: Actor) -> str:
    """Remove a user from an account and revoke their keys; returns their email address.

    A user without any account cannot sign in, and is a new user if they are invited again.
    Raises: NotFound; Invalid if no owner would be left.
    """
    await _require_owner(tx, account.id, by)
    user = await memberships.lock_member(tx, account.id, user_id)
    await _require_another_owner(tx, account.id, user)
    revoked = await keys.list_user_keys(tx, account.id, user_id)
    for id in revoked:
        await keys.revoke_key(tx, account.id, id)
    await memberships.remove_member(tx, account.id, user)
    if not await store.list_user_accounts(tx, user_id):
        await people.update_password(tx, user_id, None)
        await delete_second_factors(tx, user_id)
        await sessions.delete_sessions(tx, user_id)
    states = {"is_revoked": False}, {"is_revoked": True}
    was = {"email": user.email, "role": user.role}
    entries = [NewEntry(EntryType.KEY_REVOKE, id, *states) for id in revoked]
    entries.append(NewEntry(EntryType.USER_REMOVE, user_id, was, None))
    await trail.record(tx, account.id, by, entries)
    return user.email


async def _require_owner(tx: Connection, account_id: int, by: Actor) -> None:
    """Raises: Invalid if `by` is a user who is not, or no longer, an owner of the account."""
    if by.kind == "user" and not await owns_all(tx, by, {account_id}):
        raise Invalid(_("Only owners can change users and their rights."), field="role")


async def _require_another_owner(tx: Connection, account_id: int, user: User) -> None:
    """Raises: Invalid if the user is the only owner."""
    if user.is_pending:
        return
    if user.role == Role.OWNER and await store.count_owners(tx, account_id) == 1:
        raise Invalid(
            _(
                "`{email}` is the only owner, and an account needs one. Make another user an owner "
                "first."
            ).format(email=user.email),
            field="role",
            value=user.role,
        )
