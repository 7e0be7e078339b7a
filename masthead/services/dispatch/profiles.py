"""Create and change export profiles, and find the profile of a file."""

from typing import Any

import msgspec

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.dispatch.built_in_profiles import BUILT_IN, default_profile
from masthead.model.dispatch.profiles import (
    ExportProfile,
    FileFormat,
    ProfileSettings,
    check_settings,
)
from masthead.model.errors import Invalid, NotFound, excerpt
from masthead.model.translations import gettext as _
from masthead.model.types.fields import required_text
from masthead.model.types.messages import closest
from masthead.model.types.text import caseless
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.dispatch import profiles as store
from masthead.store.engine.interface import Connection, Transaction

MAX_NAME = 80


async def list_profiles(db: Connection, account_id: int) -> list[ExportProfile]:
    """The built-in profiles and then the account's own ones, also the inactive ones.

    Queries: one.
    """
    return [*BUILT_IN.values(), *await store.list_profiles(db, account_id)]


async def list_active(db: Connection, account_id: int) -> list[ExportProfile]:
    """The profiles that can be chosen. Queries: one."""
    return [each for each in await list_profiles(db, account_id) if each.is_active]


async def get_profile(db: Connection, account_id: int, id: str) -> ExportProfile:
    """A built-in profile or one of the account's own. Raises: NotFound."""
    return BUILT_IN.get(id) or await store.get_profile(db, account_id, id)


async def find_profile(
    db: Connection, account_id: int, text: str | None, format: FileFormat, *, home: str | None
) -> ExportProfile:
    """The profile for a file. Queries: at most one. Raises: Invalid, NotFound.

    text: its id or its name, in any case; None for the default of the format.
    """
    if text is None:
        return default_profile(format, home)
    if len(text) > MAX_NAME:
        raise NotFound("export profile", excerpt(text))
    known = await list_active(db, account_id)
    for profile in known:
        if text == profile.id or caseless(text) == caseless(profile.name):
            return require_format(profile, format)
    raise Invalid(
        f"There is no export profile `{text}`.{closest(text, [each.name for each in known])}",
        code="not_found",
        field="profile",
        value=text,
    )


def require_format(profile: ExportProfile, format: FileFormat) -> ExportProfile:
    """The profile, if files of the format can be made by it. Raises: Invalid."""
    if format not in profile.settings.formats:
        formats = ", ".join(f"`{each}`" for each in profile.settings.formats)
        raise Invalid(
            _(
                "The export profile `{profile}` is for {formats}, not for `{format}`. Choose "
                "another profile or another format."
            ).format(profile=profile.name, formats=formats, format=format),
            field="profile",
            value=profile.name,
        )
    return profile


@with_locked_account
async def create_profile(
    tx: Transaction, account: Account, *, name: str, settings: ProfileSettings, by: Actor
) -> ExportProfile:
    """Create a profile. Raises: Invalid."""
    name, settings = _check_name(name), check_settings(settings)
    await _require_free_name(tx, account.id, name)
    id = await store.insert_profile(tx, account.id, name=name, settings=settings)
    after = {"name": name, "settings": msgspec.to_builtins(settings)}
    entry = NewEntry(EntryType.EXPORT_PROFILE_CREATE, id, None, after)
    await trail.record(tx, account.id, by, [entry])
    return await store.get_profile(tx, account.id, id)


@with_locked_account
async def update_profile(
    tx: Transaction, account: Account, id: str, *, name: str, settings: ProfileSettings, by: Actor
) -> ExportProfile:
    """Change a profile. Existing files keep the settings that they were made with.

    Raises: Invalid, NotFound.
    """
    _require_own(id)
    given: dict[str, Any] = {"name": _check_name(name), "settings": check_settings(settings)}
    before = await store.get_profile(tx, account.id, id)
    await _require_free_name(tx, account.id, given["name"], except_id=id)
    changed = {field: to for field, to in given.items() if getattr(before, field) != to}
    if changed:
        await store.update_profile(tx, account.id, id, changed)
        old = {field: msgspec.to_builtins(getattr(before, field)) for field in changed}
        new = {field: msgspec.to_builtins(to) for field, to in changed.items()}
        entry = NewEntry(EntryType.EXPORT_PROFILE_UPDATE, id, old, new)
        await trail.record(tx, account.id, by, [entry])
    return await store.get_profile(tx, account.id, id)


@with_locked_account
async def set_profile_active(
    tx: Transaction, account: Account, id: str, *, is_active: bool, by: Actor
) -> ExportProfile:
    """Activate or deactivate a profile. An inactive one cannot be chosen for new files.

    Raises: Invalid, NotFound.
    """
    _require_own(id)
    before = await store.get_profile(tx, account.id, id)
    if before.is_active != is_active:
        if is_active:
            await _require_free_name(tx, account.id, before.name, except_id=id)
        await store.update_profile(tx, account.id, id, {"is_active": is_active})
        entry = NewEntry(
            EntryType.EXPORT_PROFILE_ACTIVATE if is_active else EntryType.EXPORT_PROFILE_DEACTIVATE,
            id,
            {"is_active": before.is_active},
            {"is_active": is_active},
        )
        await trail.record(tx, account.id, by, [entry])
    return await store.get_profile(tx, account.id, id)


def _require_own(id: str) -> None:
    if id in BUILT_IN:
        raise Invalid(
            f"The export profile `{BUILT_IN[id].name}` is built in and cannot be changed. Create "
            "your own profile; it can start as a copy of this one.",
        )


def _check_name(name: str) -> str:
    text = required_text("name", name.strip())
    if len(text) > MAX_NAME:
        raise Invalid(
            _("`name` has {count} characters; at most {most} are allowed.").format(
                count=len(text), most=MAX_NAME
            ),
            field="name",
        )
    return text


async def _require_free_name(
    tx: Transaction, account_id: int, name: str, *, except_id: str = ""
) -> None:
    for profile in await list_profiles(tx, account_id):
        is_same = caseless(profile.name) == caseless(name) or name == profile.id
        if is_same and profile.is_active and profile.id != except_id:
            raise Invalid(
                _(
                    "`name` is `{name}`, but an export profile already has this name. Choose "
                    "another one."
                ).format(name=name),
                field="name",
                value=name,
            )
