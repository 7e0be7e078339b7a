"""The preview of an import: its first rows as they would be, and the rules that apply."""

from collections.abc import Sequence
from datetime import date

from babel import Locale
from msgspec import Struct
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.imports.batches import CHANGEABLE
from masthead.model.imports.mapping import answer_mapping
from masthead.model.imports.plan import AccountFacts, ImportPlan, Survey
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.tabular_data import Table
from masthead.model.orders.order import Order
from masthead.model.translations import gettext as _
from masthead.model.types.money import amount_in, money_text
from masthead.services.imports.facts import load_facts
from masthead.services.imports.work.open_uploads import OpenUpload
from masthead.store.imports import batches as store
from masthead.web.imports.conversions import MONEY, Conversion, find_conversions
from masthead.web.imports.files import list_unused, open_upload, require_columns
from masthead.web.imports.shown_rows import prepare_shown
from masthead.web.imports.typed_names import typed_name
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import country_in, day_in, get_locale
from masthead.web.kit.forms import BaseForm


class PreviewPage(Struct, frozen=True):
    """What the page shows. problem: why no row can be shown."""

    survey: Survey
    rows: list[PreparedRow]
    problem: str = ""
    conversions: Sequence[Conversion] = ()


async def show_preview(context: PageContext) -> Response:
    """The first rows as they would be. Raises: NotFound."""
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])
    if batch.status not in CHANGEABLE or batch.number is not None:
        return context.redirect(context.url("imports", batch.id))
    async with context.db.read() as db:
        facts = await load_facts(db, context.account_id, context.defaults)
    try:
        upload = await open_upload(context, batch)
        page = await _read(upload, batch.plan, facts)
        description = [upload.table.description, *upload.table.notes]
        unused = list_unused(batch.plan, upload.table.columns)
    except Invalid as reason:
        page, description, unused = PreviewPage(Survey(), [], str(reason)), [], []
    return context.render(
        "imports/preview.html",
        batch=batch,
        description=description,
        unused=unused,
        page=page,
        form=BaseForm(),
        name_of=_name_of,
        typed_name=lambda row: typed_name(
            zip(batch.layout.columns, row.lines[0].cells, strict=False), batch.plan.mapping
        ),
        address_of=_address_of,
        conversions=_shown_conversions(page.conversions, get_locale(context.locale)),
    )


async def _read(upload: OpenUpload, plan: ImportPlan, facts: AccountFacts) -> PreviewPage:
    """The first rows as they would be. Raises: Busy."""
    found = Survey()
    try:
        require_columns(plan)
        found = await upload.survey(answer_mapping(plan.mapping, plan.answers))
        return await upload.run(prepare_page, plan, found, facts)
    except Invalid as reason:
        return PreviewPage(found, [], str(reason))


def prepare_page(table: Table, plan: ImportPlan, found: Survey, facts: AccountFacts) -> PreviewPage:
    """The page of a table whose rows can be read. Raises: Invalid."""
    rows = prepare_shown(table, plan, found, facts)
    conversions = find_conversions(rows, plan.mapping, table.columns)
    return PreviewPage(found, rows, conversions=conversions)


def _shown_conversions(
    conversions: Sequence[Conversion], locale: Locale
) -> list[tuple[str, str, str]]:
    """The column, the cell and the value of each conversion that changes more than spaces."""
    shown = [(each.column, each.cell, _value_of(each, locale)) for each in conversions]
    return [each for each in shown if each[1].split() != each[2].split()]


def _value_of(it: Conversion, locale: Locale) -> str:
    """A converted value as pages write it."""
    if it.field in MONEY:
        amount = money_text(int(str(it.value)), it.currency)
        return amount_in(amount, it.currency, locale)
    if isinstance(it.value, date):
        return day_in(it.value, locale)
    text = str(it.value)
    return country_in(text, locale) if it.field == "country" else _(text)


def _name_of(order: Order) -> str:
    """The person or company that an order is for."""
    name = " ".join(filter(None, (order.first_name, order.last_name)))
    return ", ".join(filter(None, (name, order.company)))


def _address_of(order: Order) -> list[str]:
    """The parts of the address, without its country."""
    place = " ".join(filter(None, (order.postcode, order.city)))
    return [part for part in (order.address1, order.address2, place, order.state) if part]
