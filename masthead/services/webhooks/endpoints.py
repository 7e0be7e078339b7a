"""Create, change, rotate and delete webhooks, and send tests."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import UNSET

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.ids import first_copy_id
from masthead.model.translations import gettext as _
from masthead.model.webhooks.addresses import check_resolved, check_url
from masthead.model.webhooks.inputs import (
    DEFAULT_OVERLAP,
    WebhookCreate,
    WebhookResend,
    WebhookUpdate,
)
from masthead.model.webhooks.messages import TEST_NUMBER
from masthead.model.webhooks.resources import (
    DisabledReason,
    Webhook,
    WebhookDelivery,
    WebhookSecret,
    WebhookStatus,
)
from masthead.model.webhooks.signatures import new_keys, rotate
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.events.log import get_span
from masthead.store.webhooks import endpoints as store, messages

MAX_WEBHOOKS = 20  # of an account
_DEFAULT_OVERLAP = timedelta(hours=DEFAULT_OVERLAP)


@with_locked_account
async def create_webhook(
    tx: Transaction,
    account: Account,
    body: WebhookCreate,
    *,
    resolved: Sequence[str],
    allow_private: bool,
    by: Actor,
) -> WebhookSecret:
    """Create a webhook, which gets the events from now on. Its secret is not shown again.

    resolved: the IP addresses of its host. Raises: Invalid.
    """
    url, types = _checked(body.url, resolved, allow_private=allow_private), body.types or ()
    made = new_keys()
    if await store.count_webhooks(tx, account.id) >= MAX_WEBHOOKS:
        raise Invalid(
            _("The account has {limit} webhooks; no more are allowed. Delete one.").format(
                limit=MAX_WEBHOOKS
            ),
            code="too_many_webhooks",
        )
    id = await store.insert_endpoint(
        tx,
        account.id,
        url=url,
        types=sorted(set(types)),
        keys=made,
        last_number=(await get_span(tx, account.id)).newest,
    )
    after = {"url": url, "types": _shown(types)}
    await _record(tx, account.id, by, EntryType.WEBHOOK_CREATE, id, None, after)
    return WebhookSecret(id, made.secret, made.public, None)


def _checked(url: str, resolved: Sequence[str], *, allow_private: bool) -> str:
    url = check_url(url, allow_private=allow_private)
    check_resolved(url, resolved, allow_private=allow_private)
    return url


def _shown(types: Sequence[str]) -> list[str]:
    return sorted({str(each) for each in types})


async def _record(
    tx: Transaction,
    account_id: int,
    by: Actor,
    type: EntryType,
    id: str,
    before: Mapping[str, object] | None,
    after: Mapping[str, object] | None,
) -> None:
    await trail.record(tx, account_id, by, [NewEntry(type, id, before, after)])


@with_locked_account
async def update_webhook(
    tx: Transaction,
    account: Account,
    id: str,
    body: WebhookUpdate,
    *,
    resolved: Sequence[str],
    allow_private: bool,
    by: Actor,
) -> Webhook:
    """Change a webhook. Once enabled, it gets the events since it was disabled.

    resolved: the IP addresses of the host of its new address. Raises: NotFound, Invalid.
    """
    wanted: dict[str, object] = {}
    if body.url is not UNSET:
        wanted["url"] = _checked(body.url, resolved, allow_private=allow_private)
    if body.types is not UNSET:
        wanted["types"] = sorted(set(body.types))
    old = await store.get_endpoint(tx, account.id, id)
    changes = {name: value for name, value in wanted.items() if value != getattr(old, name)}
    if changes:
        await store.update_endpoint(tx, account.id, id, changes)
        before, after = (
            {
                name: _shown(value) if isinstance(value, list) else value
                for name, value in values.items()
            }
            for values in ({name: getattr(old, name) for name in changes}, changes)
        )
        await _record(tx, account.id, by, EntryType.WEBHOOK_UPDATE, id, before, after)
    if body.status is not UNSET and body.status != old.status:
        await set_status(tx, old, body.status, reason=DisabledReason.REQUEST, by=by)
    return (await store.get_endpoint(tx, account.id, id)).resource()


async def set_status(
    tx: Transaction,
    old: store.Endpoint,
    status: WebhookStatus,
    *,
    reason: DisabledReason,
    by: Actor,
) -> None:
    """Enable or disable a webhook. reason: why it is disabled."""
    is_enabled = status is WebhookStatus.ENABLED
    changes: dict[str, object] = {
        "status": status.value,
        "disabled_reason": None if is_enabled else reason.value,
    }
    if is_enabled:
        changes |= {"failing_at": None, "mailed_at": None}
    await store.update_endpoint(tx, old.account_id, old.id, changes)
    type = EntryType.WEBHOOK_ENABLE if is_enabled else EntryType.WEBHOOK_DISABLE
    before, after = {"status": old.status.value}, {"status": status.value}
    if not is_enabled:
        after["disabled_reason"] = reason.value
    await _record(tx, old.account_id, by, type, old.id, before, after)


@with_locked_account
async def rotate_secret(
    tx: Transaction, account: Account, id: str, *, overlap: timedelta = _DEFAULT_OVERLAP, by: Actor
) -> WebhookSecret:
    """Replace the secret of a webhook; messages are signed with both for a while.

    Raises: NotFound.
    """
    old = await store.get_endpoint(tx, account.id, id)
    keys = rotate(old.signing_keys, now(), overlap)
    await store.update_endpoint(tx, account.id, id, {"signing_keys": keys})
    until: datetime | None = keys[1].ends_at if len(keys) > 1 else None
    after = {"old_secret_until": until.isoformat() if until else None}
    await _record(tx, account.id, by, EntryType.WEBHOOK_ROTATE, id, None, after)
    return WebhookSecret(id, keys[0].secret, keys[0].public, until)


@with_locked_account
async def delete_webhook(tx: Transaction, account: Account, id: str, *, by: Actor) -> Webhook:
    """Delete a webhook and its messages; returns what it was. Raises: NotFound."""
    await store.hold_endpoint(tx, account.id, id)
    old = (await store.get_endpoint(tx, account.id, id)).resource()
    await store.delete_endpoint(tx, account.id, id)
    before = {"url": old.url, "types": _shown(old.types)}
    await _record(tx, account.id, by, EntryType.WEBHOOK_DELETE, id, before, None)
    return old


@with_locked_account
async def send_test(tx: Transaction, account: Account, id: str, *, by: Actor) -> WebhookDelivery:
    """Let a test be sent to a webhook. Raises: NotFound, Invalid if it is disabled."""
    _require_enabled(await store.get_endpoint(tx, account.id, id))
    await messages.send_test(tx, account.id, id)
    await _record(tx, account.id, by, EntryType.WEBHOOK_SEND_TEST, id, None, {})
    test = await messages.find_message(tx, account.id, id, TEST_NUMBER)
    assert test is not None
    return test


def _require_enabled(endpoint: store.Endpoint) -> None:
    if endpoint.status is not WebhookStatus.ENABLED:
        raise Invalid(
            _("The webhook is disabled, so nothing is sent to it. Enable it first."),
            code="webhook_disabled",
        )


@with_locked_account
async def send_again(
    tx: Transaction, account: Account, id: str, body: WebhookResend, *, by: Actor
) -> int:
    """Send the events of a range that it gets once more; returns how many.

    Raises: NotFound, Invalid if there is no such event, or the webhook is disabled.
    """
    first = body.first - first_copy_id(account.id)
    last = (body.last or body.first) - first_copy_id(account.id)
    if last < first:
        raise Invalid(
            _("`last` is before `first`. Send the id of the earlier event as `first`."),
            field="last",
            value=body.last or "",
        )
    endpoint = await store.get_endpoint(tx, account.id, id)
    _require_enabled(endpoint)
    count = await messages.send_again(
        tx,
        account.id,
        id,
        first=first,
        last=min(last, endpoint.last_number),  # later ones wait already
        types=endpoint.types,
    )
    if not count:
        raise Invalid(
            _(
                "There is no such event that can be sent again: its type is not one of this "
                "webhook, it was deleted, or it has not been sent yet."
            ),
            code="unknown_event",
            field="first",
            value=body.first,
        )
    after: dict[str, object] = {"first": body.first, "last": body.last or body.first}
    await _record(tx, account.id, by, EntryType.WEBHOOK_RESEND, id, None, after)
    return count
