"""Settings: API keys, made, shown once, rolled and revoked."""

import hashlib
import hmac
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import msgspec
from starlette.responses import Response
from wtforms import DateField, RadioField, StringField
from wtforms.validators import DataRequired, Optional

from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.resources import AccountRef, Me
from masthead.model.types.enums import Scope
from masthead.services import keys as service
from masthead.services.identity.sign_in import get_secret
from masthead.store import keys as store
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm, choices_of, trimmed
from masthead.web.kit.idempotency import KEY_FORMAT

SCOPES = choices_of(
    [
        (Scope.READ_ONLY.value, "Read-only: it may look at everything, and change nothing"),
        (Scope.READ_WRITE.value, "Read-write: it may also make, change and cancel"),
    ]
)
SCOPE_NAMES = {Scope.READ_ONLY.value: "Read-only", Scope.READ_WRITE.value: "Read-write"}
OVERLAPS = {
    "0": ("At once", timedelta()),
    "1": ("In 1 hour", timedelta(hours=1)),
    "24": ("In 1 day", timedelta(days=1)),
    "168": ("In 7 days", timedelta(days=7)),
}
MOST_OVER = 100  # keys that work no more, which are shown


class KeyForm(BaseForm):
    """A new key."""

    name = StringField(
        "Name", [DataRequired("Give the key a name, so that you know it again.")], [trimmed]
    )
    scope = RadioField("What it may do", choices=SCOPES, default=Scope.READ_ONLY.value)
    ends_on = DateField("Ends on", [Optional()])


class RollForm(BaseForm):
    """When the old key ends."""

    overlap = RadioField(
        "The old key ends",
        choices=choices_of((name, label) for name, (label, _) in OVERLAPS.items()),
        default="24",
    )


class RevokeForm(BaseForm):
    """Nothing but that it is meant."""


def status_of(key: dict[str, Any], moment: datetime) -> str:
    """Where a key stands, in a word or two."""
    if key["revoked_at"]:
        return "Revoked"
    if key["expires_at"] and key["expires_at"] <= moment:
        return "Ended"
    return "Replaced" if key["replaced_by"] else "Works"


async def list_keys(context: PageContext) -> Response:
    """The keys of the account: those that work, and the others."""
    async with context.db.read(aside=True) as db:
        listed = await store.list_keys(db, context.account_id)
    moment = now()
    shown = [{**key, "status": status_of(key, moment)} for key in listed]
    return context.render(
        "settings/keys.html",
        working=[key for key in shown if key["status"] in ("Works", "Replaced")],
        over=[key for key in shown if key["status"] in ("Revoked", "Ended")][:MOST_OVER],
        most_over=MOST_OVER,
        scopes=SCOPE_NAMES,
    )


async def make_key(context: PageContext) -> Response:
    """Make a key for whoever asks, and show it, this once."""

    async def save(form: KeyForm, _: Database) -> Response:
        expires_at = _start_of(form.ends_on.data)
        what = ["create", form.name.data, form.scope.data, str(form.ends_on.data)]
        id, key = await service.create_key(
            context.db,  # its seed, not the form's mark, keeps a second key from being made
            context.account_id,
            user=context.user.email,
            scope=Scope(form.scope.data),
            name=form.name.data or "",
            expires_at=expires_at,
            seed=await _seed(context, form, what),
            by=context.actor,
            post=context.post,
        )
        return await _show(context, id, key)

    return await context.handle_form(KeyForm, "settings/key_new.html", save)


async def roll_key(context: PageContext) -> Response:
    """Put a new key in the place of one, and show it, this once. Raises: NotFound."""
    id = context.path["id"]
    old = await store.get_key(context.db, context.account_id, id)

    async def save(form: RollForm, _: Database) -> Response:
        made, key = await service.roll_key(
            context.db,
            context.account_id,
            id,
            overlap=OVERLAPS[form.overlap.data][1],
            seed=await _seed(context, form, ["roll", id]),
            by=context.actor,
            post=context.post,
        )
        return await _show(
            context, made, key, old=await store.get_key(context.db, context.account_id, id)
        )

    return await context.handle_form(
        RollForm, "settings/key_roll.html", save, key=old, scopes=SCOPE_NAMES
    )


async def revoke_key(context: PageContext) -> Response:
    """End a key, once it is said what that means. Raises: NotFound."""
    id = context.path["id"]
    key = await store.get_key(context.db, context.account_id, id)

    async def save(form: RevokeForm, db: Database) -> Response:
        await service.revoke_key(db, context.account_id, id, by=context.actor)
        said = f"{key['name']} is revoked; within a second nothing answers to it any more."
        return context.redirect(context.url("settings", "keys"), message=said)

    return await context.handle_form(
        RevokeForm, "settings/key_revoke.html", save, key=key, state=status_of(key, now())
    )


async def _seed(context: PageContext, form: BaseForm, what: list[Any]) -> bytes | None:
    """What the key is made of: the same each time that this person sends this form like this.

    So a form that is sent twice makes one key, and both answers can show it. None for a form that
    is none of ours.
    """
    mark = form.idempotency_key.data or ""
    if not KEY_FORMAT.fullmatch(mark):
        return None
    told = [mark, context.account_id, context.user.user_id, *what]
    secret = await get_secret(context.db)
    return hmac.digest(secret, b"API key\0" + msgspec.json.encode(told), hashlib.sha256)


async def _show(
    context: PageContext, id: str, key: str, *, old: dict[str, Any] | None = None
) -> Response:
    """The page with a new key, which no other page ever shows."""
    made = await store.get_key(context.db, context.account_id, id)
    if status_of(made, now()) not in ("Works", "Replaced"):  # the form was sent again much later
        said = "This form has made a key already, which has ended since. Make a new one."
        return context.redirect(context.url("settings", "keys"), message=said)
    account = AccountRef(name=context.membership.name, subdomain=context.membership.subdomain)
    me = Me(email=made["user"], account=account, scope=Scope(made["scope"]))
    return context.render(
        "settings/key_created.html",
        key=key,
        made=made,
        old=old,
        scopes=SCOPE_NAMES,
        address=f"{context.web.public_url}/v1/me/",
        answer=msgspec.json.encode(me).decode(),
    )


def _start_of(day: date | None) -> datetime | None:
    """The moment (UTC) at which a day begins. Raises: Invalid if that is over."""
    if day is None:
        return None
    moment = datetime.combine(day, time(), UTC)
    if moment <= now():
        raise Invalid(
            "The key would have ended before it began. Choose a day after today, or none.",
            field="ends_on",
        )
    return moment
