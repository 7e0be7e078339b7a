"""Settings: the users of the account."""

from starlette.responses import Response
from wtforms import EmailField, RadioField
from wtforms.validators import DataRequired

from masthead.model.audit_events import deed
from masthead.model.errors import NotFound
from masthead.model.types.enums import Role
from masthead.services import users as service
from masthead.store import keys
from masthead.store import users as store
from masthead.store.audit import trail
from masthead.store.engine.interface import Database
from masthead.web.forms import PaperForm, choices_of, trimmed
from masthead.web.visit import Visit

MOST_SIGN_INS = 10
ROLES = choices_of(
    [
        (Role.STAFF.value, "Staff: the desk, all but the settings"),
        (Role.OWNER.value, "Owner: everything"),
    ]
)


class InviteForm(PaperForm):
    """Who is to be let in."""

    email = EmailField(
        "E-mail address", [DataRequired("Type the address of whom you invite.")], filters=[trimmed]
    )
    role = RadioField("Role", choices=ROLES, default=Role.STAFF.value)


class RoleForm(PaperForm):
    """What a user may do."""

    role = RadioField("Role", choices=ROLES)


class RemoveForm(PaperForm):
    """Nothing but that it is meant."""


async def list_users(visit: Visit) -> Response:
    """Who is in the account."""
    listed = await store.list_users(visit.db, visit.account_id)
    return visit.page("settings/users.html", users=listed)


async def invite_user(visit: Visit) -> Response:
    """Let somebody in, and show the link by which they set a password."""

    async def save(form: InviteForm, db: Database) -> Response:
        invited = await service.invite_user(
            db,
            visit.account_id,
            email=form.email.data or "",
            role=Role(form.role.data),
            by=visit.actor,
            post=visit.post,
        )
        if invited.token is None:
            said = "is in this account now" if invited.is_new else "is in this account already"
            return visit.go(
                visit.at("settings", "users"),
                said=f"{invited.email} {said}, and signs in with the password that they have.",
            )
        return _show_link(visit, invited.email, invited.token, is_invitation=True)

    async def again(form: InviteForm) -> Response:
        return visit.go(
            visit.at("settings", "users"),
            said=f"{form.email.data} was invited already. If you have not seen the link, make a "
            "new one at their address.",
        )

    return await visit.answer(InviteForm, "settings/user_invite.html", save, again=again)


def _show_link(visit: Visit, email: str, token: str, *, is_invitation: bool) -> Response:
    return visit.page(
        "settings/user_link.html",
        email=email,
        link=f"{visit.web.public_url}/link/{token}/",
        is_invitation=is_invitation,
    )


async def edit_user(visit: Visit) -> Response:
    """A user: their role, a new link, a way to remove them."""
    user = await store.get_user(visit.db, visit.account_id, visit.path["id"])

    async def save(form: RoleForm, db: Database) -> Response:
        role = Role(form.role.data)
        await service.change_role(db, visit.account_id, user.id, role=role, by=visit.actor)
        return _back(visit, user.id, said=f"{user.email} is {role} now.")

    recent = await trail.list_sign_ins(visit.db, visit.account_id, user.id, MOST_SIGN_INS)
    return await visit.answer(
        RoleForm,
        "settings/user.html",
        save,
        initial={"role": user.role.value},
        user=user,
        sign_ins=recent,
        most_sign_ins=MOST_SIGN_INS,
        deed=deed,
    )


async def make_link(visit: Visit) -> Response:
    """A link by which a user sets a new password."""
    email, token = await service.reset_user(
        visit.db, visit.account_id, visit.path["id"], by=visit.actor, post=visit.post
    )
    return _show_link(visit, email, token, is_invitation=False)


async def remove_user(visit: Visit) -> Response:
    """Say what ends with a user, and remove them once it is confirmed."""
    id = visit.path["id"]
    try:
        user = await store.get_user(visit.db, visit.account_id, id)
    except NotFound:
        if not visit.is_post:  # else this form may have removed them already
            raise
        user = None

    async def save(_: RemoveForm, db: Database) -> Response:
        email = await service.remove_user(db, visit.account_id, id, by=visit.actor)
        return _back(visit, id, said=f"{email} is removed from {visit.membership.name}.")

    live = await keys.list_user_keys(visit.db, visit.account_id, id)
    return await visit.answer(
        RemoveForm, "settings/user_remove.html", save, user=user, keys=len(live)
    )


def _back(visit: Visit, user_id: str, *, said: str) -> Response:
    """To the list, or to the desk for whoever has just given up the settings."""
    if user_id == visit.visitor.user_id:
        return visit.go("/desk/", said=said)
    return visit.go(visit.at("settings", "users"), said=said)
