"""`masthead webhook`: addresses to which events are sent, and what was sent to them."""

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta
from importlib import import_module
from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number
from msgspec import structs

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    list_all,
    on_account,
    on_database,
)
from masthead.cli.output import (
    print_data,
    print_done,
    print_json,
    print_message,
    print_record,
    print_records,
)
from masthead.model.events.types import PublicEventType
from masthead.model.ids import account_of
from masthead.model.pagination import PageRequest
from masthead.model.types.messages import closest
from masthead.model.webhooks.inputs import (
    DEFAULT_OVERLAP,
    MAX_EVENT,
    MAX_OVERLAP,
    MessageQuery,
    WebhookCreate,
    WebhookResend,
    WebhookUpdate,
)
from masthead.model.webhooks.messages import TEST_NUMBER
from masthead.model.webhooks.resources import (
    MessageStatus,
    WebhookDelivery,
    WebhookSecret,
    WebhookStatus,
)
from masthead.services.webhooks import endpoints as service
from masthead.services.webhooks.resolving import resolve
from masthead.settings import from_env
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.store.webhooks import endpoints as store, messages

WEBHOOK = App(
    name="webhook",
    help="Webhooks: addresses to which events are sent.",
    help_prologue=format_examples(
        "masthead webhook create --account acme --url https://shop.example/masthead",
        "masthead webhook deliveries 00001... --status failed",
        "masthead webhook listen --account acme --forward-to http://127.0.0.1:9000/",
    ),
)
Id = Annotated[str, Parameter(help="id of the webhook; `webhook list` shows it")]
Event = Annotated[
    list[str] | None,
    Parameter(name="--event", negative="", help="type of the events; repeat it for several"),
]
Url = Annotated[str, Parameter(help="address that gets the requests, with https://")]
EventId = Annotated[int, Parameter(validator=Number(gte=1, lte=MAX_EVENT))]
TEST_SECONDS = 20.0  # to wait for the answer to a test
POLL_SECONDS = 0.2
LISTENER = "masthead.background.webhooks.listen"  # its HTTP client loads slowly


def _account_of(id: str) -> int:
    """The account in the id of a webhook. Raises: CommandError."""
    account_id = account_of(id)
    if account_id is None:
        raise CommandError(f"`{id}` is not the id of a webhook; `masthead webhook list` shows it.")
    return account_id


def _event_types(names: Sequence[str] | None) -> list[PublicEventType]:
    """The types of events with these names. Raises: CommandError."""
    known = [type.value for type in PublicEventType]
    for name in names or ():
        if name not in known:
            raise CommandError(f"`{name}` is no type of events.{closest(name, known)}")
    return [PublicEventType(name) for name in names or ()]


@WEBHOOK.command(name="create")
@on_account
async def create_webhook(
    db: Database, account: Account, *, url: Url, event: Event = None, json: Json = False
) -> None:
    """Create a webhook and print its secret. It is shown only once."""
    created = await service.create_webhook(
        db,
        account.id,
        WebhookCreate(url=url, types=_event_types(event)),
        resolved=await resolve(url),
        allow_private=from_env().webhook_allow_private,
        by=command_actor("webhook create"),
    )
    _print_secret(created, json=json)


def _print_secret(created: WebhookSecret, *, json: bool) -> None:
    if json:
        print_json({name: it for name, it in structs.asdict(created).items() if it is not None})
    else:
        print_message(f"Webhook {created.id}. Its secret is shown only once; keep it safe:")
        print_data(created.secret)
        print_message(f"Public key, to check ed25519 signatures: {created.public_key}")


@WEBHOOK.command(name="list")
@on_account
async def list_webhooks(db: Database, account: Account, *, json: Json = False) -> None:
    """List the webhooks of an account, without their secrets."""
    webhooks = await list_all(db, account.id, store.list_webhooks)
    records = [structs.asdict(webhook) for webhook in webhooks]
    if not json:
        records = [{**each, "types": " ".join(each["types"]) or "all"} for each in records]
    print_records(records, json=json)


@WEBHOOK.command(name="enable")
@on_database
async def enable_webhook(db: Database, id: Id, /, *, json: Json = False) -> None:
    """Send events to a webhook again, also those since it was disabled."""
    await _set_status(db, id, WebhookStatus.ENABLED, json=json)


@WEBHOOK.command(name="disable")
@on_database
async def disable_webhook(db: Database, id: Id, /, *, json: Json = False) -> None:
    """Send no events to a webhook. They wait as long as masthead keeps events."""
    await _set_status(db, id, WebhookStatus.DISABLED, json=json)


async def _set_status(db: Database, id: str, status: WebhookStatus, *, json: bool) -> None:
    await service.update_webhook(
        db,
        _account_of(id),
        id,
        WebhookUpdate(status=status),
        resolved=(),
        allow_private=False,
        by=command_actor(f"webhook {status.value.removesuffix('d')}"),
    )
    print_done({"id": id, "status": status}, f"Webhook {id} is {status.value}.", json=json)


@WEBHOOK.command(name="rotate")
@on_database
async def rotate_secret(
    db: Database,
    id: Id,
    /,
    *,
    overlap_hours: Annotated[
        int, Parameter(validator=Number(gte=0, lte=MAX_OVERLAP))
    ] = DEFAULT_OVERLAP,
    json: Json = False,
) -> None:
    """Replace the secret of a webhook and print the new one.

    Parameters
    ----------
    overlap_hours
        hours for which messages are signed with both secrets
    """
    created = await service.rotate_secret(
        db,
        _account_of(id),
        id,
        overlap=timedelta(hours=overlap_hours),
        by=command_actor("webhook rotate"),
    )
    _print_secret(created, json=json)


@WEBHOOK.command(name="delete")
@on_database
async def delete_webhook(db: Database, id: Id, /, *, json: Json = False) -> None:
    """Delete a webhook and the list of its messages."""
    await service.delete_webhook(db, _account_of(id), id, by=command_actor("webhook delete"))
    print_done({"id": id, "is_deleted": True}, f"Webhook {id} is deleted.", json=json)


@WEBHOOK.command(name="test")
@on_database
async def send_test(db: Database, id: Id, /, *, json: Json = False) -> None:
    """Send a test to a webhook, and wait for the answer. `masthead serve` must be running."""
    account_id = _account_of(id)
    delivery = await service.send_test(db, account_id, id, by=command_actor("webhook test"))
    deadline = time.monotonic() + TEST_SECONDS
    while not delivery.attempts:
        if time.monotonic() > deadline:
            raise CommandError(
                "The test waits: nothing has sent it yet. Check that `masthead serve` runs."
            )
        await asyncio.sleep(POLL_SECONDS)
        delivery = await messages.find_message(db, account_id, id, TEST_NUMBER) or delivery
    print_record(_record(delivery, json=json), json=json)


def _record(delivery: WebhookDelivery, *, json: bool) -> dict[str, Any]:
    """A message as the API shows it with `--json`, else with the type of its event only."""
    record = structs.asdict(delivery)
    if not json:
        record["event"] = delivery.event.type.value if delivery.event else ""
    return record


@WEBHOOK.command(name="deliveries")
@on_database
async def list_deliveries(
    db: Database,
    id: Id,
    /,
    *,
    status: Annotated[MessageStatus | None, Parameter(name_transform=str.lower)] = None,
    limit: Annotated[int, Parameter(validator=Number(gte=1, lte=1000))] = 50,
    json: Json = False,
) -> None:
    """List what was sent to a webhook, the newest events first.

    Parameters
    ----------
    status
        only messages with this status
    limit
        number of messages
    """
    account_id = _account_of(id)
    page = PageRequest(limit=limit, after=None, binding=b"")
    async with db.read() as connection:
        await store.get_endpoint(connection, account_id, id)
        listed = await messages.list_messages(
            connection, account_id, id, MessageQuery(status=status), page
        )
    print_records([_record(each, json=json) for each in listed.items], json=json)


@WEBHOOK.command(name="resend")
@on_database
async def resend_events(
    db: Database, id: Id, /, *, first: EventId, last: EventId | None = None, json: Json = False
) -> None:
    """Send an event, or all events of a range, to a webhook again.

    Parameters
    ----------
    first
        id of the first event
    last
        id of the last event; by default the first one
    """
    count = await service.send_again(
        db,
        _account_of(id),
        id,
        WebhookResend(first=first, last=last),
        by=command_actor("webhook resend"),
    )
    print_done({"id": id, "count": count}, f"Events to send again: {count}", json=json)


@WEBHOOK.command(name="listen")
@on_account
async def listen(db: Database, account: Account, *, forward_to: str, event: Event = None) -> None:
    """Send the new events of an account to an address, until Ctrl+C. For development.

    It reads them from the database, creates no webhook, tries each once, and signs them with a
    secret that it prints. The address may be in a private network.

    Parameters
    ----------
    forward_to
        address that gets the requests, such as http://127.0.0.1:9000/
    """
    types = frozenset(map(str, _event_types(event)))
    await import_module(LISTENER).forward(
        db, account.id, forward_to, types=types, say=print_message
    )
