"""Settings: the users of the account."""

from starlette.responses import Response
from wtforms import Field, RadioField

from masthead.model.audit_entries import label_of
from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.identity.api_keys import ApiKey
from masthead.model.identity.rights import (
    ASSISTANT_RIGHTS,
    STAFF_RIGHTS,
    Right,
    Rights,
    in_order,
    names_of,
    role_in_words,
    usable_rights,
)
from masthead.model.translations import gettext as _, gettext_noop, pgettext
from masthead.model.types.enums import Role
from masthead.services import users as service
from masthead.store import keys, users as store
from masthead.store.audit import trail
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, email_field
from masthead.web.settings.rights_fields import (
    ASSISTANT,
    CHOSEN,
    explained_rights,
    left_out,
    refuse_unused_ticks,
    rights_field,
)

MAX_SIGN_INS = 10
ROLES = choices_of(
    [
        (
            Role.STAFF.value,
            gettext_noop("Staff: everything, also money and lists, except settings and erasing"),
        ),
        (
            ASSISTANT,
            gettext_noop(
                "Assistant without access to money: takes orders, corrects, prepares mailings, "
                "prints address labels, sends letters by email; sees no takings, downloads no lists"
            ),
        ),
        (Role.OWNER.value, gettext_noop("Owner: everything")),
        (CHOSEN, gettext_noop("Only the rights you choose")),
    ]
)


class RoleForm(BaseForm):
    """The role of a user, and the rights if they are chosen."""

    role = RadioField("Role", choices=ROLES)
    rights = rights_field()

    def validate_rights(self, field: Field) -> None:
        """Refuse rights that were ticked but not chosen."""
        refuse_unused_ticks(self.role.data, field.data or (), field.object_data or ())


class InviteForm(RoleForm):
    """The email address and the role of a new user."""

    email = email_field("Type the email address of the new user.")
    role = RadioField("Role", choices=ROLES, default=ASSISTANT)
    rights = rights_field(STAFF_RIGHTS)


def _chosen(form: RoleForm) -> tuple[Role, Rights | None]:
    """The role, and the usable rights if they are not those of the role."""
    if form.role.data == ASSISTANT:
        return Role.STAFF, ASSISTANT_RIGHTS
    if form.role.data != CHOSEN:
        return Role(form.role.data), None
    return Role.STAFF, usable_rights(map(Right, form.rights.data or ()))


def _role_shown(user: store.User) -> str:
    """The choice that a user has."""
    if user.own_rights is None:
        return user.role.value
    return ASSISTANT if user.rights == ASSISTANT_RIGHTS else CHOSEN


def _describe_role(user: store.User) -> str:
    """The role of a user, or the names of the rights if they are chosen one by one."""
    if _role_shown(user) == CHOSEN:
        return names_of(user.rights) or _("No rights")
    return role_in_words(user.role, user.chosen_rights)


def _left_out(form: RoleForm) -> str:
    """What to say of chosen rights that are not given; empty if all are."""
    return left_out(form.rights.data or ()) if form.role.data == CHOSEN else ""


async def list_users(context: PageContext) -> Response:
    """List the users of the account."""
    listed = await store.list_users(context.db, context.account_id)
    return context.render("settings/users.html", users=listed, describe_role=_describe_role)


async def invite_user(context: PageContext) -> Response:
    """Invite a user, and show the link to set a password."""

    async def save(form: InviteForm, db: Database) -> Response:
        role, rights = _chosen(form)
        invited = await service.invite_user(
            db,
            context.account_id,
            email=form.email.data or "",
            role=role,
            rights=rights,
            by=context.actor,
            site=context.site,
        )
        if invited.token is None:
            text = (
                _("{email} is now a user of this account. The password does not change.")
                if invited.is_new
                else _("{email} is already a user of this account. The password does not change.")
            )
            message = f"{text.format(email=invited.email)} {_left_out(form)}".strip()
            return context.redirect(context.url("settings", "users"), message=message)
        return _show_link(
            context,
            invited.id,
            invited.email,
            invited.token,
            is_invitation=True,
            note=_left_out(form),
        )

    async def on_repeat(form: InviteForm) -> Response:
        text = _(
            "{email} was already invited. If you did not copy the link, create a new one on their "
            "page."
        )
        return context.redirect(
            context.url("settings", "users"), message=text.format(email=form.email.data)
        )

    return await handle_form(
        context,
        InviteForm,
        "settings/user_invite.html",
        save,
        on_repeat=on_repeat,
        rights=explained_rights(),
    )


def _show_link(
    context: PageContext,
    user_id: str,
    email: str,
    token: str,
    *,
    is_invitation: bool,
    note: str = "",
) -> Response:
    return context.render(
        "settings/user_link.html",
        user_id=user_id,
        email=email,
        link=f"{context.web.public_url}/link/{token}/",
        is_invitation=is_invitation,
        note=note,
    )


async def edit_user(context: PageContext) -> Response:
    """Show a user, and change their role."""
    user = await store.get_user(context.db, context.account_id, context.path["id"])

    async def save(form: RoleForm, db: Database) -> Response:
        role, rights = _chosen(form)
        await service.change_role(
            db, context.account_id, user.id, role=role, rights=rights, by=context.actor
        )
        if rights is not None:
            text = _("{email} now has these rights: {rights}.")
        elif role is Role.OWNER:
            text = _("{email} is now an owner.")
        else:
            text = _("{email} is now staff.")
        shown = names_of(rights or ()) or pgettext("rights", "none")
        message = f"{text.format(email=user.email, rights=shown)} {_left_out(form)}".strip()
        return _redirect(context, user.id, message=message)

    recent = await trail.list_sign_ins(context.db, context.account_id, user.id, MAX_SIGN_INS)
    return await handle_form(
        context,
        RoleForm,
        "settings/user.html",
        save,
        initial={
            "role": _role_shown(user),
            "rights": in_order(usable_rights(user.rights)),
        },
        rights=explained_rights(),
        user=user,
        sign_ins=recent,
        max_sign_ins=MAX_SIGN_INS,
        label_of=label_of,
    )


async def create_link(context: PageContext) -> Response:
    """Create a link for a user to set a new password."""
    id = context.path["id"]
    email, token = await service.reset_user(
        context.db, context.account_id, id, by=context.actor, site=context.site
    )
    return _show_link(context, id, email, token, is_invitation=False)


async def remove_user(context: PageContext) -> Response:
    """Remove a user, after a confirmation that shows the effects."""
    id = context.path["id"]
    try:
        user = await store.get_user(context.db, context.account_id, id)
    except NotFound:
        if not context.is_post:  # otherwise this form may already have removed the user
            raise
        user = None

    async def save(_form: BaseForm, db: Database) -> Response:
        email = await service.remove_user(db, context.account_id, id, by=context.actor)
        text = _("{email} is removed from {account}.")
        message = text.format(email=email, account=context.membership.name)
        return _redirect(context, id, message=message)

    live = await keys.list_user_keys(context.db, context.account_id, id)
    known = await _keys_for_others(context, user.email) if user else []
    return await handle_form(
        context, BaseForm, "settings/user_remove.html", save, user=user, keys=len(live), known=known
    )


async def _keys_for_others(context: PageContext, email: str) -> list[ApiKey]:
    """The keys that a user created for others, who may not be the only ones to have them."""
    moment = now()
    return [
        key
        for key in await keys.list_keys(context.db, context.account_id)
        if key.created_by == email != key.user and not key.replaced_by and key.is_active_at(moment)
    ]


def _redirect(context: PageContext, user_id: str, *, message: str) -> Response:
    """Redirect to the list, or to the desk if the users changed or removed themselves."""
    if user_id == context.user.user_id:
        return context.redirect("/desk/", message=message)
    return context.redirect(context.url("settings", "users"), message=message)
