"""Billed orders of imports: who pays for each, and the price that they will owe.

An import issues no invoices: its orders wait for one, so that it can be undone. Rows that name the
same payer in the same words are looked up once.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.billing.imported import ImportedTerms
from masthead.model.billing.payer_entry import entry_of, list_payer_refusals
from masthead.model.billing.supply import end_of_import
from masthead.model.billing.terms import require_settings
from masthead.model.errors import Erased, Invalid
from masthead.model.orders.known_subscribers import name_key, postcode_key
from masthead.model.orders.order import Order
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import format_number, gettext as _
from masthead.model.types.email_addresses import email_key
from masthead.model.types.full_names import full_name
from masthead.model.types.text import fold
from masthead.services.billing.new_payers import insert_payer
from masthead.services.billing.payers import (
    change_payer,
    check_payer,
    find_default_payer,
    make_payer,
)
from masthead.services.billing.pricing import Sold, add_vat
from masthead.services.orders.subscribers import find_namesakes
from masthead.store.accounts import Account
from masthead.store.billing import orders as store, payers, settings as settings_store
from masthead.store.engine.interface import Transaction
from masthead.store.subscribers.corrections import get_subscriber
from masthead.store.subscribers.records import find_by_email
from masthead.store.subscriptions import periods, records as subscriptions

Key = tuple[str, ...]


class BilledRow(Struct, frozen=True):
    """A billed order that an import has placed."""

    order: Order
    subscription_id: str
    period_id: int


class ImportedBilling:
    """Bills the orders of some rows, in the transaction that places them."""

    def __init__(
        self, tx: Transaction, account: Account, *, product_id: str | None, domain: str
    ) -> None:
        self._tx, self._account = tx, account
        self._product_id, self._domain = product_id, domain
        self._found = dict[Key, str | None]()  # payers, by what names them
        self._checked = set[str]()  # payers who are not erased
        self._owners = dict[int, Key]()  # of customer numbers that these rows give

    async def price(
        self, orders: Mapping[int, Order], earlier: Sequence[Order]
    ) -> tuple[dict[int, Order], dict[int, Invalid]]:
        """The orders with what their payers will owe, and why others cannot be billed, by place.

        earlier: orders that these may renew. Writes nothing.
        """
        priced, refused = dict[int, Order](), dict[int, Invalid]()
        known = {order.order_id: order for order in (*earlier, *orders.values())}
        for place, order in orders.items():
            try:
                if order.billing is not None:
                    known[order.order_id] = order = await self._with_giver(order, order.billing)
                    order = await self._priced(order, known)
                priced[place] = order
            except Invalid as refusal:
                refused[place] = refusal
            except Erased as refusal:
                refused[place] = Invalid(str(refusal), code=refusal.code)
        return priced, refused

    async def _with_giver(self, order: Order, terms: ImportedTerms) -> Order:
        """The order, billed to the giver if it is a gift and names nobody else."""
        if not order.is_gift or order.renews or terms.names_payer:
            return order
        if terms.payer_number is not None and await self._list_named(terms):
            return order
        giver = structs.replace(terms, payer_name=order.gifter_name, payer_email=order.gifter_email)
        return structs.replace(order, billing=giver)

    async def _priced(self, order: Order, known: Mapping[str, Order]) -> Order:
        """The order with what its payer will owe. Raises: Invalid, Erased."""
        terms = order.billing
        assert terms is not None
        tx, account = self._tx, self._account
        require_settings(await settings_store.find_settings(tx, account.id))
        first = order
        while (before := known.get(first.renews or "")) is not None and before is not first:
            first = before
        sold = Sold(
            price=order.price,
            product_id=first.product_id or self._product_id,
            medium=first.medium,
            country=first.country or account.country or "",
            payer_country=terms.payer_country or "",
            vat_id=terms.payer_vat_id or "",
            end=end_of_import(order, None),
        )
        row = await self._find_renewed(first.renews) if first.renews else None
        if row is not None:
            [*_earlier, last] = (await periods.list_periods(tx, account.id, [row.id]))[row.id]
            own = {"product_id": row.product_id, "medium": row.medium, "country": row.country}
            sold = structs.replace(sold, **own, end=end_of_import(order, last))
        payer_id = await self._find(terms) or await self._find_default(first, row, terms)
        if payer_id is not None and payer_id not in self._checked:
            await check_payer(tx, account.id, payer_id)
            self._checked.add(payer_id)
        if terms.payer_number is not None:
            await self._check_number(terms.payer_number, payer_id, first, terms)
        total = await add_vat(tx, account, structs.replace(sold, payer_id=payer_id))
        return order if total is None else structs.replace(order, price=total)

    async def _find_renewed(self, order_id: str) -> StoredSubscription | None:
        """The subscription of an order; None if there is none."""
        found = await periods.find_orders(self._tx, self._account.id, [order_id])
        rows = await subscriptions.find_rows(self._tx, self._account.id, list(found.values()))
        return next(iter(rows.values()), None)

    async def _find_default(
        self, order: Order, renewed: StoredSubscription | None, terms: ImportedTerms
    ) -> str | None:
        """Who pays if the row names nobody; None for one who is new."""
        tx, account_id = self._tx, self._account.id
        if terms.names_payer:
            return None
        if renewed is not None:
            last = await store.find_last_payer(tx, account_id, renewed.id)
            return last or await find_default_payer(tx, account_id, renewed)
        if order.billing is not None and order.billing.names_payer:  # an order of this file
            return await self._find(order.billing)
        if order.is_gift or not order.email:
            return None
        key = email_key(order.email)
        return (await find_by_email(tx, account_id, [key])).get(key)

    async def _find(self, terms: ImportedTerms) -> str | None:
        """The id of the payer whom a row names, if they are known. Raises: Invalid."""
        key = _key(terms)
        if key not in self._found:
            found = await self._list_named(terms)
            if len(found) > 1:
                text = _(
                    "{count} subscribers have the name of who pays. Say which one: add "
                    "`payer_email` or `payer_number`."
                ).format(count=format_number(len(found)))
                raise Invalid(text, field="payer_company" if terms.payer_company else "payer_name")
            self._found[key] = found[0] if found else None
        id = self._found[key]
        if id is None and terms.names_payer:
            for refusal in list_payer_refusals(structs.asdict(entry_of(terms))):
                raise refusal
        return id

    async def _list_named(self, terms: ImportedTerms) -> list[str]:
        """The subscribers whom a row names as payer: by number, by email or by name.

        One with the name has not another postcode. Payers come before others.
        """
        tx, account_id = self._tx, self._account.id
        if terms.payer_email:
            key = email_key(terms.payer_email)
            return [*(await find_by_email(tx, account_id, [key])).values()]
        if terms.payer_number is not None:
            owner = await payers.find_by_number(tx, account_id, terms.payer_number)
            if owner is not None:
                return [owner]
        if not terms.names_payer:
            return []
        person = entry_of(terms).as_person
        fitting = []
        for each in await find_namesakes(tx, account_id, person):
            address = await payers.find_address(tx, account_id, each.id)
            own = postcode_key(address.postcode if address else None)
            other = postcode_key(person.postcode)
            if not (own and other) or own == other:
                fitting.append(each.id)
        known = await payers.find_payers(tx, account_id, fitting)
        return [id for id in fitting if id in known] or fitting

    async def _check_number(
        self, number: int, id: str | None, order: Order, terms: ImportedTerms
    ) -> None:
        """Raises: Invalid if a customer number is that of another payer."""
        tx, account_id = self._tx, self._account.id
        owner = await payers.find_by_number(tx, account_id, number)
        if owner is not None:
            row = await get_subscriber(tx, account_id, owner)
            name = full_name(row.first_name, row.last_name, row.company, row.shown_email or "")
            typed = (terms.payer_name, terms.payer_company)
            is_same = owner == id and (
                terms.payer_email or not any(typed) or name_key(name) in map(name_key, typed)
            )
            if not is_same:
                raise _other_number(number, name)
            return
        mine = (await payers.find_payers(tx, account_id, [id or ""])).get(id or "")
        if mine is not None:
            raise Invalid(
                _(
                    "`payer_number` is {number}, but the customer number of who pays is {known}. "
                    "Correct it, or leave it empty."
                ).format(number=number, known=mine.number),
                field="payer_number",
                value=number,
            )
        who = _key(terms) if terms.names_payer else (order.email or order.order_id,)
        if self._owners.setdefault(number, who) != who:
            raise _other_number(number, _("another row"))

    async def bill(
        self, placed: Sequence[BilledRow], *, import_number: int | None, by: Actor
    ) -> dict[int, str]:
        """Let orders wait for their invoice; returns the payers that it made, by period."""
        tx, account = self._tx, self._account
        if not placed:
            return {}
        settings = require_settings(await settings_store.find_settings(tx, account.id))
        ids = {each.subscription_id for each in placed}
        owners = await subscriptions.find_rows(tx, account.id, sorted(ids))
        rows, made, changed = [], dict[int, str](), set[tuple[str, str]]()
        numbers, last = dict[Key, int](), dict[str, str]()
        for each in placed:
            assert each.order.billing is not None
            if each.order.billing.payer_number is not None:
                numbers.setdefault(_key(each.order.billing), each.order.billing.payer_number)
        for each in placed:
            terms = each.order.billing
            assert terms is not None
            key = _key(terms)
            id = self._found.get(key)
            if id is None and terms.names_payer:
                named = await self._list_named(terms)  # a row may just have made them
                if not named:
                    made[each.period_id] = await insert_payer(
                        tx, account, entry_of(terms), self._domain, by, import_number=import_number
                    )
                    named = [made[each.period_id]]
                id = self._found[key] = named[0]
            if id is None and each.order.renews:
                id = last.get(each.subscription_id) or await store.find_last_payer(
                    tx, account.id, each.subscription_id
                )
            owner = owners[each.subscription_id]
            id = id or await find_default_payer(tx, account.id, owner)
            payer = await make_payer(tx, account.id, id, number=numbers.get(key))
            last[each.subscription_id] = payer.subscriber_id
            vat_id = terms.payer_vat_id or ""
            if vat_id and (id, vat_id) not in changed:
                changed.add((id, vat_id))
                await change_payer(
                    tx,
                    account.id,
                    payer,
                    vat_id=vat_id,
                    bills_together=payer.bills_together,
                    import_number=import_number,
                    by=by,
                )
            due = settings.due_days if terms.due_days is None else terms.due_days
            rows.append(
                {
                    "period_id": each.period_id,
                    "payer_id": payer.subscriber_id,
                    "order_reference": terms.order_reference or "",
                    "due_days": due,
                }
            )
        await store.insert_orders(tx, account.id, rows)
        return made


def _key(terms: ImportedTerms) -> Key:
    """What names the payer of a row: the email, or the name and the address, or the number."""
    if terms.payer_email:
        return (email_key(terms.payer_email),)
    if not terms.names_payer:
        return (str(terms.payer_number),)
    entry = entry_of(terms)
    return entry.as_person.name_key, *(fold(each or "") for each in structs.astuple(entry)[4:])


def _other_number(number: int, name: str) -> Invalid:
    """The error of a customer number that another payer has."""
    text = _(
        "`payer_number` is {number}, which is the customer number of {name}. Correct it, or "
        "leave it empty."
    )
    return Invalid(text.format(number=number, name=name), field="payer_number", value=number)
