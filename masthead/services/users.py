"""The users of an account: invited, given another role, removed."""

from datetime import timedelta

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.values import Role, email_address
from masthead.services import letters
from masthead.services.sign_in import RESET_VALID, write_link
from masthead.store import accounts, audit, keys, sign_in
from masthead.store import users as store
from masthead.store.audit import Entry
from masthead.store.connection import Connection, Database, Transaction
from masthead.store.users import User

INVITE_VALID = timedelta(days=7)


class Post(Struct, frozen=True):
    """What letters need. public_url: what links begin with; domain: of Message-IDs."""

    public_url: str
    domain: str


class Invited(Struct, frozen=True):
    """A user of an account. token: of the link by which they set their password, if they need one.

    is_new: whether they were let in just now.
    """

    id: str
    email: str
    token: str | None
    is_new: bool


async def invite_user(
    db: Database,
    account_id: int,
    *,
    email: str,
    role: Role,
    by: Actor,
    post: Post | None = None,
) -> Invited:
    """Let a person into an account, with a link if they have no password yet.

    post: with it they are written to.
    Whoever is in already gets another link. Raises: Invalid if they are in with another role, or
    `by` owns not all accounts that they are in.
    """
    email = email_address("email", email.strip())

    async def work(tx: Transaction) -> Invited:
        account = await accounts.lock_account(tx, account_id)
        known = await store.find_user(tx, account_id, email)
        if known and known.role != role:
            raise Invalid(
                f"`{email}` is in this account already, as {known.role}; the list of users is "
                "where a role is changed.",
                field="email",
                value=email,
            )
        user_id = await store.match_or_insert_user(tx, email)
        await _require_power(tx, user_id, by)
        if known is None:
            await store.insert_account_user(tx, account_id, user_id, role=role)
            await sign_in.delete_links(tx, user_id)  # they were for the accounts of before
        user = await store.get_user(tx, account_id, user_id)
        needs_link = not user.has_password
        if known is None or needs_link:
            entry = Entry("user.invite", "user", user_id, None, {"email": user.email, "role": role})
            await audit.record(tx, account_id, by, [entry])
        token = await write_link(tx, user_id, INVITE_VALID) if needs_link else None
        if post and token:
            link = f"{post.public_url}/link/{token}/"
            await letters.write_link(tx, account, user.email, link, is_new=True, domain=post.domain)
        return Invited(user_id, user.email, token, known is None)

    return await db.write(work)


async def _require_power(tx: Connection, user_id: str, by: Actor) -> None:
    """Raises: Invalid if a link in the hands of `by` would open accounts that are not theirs."""
    if by.kind != "user":
        return
    own = {
        each.account_id
        for each in await store.list_memberships(tx, by.id)
        if each.role == Role.OWNER
    }
    if {each.account_id for each in await store.list_memberships(tx, user_id)} - own:
        raise Invalid(
            "This person is in another account too, which you do not own, and one password opens "
            "both. Ask whoever runs this server: `masthead user invite` and `masthead user reset` "
            "do it.",
            field="email",
        )


async def reset_user(
    db: Database, account_id: int, user_id: str, *, by: Actor, post: Post | None = None
) -> tuple[str, str]:
    """E-mail address of a user, and the token of a link by which they set a new password.

    post: with it they are written to.
    Raises: NotFound; Invalid if `by` owns not all accounts that they are in.
    """

    async def work(tx: Transaction) -> tuple[str, str]:
        account = await accounts.lock_account(tx, account_id)
        user = await store.get_user(tx, account_id, user_id)
        await store.lock_person(tx, user_id)
        await _require_power(tx, user_id, by)
        entry = Entry("user.reset", "user", user_id, None, {"email": user.email})
        await audit.record(tx, account_id, by, [entry])
        token = await write_link(tx, user_id, RESET_VALID)
        if post:
            link = f"{post.public_url}/link/{token}/"
            await letters.write_link(
                tx, account, user.email, link, is_new=False, domain=post.domain
            )
        return user.email, token

    return await db.write(work)


async def change_role(
    db: Database, account_id: int, user_id: str, *, role: Role, by: Actor
) -> None:
    """Give a user another role. Raises: NotFound; Invalid if no owner would be left."""

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        user = await store.get_user(tx, account_id, user_id)
        if user.role == role:
            return
        await _require_another_owner(tx, account_id, user)
        await store.update_role(tx, account_id, user_id, role)
        entry = Entry("user.change_role", "user", user_id, {"role": user.role}, {"role": role})
        await audit.record(tx, account_id, by, [entry])

    await db.write(work)


async def remove_user(db: Database, account_id: int, user_id: str, *, by: Actor) -> str:
    """Take an account away from a user, and revoke their keys of it; their e-mail address.

    Whoever is in no account any more cannot sign in, and is as new when invited again.
    Raises: NotFound; Invalid if no owner would be left.
    """

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        user = await store.get_user(tx, account_id, user_id)
        await _require_another_owner(tx, account_id, user)
        revoked = await keys.list_user_keys(tx, account_id, user_id)
        for id in revoked:
            await keys.revoke_key(tx, account_id, id)
        await store.delete_account_user(tx, account_id, user_id)
        await sign_in.delete_links(tx, user_id)
        if not await store.list_memberships(tx, user_id):
            await store.update_password(tx, user_id, None)
            await sign_in.delete_sessions(tx, user_id)
        states = {"is_revoked": False}, {"is_revoked": True}
        was = {"email": user.email, "role": user.role}
        entries = [Entry("key.revoke", "key", id, *states) for id in revoked]
        entries.append(Entry("user.remove", "user", user_id, was, None))
        await audit.record(tx, account_id, by, entries)
        return user.email

    return await db.write(work)


async def _require_another_owner(tx: Connection, account_id: int, user: User) -> None:
    """Raises: Invalid if the user is the only owner."""
    if user.role == Role.OWNER and await store.count_owners(tx, account_id) == 1:
        raise Invalid(
            f"`{user.email}` is the only owner, and an account needs one. Make somebody else "
            "owner first.",
            field="role",
            value=user.role,
        )
