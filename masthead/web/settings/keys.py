"""Settings: create, list, roll and revoke API keys."""

import hashlib
import hmac
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from starlette.responses import Response
from wtforms import DateField, Field, RadioField
from wtforms.validators import Optional

from masthead.model.clock import now, start_of
from masthead.model.errors import Invalid
from masthead.model.identity.api_keys import ApiKey
from masthead.model.identity.rights import Right, names_of, rights_of_stored, stored_text
from masthead.model.resources import AccountRef, Me
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import Scope
from masthead.services import keys as service
from masthead.services.identity.server_secrets import get_secret
from masthead.store import keys as store
from masthead.store.engine.interface import Database
from masthead.web.kit.choices import OVERLAPS
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, name_field
from masthead.web.kit.idempotency import KEY_FORMAT
from masthead.web.settings.rights_fields import (
    CHOSEN,
    explained_rights,
    left_out,
    refuse_unused_ticks,
    rights_field,
)

SCOPES = choices_of(
    [
        (Scope.READ_ONLY.value, gettext_noop("Read-only: read everything, change nothing")),
        (Scope.READ_WRITE.value, gettext_noop("Read-write: also create, change and cancel")),
    ]
)
SCOPE = "scope"  # all that the scope allows
ALLOWS = choices_of(
    [
        (SCOPE, gettext_noop("Everything that the scope allows")),
        (CHOSEN, gettext_noop("Only the rights you choose")),
    ]
)
ACTIVE = ("Active", "Rolled")
MAX_INACTIVE = 100  # inactive keys in the list


class KeyForm(BaseForm):
    """A new key."""

    name = name_field("Give the key a name, so that you can recognize it.")
    scope = RadioField("Scope", choices=SCOPES, default=Scope.READ_ONLY.value)
    allows = RadioField("The key allows", choices=ALLOWS, default=SCOPE)
    rights = rights_field()
    ends_on = DateField("Expires on", [Optional()])

    def validate_rights(self, field: Field) -> None:
        """Refuse rights that were ticked but not chosen."""
        refuse_unused_ticks(self.allows.data, field.data or (), field.object_data or ())


class RollForm(BaseForm):
    """When the old key expires."""

    overlap = RadioField(
        "The old key expires",
        choices=choices_of((name, label) for name, (label, _) in OVERLAPS.items()),
        default="24",
    )


def status_of(key: ApiKey, moment: datetime) -> str:
    """The status of a key, as the list shows it."""
    if key.revoked_at:
        return "Revoked"
    if not key.is_active_at(moment):
        return "Expired"
    return "Rolled" if key.replaced_by else "Active"


async def list_keys(context: PageContext) -> Response:
    """List the active and the inactive keys of the account."""
    async with context.db.read(aside=True) as db:
        listed = await store.list_keys(db, context.account_id)
    moment = now()
    statuses = {key.id: status_of(key, moment) for key in listed}
    return context.render(
        "settings/keys.html",
        active=[key for key in listed if statuses[key.id] in ACTIVE],
        inactive=[key for key in listed if statuses[key.id] not in ACTIVE][:MAX_INACTIVE],
        statuses=statuses,
        max_inactive=MAX_INACTIVE,
        rights_of=_describe_rights,
    )


def _describe_rights(key: ApiKey) -> str:
    """The names of the chosen rights of a key; empty for other keys."""
    if key.own_rights is None:
        return ""
    return names_of(rights_of_stored(key.own_rights)) or _("no rights")


async def create_key(context: PageContext) -> Response:
    """Create a key for the signed-in user, and show it once."""

    async def save(form: KeyForm, db: Database) -> Response:
        expires_at = _start_of(form.ends_on.data, context.zone)
        rights = None
        if form.allows.data == CHOSEN:
            rights = frozenset(map(Right, form.rights.data or ()))
        what = ["create", form.name.data, form.scope.data, str(form.ends_on.data)]
        what.append(None if rights is None else stored_text(rights))
        id, key = await service.create_key(
            db,
            context.account_id,
            user=context.user.email,
            scope=Scope(form.scope.data),
            name=form.name.data or "",
            expires_at=expires_at,
            rights=rights,
            seed=await _seed(context, form, what),
            by=context.actor,
            site=context.site,
        )
        note = left_out(rights or ())
        return await _show(context, id, key, note=note)

    return await handle_form(
        context,  # the seed prevents a second key
        KeyForm,
        "settings/key_new.html",
        save,
        in_transaction=False,
        rights=explained_rights(),
    )


async def roll_key(context: PageContext) -> Response:
    """Replace a key by a new one, and show it once. Raises: NotFound."""
    id = context.path["id"]
    old = await store.get_key(context.db, context.account_id, id)

    async def save(form: RollForm, db: Database) -> Response:
        made, key = await service.roll_key(
            db,
            context.account_id,
            id,
            overlap=OVERLAPS[form.overlap.data][1],
            seed=await _seed(context, form, ["roll", id]),
            by=context.actor,
            site=context.site,
        )
        return await _show(context, made, key, old=await store.get_key(db, context.account_id, id))

    return await handle_form(
        context,
        RollForm,
        "settings/key_roll.html",
        save,
        in_transaction=False,
        key=old,
    )


async def revoke_key(context: PageContext) -> Response:
    """Revoke a key, after a confirmation. Raises: NotFound."""
    id = context.path["id"]
    key = await store.get_key(context.db, context.account_id, id)

    async def save(form: BaseForm, db: Database) -> Response:
        await service.revoke_key(db, context.account_id, id, by=context.actor)
        text = _("{name} is revoked. It stops working within a second.")
        message = text.format(name=key.name)
        return context.redirect(context.url("settings", "keys"), message=message)

    return await handle_form(
        context, BaseForm, "settings/key_revoke.html", save, key=key, state=status_of(key, now())
    )


async def _seed(context: PageContext, form: BaseForm, what: list[Any]) -> bytes | None:
    """The seed of a new key: the same each time that this user sends this form with these values.

    So a form that is sent twice creates one key, and both responses can show it. None for a form
    without our idempotency key.
    """
    idempotency_key = form.idempotency_key.data or ""
    if not KEY_FORMAT.fullmatch(idempotency_key):
        return None
    values = [idempotency_key, context.account_id, context.user.user_id, *what]
    secret = await get_secret(context.db)
    return hmac.digest(secret, b"API key\0" + msgspec.json.encode(values), hashlib.sha256)


async def _show(
    context: PageContext, id: str, key: str, *, old: ApiKey | None = None, note: str = ""
) -> Response:
    """Show a new key; no other page shows it."""
    made = await store.get_key(context.db, context.account_id, id)
    if status_of(made, now()) not in ACTIVE:  # the form was sent again, much later
        message = _("This form already created a key, which is now inactive. Create a new key.")
        return context.redirect(context.url("settings", "keys"), message=message)
    account = AccountRef(name=context.membership.name, subdomain=context.membership.subdomain)
    me = Me(email=made.user, account=account, scope=made.scope)
    return context.render(
        "settings/key_created.html",
        key=key,
        made=made,
        old=old,
        rights=_describe_rights(made),
        note=note,
        address=f"{context.web.public_url}/v1/me/",
        answer=msgspec.json.encode(me).decode(),
    )


def _start_of(day: date | None, zone: ZoneInfo) -> datetime | None:
    """The start of a day. Raises: Invalid if it is in the past."""
    if day is None:
        return None
    moment = start_of(day, zone)
    if moment <= now():
        raise Invalid(
            _("This day is not in the future. Choose a later day, or leave the field empty."),
            field="ends_on",
        )
    return moment
