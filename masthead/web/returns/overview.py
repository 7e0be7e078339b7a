"""The page of what carriers report: open problems to work through, and files to import."""

from collections import Counter
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.returns.delivery_reports import DeliveryReport, ReportKind, ReportStatus
from masthead.model.returns.uploads import MAX_UPLOAD
from masthead.model.translations import counted, gettext as _
from masthead.model.types.filters import SubscriptionId
from masthead.model.types.text import MAX_TEXT
from masthead.services.returns import decisions
from masthead.store.engine.interface import Database
from masthead.store.returns import delivery_reports as store, uploads
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import PAGE, decode_filters
from masthead.web.kit.form_handling import save_form
from masthead.web.kit.forms import BaseForm
from masthead.web.returns.forms import KeysForm, UploadForm

FIRST = 10  # reports of each kind that the overview shows
FILES = 10
MAX_AT_ONCE = 1_000  # new addresses that are accepted with one button


class OpenReportQuery(ListQuery, kw_only=True, frozen=True):
    """The kind of the open reports that are listed, and their subscription."""

    kind: Annotated[ReportKind, Meta(description="kind of the reports")] | UnsetType = UNSET
    subscription: SubscriptionId | None = None


async def show_returns(context: PageContext) -> Response:
    """The open problems, and the forms that add more. Raises: Invalid."""
    return await render_returns(context)


async def render_returns(
    context: PageContext,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    upload_form: UploadForm | None = None,
    keys_form: KeysForm | None = None,
    results: Any = (),
) -> Response:
    """The page, with forms that were filled in before. Raises: Invalid."""
    query, page = decode_filters(context, OpenReportQuery)
    kind = None if query.kind is UNSET else query.kind
    first = PageRequest(FIRST, None, b"")
    async with context.db.read(aside=True) as db:
        counts = await store.count_open_addresses(db, context.account_id)
        pages: dict[ReportKind, Page[DeliveryReport]] = {}
        sharing: dict[str, int] = {}  # subscriptions with the same report, by its id
        for each in (kind,) if kind else ReportKind:
            of_kind = page if each is kind else first
            if query.subscription:
                pages[each] = await store.list_open(
                    db, context.account_id, each, of_kind, subscription_id=query.subscription
                )
            else:
                pages[each], found = await store.list_open_addresses(
                    db, context.account_id, each, of_kind
                )
                sharing |= found
        files = await uploads.list_uploads(db, context.account_id, FILES)
    return context.render(
        "returns/overview.html",
        status=status,
        counts=counts,
        pages=pages,
        sharing=sharing,
        kind=kind,
        subscription=query.subscription,
        is_first=not context.query.get("cursor"),
        files=files,
        decision=BaseForm(),
        upload_form=upload_form or UploadForm(),
        keys_form=keys_form or KeysForm(),
        results=results,
        max_megabytes=MAX_UPLOAD // 1024 // 1024,
    )


async def accept_address(context: PageContext) -> Response:
    """Give the new address to the subscriber's subscriptions. Raises: NotFound, Invalid."""

    async def save(form: BaseForm, db: Database) -> Response:
        report = await decisions.accept_report(
            db, context.account_id, context.path["id"], by=context.actor
        )
        message = _("{name} has the new address.")
        if report.status is ReportStatus.OUTDATED:
            message = _("{name} already has another address, which was kept.")
        return context.redirect(
            context.url("returns"), message=message.format(name=report.full_name)
        )

    return await save_form(context, BaseForm(context.form_data), save)


async def dismiss_report(context: PageContext) -> Response:
    """Keep the address, so that a hold ends. Raises: NotFound, Invalid."""

    async def save(form: BaseForm, db: Database) -> Response:
        report = await decisions.dismiss_report(
            db, context.account_id, context.path["id"], by=context.actor
        )
        message = _("{name} keeps the address.")
        if report.kind is ReportKind.UNDELIVERABLE:
            message = _("Copies for {name} go to the same address again.")
        shown = str(context.fields.get("look_up", ""))[:MAX_TEXT]
        page = context.url("copy-key", key=shown) if shown else context.url("returns")
        return context.redirect(page, message=message.format(name=report.full_name))

    return await save_form(context, BaseForm(context.form_data), save)


async def accept_all(context: PageContext) -> Response:
    """Accept all new addresses that were open when the page was shown, up to 1,000."""
    newest = str(context.fields.get("newest", ""))
    outcomes: Counter[bool] = Counter()  # whether they were accepted
    list_page = partial(store.list_open, context.db, context.account_id, ReportKind.MOVED)
    async for page in all_pages(list_page, limit=PAGE, after=newest + "~"):  # the newest one, too
        for report in page:
            try:
                done = await decisions.accept_report(
                    context.db, context.account_id, report.id, by=context.actor
                )
                outcomes[done.status is ReportStatus.ACCEPTED] += 1
            except Invalid:  # another user has decided in the meantime
                outcomes[False] += 1
        if outcomes.total() >= MAX_AT_ONCE:
            break
    accepted, left = outcomes[True], outcomes[False]
    message = counted("{count} new address accepted.", "{count} new addresses accepted.", accepted)
    if left:
        text = counted(
            "{count} had been decided or changed in the meantime.",
            "{count} had been decided or changed in the meantime.",
            left,
        )
        message = f"{message} {text}"
    return context.redirect(context.url("returns"), message=message)
