"""What a cancelled subscription still had, as the values of a new order with its own invoice."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.errors import NotFound
from masthead.model.identity.rights import Right
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.refunds import list_paid_orders
from masthead.services.subscriptions.reopen import preview_reopen
from masthead.store.billing import paid_for
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.amounts import localized_amount
from masthead.web.kit.context import PageContext
from masthead.web.orders.order_choices import OrderChoices
from masthead.web.orders.order_form import OrderForm

OF_SUBSCRIPTION = ("first_name", "last_name", "company", "phone", *ADDRESS_FIELDS)


class AgainOrder(Struct, frozen=True):
    """What is ordered again.

    issues: those that a cancellation took away. refunded: of all copies, in minor units of the
    account's currency; 0 for nothing, or if the user may not see it. payer_id: who got the last
    invoice; None if nobody did.
    """

    subscription: StoredSubscription
    copies: int
    issues: Sequence[int]
    refunded: int
    payer_id: str | None


async def load_again(context: PageContext) -> AgainOrder | None:
    """The subscription that the address of the page names, if it is cancelled. Raises: NotFound."""
    id = context.query.get("again", "")
    if not id:
        return None
    account_id, day = context.account_id, context.membership.daily_date
    sees_money = context.membership.may(Right.SEE_MONEY)
    async with context.db.read(aside=True) as db:
        row = (await subscriptions.find_rows(db, account_id, [id])).get(id)
        if row is None:
            raise NotFound("subscription", id)
        preview = await preview_reopen(db, account_id, id, day=day)
        ids = (await get_bundle(db, account_id, id)).group.ids
        orders = await list_paid_orders(db, account_id, ids, day=day)
        payers = await paid_for.find_payers(db, account_id, [id])
    return AgainOrder(
        subscription=row,
        copies=len(ids),
        issues=sorted({*preview.restored, *preview.added, *preview.upcoming}) if preview else (),
        refunded=sum(
            each.refunded
            for listed in orders.values()
            for each in listed
            if each.currency == context.membership.currency and sees_money
        ),
        payer_id=payers.get(id),
    )


def choose_payer(form: OrderForm, again: AgainOrder) -> None:
    """Choose who got the last invoice, if it is neither the subscriber nor the giver."""
    owners = (again.subscription.subscriber_id, again.subscription.gifter_id)
    if again.payer_id is not None and again.payer_id not in owners:
        form.payer_id.data, form.is_other_payer.data = again.payer_id, True


def fill_again(form: OrderForm, choices: OrderChoices, again: AgainOrder) -> None:
    """Fill in the address, the product, the issues, what was refunded, and an invoice."""
    row = again.subscription
    for name in OF_SUBSCRIPTION:
        form[name].data = getattr(row, name) or ""
    if choices.find_product(row.product_id):
        form.product.data = row.product_id
    form.medium.data = row.medium.value
    form.copies.data = str(again.copies)
    if row.type is SubscriptionType.SUBSCRIPTION and again.issues:
        numbers = {str(issue.number) for issue in choices.issues}
        if (first := str(again.issues[0])) in numbers:
            form.start_issue.data = first
        form.length.data = str(len(again.issues))
    if again.refunded:
        currency = form.defaults.currency
        form.price.data = localized_amount(again.refunded, currency, form.locale)
    form.is_billed.data = form.can_bill
