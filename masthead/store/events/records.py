"""The JSON of records for events, in the shape of the API."""

from collections.abc import Awaitable, Callable, Iterable, Mapping

import msgspec

from masthead.model.events.resources import ImportRun
from masthead.model.returns.report_resources import DeliveryReportResource
from masthead.store.billing import resources as billing
from masthead.store.claims import records as claims
from masthead.store.dispatch import run_resources
from masthead.store.engine.interface import Connection
from masthead.store.imports import batches
from masthead.store.issues import records as issues
from masthead.store.read_model.subscription_json import render_json
from masthead.store.returns import delivery_reports
from masthead.store.subscribers import subscriber_json
from masthead.store.subscriptions import refunds

_encode = msgspec.json.Encoder().encode
_Render = Callable[[Connection, int, list[str]], Awaitable[Mapping[str, bytes]]]


async def render_records(
    db: Connection, account_id: int, record_type: str, ids: list[str]
) -> Mapping[str, bytes]:
    """The JSON of the records that exist, by id.

    Queries: at most three for any number of records; one or two for each import and each run.
    """
    return await _RENDER[record_type](db, account_id, ids)


def _by_id(found: Iterable[msgspec.Struct]) -> dict[str, bytes]:
    return {getattr(each, "id"): _encode(each) for each in found}  # noqa: B009 - not of all structs


async def _subscribers(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    return (await subscriber_json.find_json(db, account_id, ids)).by_key()


async def _issues(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    return _by_id(await issues.list_by_ids(db, account_id, ids))


async def _dispatches(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    return _by_id([await run_resources.get_run(db, account_id, id) for id in ids])


async def _imports(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    return _by_id([ImportRun.of(await batches.get_batch(db, account_id, id)) for id in ids])


async def _refunds(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    return _by_id(await refunds.list_by_ids(db, account_id, ids))


async def _claims(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    return _by_id(await claims.list_by_ids(db, account_id, ids))


async def _reports(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    found = await delivery_reports.list_by_ids(db, account_id, ids)
    return _by_id(DeliveryReportResource.from_report(account_id, each) for each in found)


async def _invoices(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    return _by_id(await billing.list_invoices(db, account_id, ids))


async def _payments(db: Connection, account_id: int, ids: list[str]) -> Mapping[str, bytes]:
    return _by_id(await billing.list_payments(db, account_id, ids))


_RENDER: Mapping[str, _Render] = {
    "subscription": render_json,
    "subscriber": _subscribers,
    "issue": _issues,
    "dispatch": _dispatches,
    "import": _imports,
    "refund": _refunds,
    "claim": _claims,
    "delivery_report": _reports,
    "invoice": _invoices,
    "payment": _payments,
}
