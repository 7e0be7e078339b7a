"""Makes the orders of a row: its cells are converted, completed and checked."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from msgspec import structs

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.mapping import LEAVE_OUT, NOT_RECURRING, UNSTATED, ImportMapping
from masthead.model.imports.plan import AccountFacts, ImportPlan, Problem, Survey
from masthead.model.imports.rows import checks
from masthead.model.imports.rows.assembly import Assembly, warnings_of
from masthead.model.imports.rows.compiled import ITEM_TARGETS, CompiledMapping
from masthead.model.imports.rows.converters import Convert, amount_converter, converter_of
from masthead.model.imports.rows.items import (
    ItemOffers,
    OrderItem,
    SoldItem,
    describe_unnamed,
    is_covered,
    length_in,
    names_of,
    naming_product,
    offer_fields,
    share_amounts,
)
from masthead.model.imports.rows.prepared import PreparedRow, problems_of
from masthead.model.imports.rows.rules import Get, LeftOut
from masthead.model.imports.rows.status import Follows, Statuses
from masthead.model.imports.subscription_row import SubscriptionRow
from masthead.model.imports.tabular_data import Line
from masthead.model.imports.values.amounts import is_positive
from masthead.model.imports.values.texts import clean, read_medium, read_whole
from masthead.model.orders.field_rules import AMOUNTS
from masthead.model.orders.order import Order, list_combined_refusals, make_order
from masthead.model.translations import gettext as _
from masthead.model.types.text import MAX_TEXT

_ROW_FIELDS = frozenset(SubscriptionRow.__struct_fields__)
MAX_QUANTITY = 100  # of an item in an order: so many subscriptions


class OrderMaker:
    """Makes the orders of the rows of one table. The mapping is compiled once."""

    def __init__(
        self,
        mapping: ImportMapping,
        plan: ImportPlan,
        survey: Survey,
        facts: AccountFacts,
        compiled: CompiledMapping,
    ) -> None:
        self._facts, self._compiled, self._mapping = facts, compiled, mapping
        self._names = compiled.names
        self._product_id = plan.product_id
        self._issues = () if plan.create_issues else {each.number for each in facts.issues}
        self._positive, self._has_one_of = mapping.positive, mapping.has_one_of
        self._prefix = plan.order_prefix or mapping.order_prefix
        self._steps: list[tuple[str, Get, Convert]] = [
            (target, get, converter_of(target, self._names.get(target, ""), mapping, survey, facts))
            for target, get in compiled.gets.items()
            if target not in ITEM_TARGETS
        ]
        self._amounts = {
            name: amount_converter(name, self._names.get(name, ""), mapping, survey)
            for name in (*AMOUNTS, "item_price")
            if name in compiled.gets
        }
        self._offers = ItemOffers(mapping.products) if mapping.products else None
        self._has_items = any(name in compiled.gets for name in ITEM_TARGETS)
        self._statuses = Statuses(mapping)
        self._has_paid_date = "paid_date" in compiled.gets
        self._follows = Follows(facts)
        self._assembly = Assembly(mapping, facts, compiled.gets, is_own=compiled.is_own)

    def rows_of(self, lines: Sequence[Line]) -> list[PreparedRow]:
        """The rows of one order of the file: one, or one for each product."""
        first = lines[0]
        row = PreparedRow(lines=list(lines), names=self._names, warnings=[*first.remarks])
        if first.problem or len(first.cells) > self._compiled.width:
            text = first.problem or _("The row has more cells than there are columns.")
            row.reasons = [Problem("", "", text)]
            return [row]
        try:
            self._compiled.check_filters(first.cells)
            given, refusals = self._convert(first.cells)
            self._apply_status(given, refusals)
            self._check_values(given, first.cells)
            self._read_amounts(given, refusals)
            if not self._has_items:
                return [self._finish(row, given, refusals)]
            return self._parts(row, given, refusals)
        except LeftOut as out:
            row.left_out, row.left_out_value = out.column, excerpt(out.value)
            return [row]

    def _convert(self, cells: Sequence[str]) -> tuple[dict[str, Any], list[Invalid]]:
        """The values of the cells by field, and the errors of the others. Raises: LeftOut."""
        given, refusals = dict[str, Any](), list[Invalid]()
        for target, get, convert in self._steps:
            text = get(cells).strip()
            if text:
                if text[0] == "=" or "'" in text:
                    text = clean(text)
                try:
                    value = convert(text) if text else None
                except Invalid as refusal:
                    refusals.append(refusal)
                else:
                    if value is not None:
                        given[target] = value
        return given, refusals

    def _apply_status(self, given: dict[str, Any], refusals: list[Invalid]) -> None:
        """Replace the text of the status by its meaning. Raises: LeftOut."""
        text = given.pop("status", None)
        paid_on = given.pop("paid_date", "" if self._has_paid_date else None)
        is_stated = False
        if text is not None:
            try:
                meaning = self._statuses.of_row(text, given, paid_on)
            except Invalid as refusal:
                refusals.append(refusal)
                return
            if meaning == LEAVE_OUT:
                raise LeftOut(self._names.get("status", "status"), text)
            is_stated = meaning != UNSTATED
            if meaning == NOT_RECURRING:
                given["is_recurring"] = False
            elif is_stated:
                given["status"] = meaning
        self._assembly.apply_status(given, is_stated=is_stated)

    def _check_values(self, given: dict[str, Any], cells: Sequence[str]) -> None:
        """Raises: LeftOut if the mapping leaves out rows with these values."""
        for name in self._positive:
            if (text := given.get(name, "")) and not is_positive(text):
                raise LeftOut(self._names.get(name, name), text)
        names, compiled = self._has_one_of, self._compiled
        if names and not any(
            compiled.text(name, cells) if name in ITEM_TARGETS else given.get(name)
            for name in names
        ):
            raise LeftOut(self._names.get(names[0], names[0]), "")

    def _parts(
        self, row: PreparedRow, given: dict[str, Any], refusals: list[Invalid]
    ) -> list[PreparedRow]:
        """The orders of a row with items. Raises: LeftOut if none of them is a product."""
        currency = given.get("currency") or self._facts.defaults.currency
        items = [
            self._item(texts, currency, refusals)
            for line in row.lines
            for texts in self._compiled.item_texts(line.cells)
        ]
        counted = [item for item in items if length_in(item.name)] or items[:1]
        sold = [SoldItem(None, item) for item in counted]
        if self._offers is not None:
            sold = self._offers.sold(items)
            if not sold:
                raise LeftOut(self._names.get("product", "product"), names_of(items))
        bundle = [each for each in sold for _subscription in range(each.item.quantity)]
        product = items[0].name if items else ""
        if len(bundle) < 2 and len(items) < 2:
            more = self._with_offer(row, given, sold[0] if sold else None)
            return [self._finish(row, more, refusals, product, product)]
        shared, warning = share_amounts(given, bundle, items, currency)
        remarks = [warning, describe_unnamed(self._offers, items, sold)]
        rows = []
        for part, (each, amounts) in enumerate(zip(bundle, shared, strict=True), 1):
            of_part = structs.replace(
                row, part=part, warnings=[*row.warnings, *filter(None, remarks)]
            )
            more = self._with_offer(of_part, {**given, **amounts}, each)
            rows.append(self._finish(of_part, more, list(refusals), product, each.item.name))
        return rows

    def _item(
        self, texts: tuple[str, str, str], currency: str, refusals: list[Invalid]
    ) -> OrderItem:
        """An item with its quantity and its price. Errors are added to the refusals."""
        name, quantity_text, price_text = texts
        quantity, price = 1, None
        try:
            if quantity_text.strip("0.,"):
                quantity = read_whole("quantity", quantity_text, most=MAX_QUANTITY)
            if price_text:
                price = Decimal(self._amounts["item_price"](price_text, currency))
        except Invalid as refusal:
            refusals.append(refusal)
        if price is not None and self._compiled.prices_are_of_lines:
            price /= quantity
        return OrderItem(name, quantity, price)

    def _with_offer(
        self, row: PreparedRow, given: dict[str, Any], sold: SoldItem | None
    ) -> dict[str, Any]:
        """The fields with those of an offer; sets the product and the source of the row."""
        if sold is None:
            return given
        offer = sold.offer
        length = None if is_covered(given) else length_in(sold.item.name)
        if offer is None:
            return {**given, "length": length} if length else given
        more = offer_fields(offer, given)
        if length and "interval_months" not in more:
            more.setdefault("length", length)
        if "medium" in more:
            more["medium"] = read_medium("medium", more["medium"])
        if offer.product:
            row.product_id = self._facts.products.get(offer.product, offer.product)
        if offer.source:
            row.source_id = self._facts.sources.get(offer.source, offer.source)
        return {**given, **more}

    def _read_amounts(self, given: dict[str, Any], refusals: list[Invalid]) -> None:
        """Replace the texts of the amounts by decimal amounts."""
        currency = given.get("currency") or self._facts.defaults.currency
        for name, convert in self._amounts.items():
            if name in given:
                try:
                    given[name] = convert(given[name], currency)
                except Invalid as refusal:
                    del given[name]
                    refusals.append(refusal)

    def _finish(
        self,
        row: PreparedRow,
        given: dict[str, Any],
        refusals: list[Invalid],
        product: str = "",
        item: str = "",
    ) -> PreparedRow:
        """The row with its order, or the reasons against it. product: of the row; item: of this."""
        refusals += self._assembly.assemble(given)
        self._fill_order_id(row, given, product)
        row.fields = given
        order = self._order_of(given, refusals)
        if order is None:
            named = [naming_product(refusal, item) for refusal in refusals]
            row.reasons = problems_of(named, self._names)
            return row
        row.order = order
        row.product_id = row.product_id or self._product_id
        row.warnings = [*row.warnings, *warnings_of(given, self._compiled.gets)]
        if (stated := given.get("status")) is not None:
            follows = self._follows.differs(stated, order)
            if follows:
                row.warnings = [*row.warnings, self._status_warning(stated, follows)]
        return row

    def _status_warning(self, stated: str, follows: str) -> str:
        message = _("`{column}` says `{stated}`, but by its data the subscription is `{follows}`.")
        column = self._names.get("status", "status")
        return message.format(column=column, stated=_(stated), follows=_(follows))

    def _fill_order_id(self, row: PreparedRow, given: dict[str, Any], product: str) -> None:
        if "order_id" not in given and not self._compiled.is_own:
            own = self._compiled.own_id(row.lines[0].cells)
            given["order_id"] = self._assembly.made_order_id(given, product, own)
        for name in ("order_id", "renews"):
            if name in given and self._prefix:
                given[name] = self._prefix + given[name]
        if row.part > 1 and "order_id" in given:
            given["order_id"] = f"{given['order_id']}-{row.part}"

    def _order_of(self, given: dict[str, Any], refusals: list[Invalid]) -> Order | None:
        """The order with these fields; None if there are refusals, to which its own are added."""
        asked = {name: value for name, value in given.items() if name in _ROW_FIELDS}
        defaults = self._facts.defaults
        refused = {refusal.field for refusal in refusals}
        if "order_id" not in asked:
            asked["order_id"] = ""
            if "order_id" not in refused:
                text = _("`order_id` is missing; it is required.")
                refusals.append(Invalid(text, field="order_id"))
        row = SubscriptionRow(**asked)
        found = list(checks.row_refusals(row, refused=refused))
        if len(row.order_id) > MAX_TEXT:
            text = _(
                "`order_id` is too long with its prefix; at most {most} characters are allowed."
            )
            found.append(Invalid(text.format(most=MAX_TEXT), field="order_id", value=row.order_id))
        is_wrong = any(each.field in {"sent_issues", "sent_dates"} for each in found)
        sent = {} if is_wrong else checks.sent_dates(row)
        found += checks.doubtful_refusals(
            row, sent.values(), self._mapping, today=self._facts.today
        )
        if not refusals and not found:
            try:
                return make_order(row, defaults, sent=sent, **checks.stated(row))
            except Invalid:
                pass  # `list_combined_refusals` says why
        refusals += found
        refusals += list_combined_refusals(row, defaults)
        refusals += checks.issue_refusals(row, self._issues)
        return None
