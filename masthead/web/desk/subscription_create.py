"""The page that adds a subscription manually; its fields are those of the API."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from babel.numbers import get_decimal_symbol
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, SelectField, StringField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid
from masthead.model.ids import BASE32
from masthead.model.inputs import SubscriptionCreate
from masthead.model.orders.order import Terms, list_order_refusals, order_of
from masthead.model.orders.references import is_open
from masthead.model.pagination import PageRequest
from masthead.model.resources import Issue, Source
from masthead.model.translations import ngettext
from masthead.model.types.enums import Medium, SourceType
from masthead.model.types.money import CURRENCIES, money_text
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.model.validation import decode_each, decode_input
from masthead.services import sources as source_service
from masthead.services.subscriptions import create as service
from masthead.store import issues, periods, subscribers, subscriptions
from masthead.store.engine.interface import Database
from masthead.store.products import list_products
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.kit.choices import list_countries, list_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import real_email
from masthead.web.kit.formatting import get_locale
from masthead.web.kit.forms import AddressFields, BaseForm, choices_of, submitted_values
from masthead.web.kit.idempotency import RepeatedSubmission

TEMPLATE = "desk/subscription_create.html"
BY_HAND = "By hand"
MOST_ISSUES = 200
ADDRESS = "company address1 address2 city state postcode country phone".split()
AMOUNTS = ("price", "discount_amount")
MEDIA = choices_of((each.value, each.value) for each in Medium)


def _needed(what: str) -> list[DataRequired]:
    return [DataRequired(f"{what} is missing; it is required.")]


class OrderForm(AddressFields, BaseForm):
    """The fields of a manual subscription. The API's rules validate their values."""

    email = StringField("Email")
    country = SelectField("Country", _needed("The country"), validate_choice=False)
    source = SelectField("Source", _needed("The source"), validate_choice=False)
    start_issue = SelectField("First issue", _needed("The first issue"), validate_choice=False)
    product = SelectField("Product", validate_choice=False)
    length = StringField("Number of issues", _needed("The number of issues"))
    medium = SelectField("Medium", choices=MEDIA, validate_choice=False)
    price = StringField("Price paid", _needed("The price"))
    discount_amount = StringField("Discount included in the price")
    is_comp = BooleanField("Complimentary: free of charge, price 0")
    is_recurring = BooleanField("Recurring: renewals are charged elsewhere")
    order_date = StringField("Order date", _needed("The order date"))
    order_id = StringField("Order ID", _needed("The order ID"))
    transaction_id = StringField("Transaction ID of the payment")
    promo_code = StringField("Promo code")
    send_welcome_email = BooleanField("Send the welcome email")
    terms = Terms("EUR", placeholder_domain="")  # replaced by the terms of the account
    decimal_mark = "."  # replaced by the decimal mark of the locale

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field, and of the fields together."""
        given, refusals = decode_each(SubscriptionCreate, self.typed())
        refused = {refusal.field for refusal in refusals}
        return [*refusals, *list_order_refusals(given, self.terms, refused=refused)]

    def typed(self) -> dict[str, Any]:
        """The request body that the API takes for such a subscription, and the product."""
        body = submitted_values(self)
        for name in ("start_issue", "length"):
            text = str(body.get(name, "")).strip()
            if is_digits(text, at_most=MAX_DIGITS):
                body[name] = int(text)
        for name in AMOUNTS:
            if name in body:
                body[name] = plain_amount(body[name], self.decimal_mark)
        if "notes" in body:
            body["notes"] = body["notes"].replace("\r\n", "\n")
        return body


def plain_amount(text: str, decimal_mark: str) -> str:
    """An amount with a point as its decimal mark, without thousands separators."""
    if text.count(decimal_mark) == 1 and "." not in text:
        return text.replace(decimal_mark, ".")
    return text


async def add_subscription(context: PageContext) -> Response:
    """Show the form; create the subscription. Raises: NotFound."""
    known = await _known_issues(context)
    sources = [source for source in await list_sources(context) if is_open(source)]
    initial = await _initial(context, known, sources)
    countries = list_countries(context.membership.locale)
    decimal_mark = get_decimal_symbol(get_locale(context.membership.locale))
    products = await list_products(context.db, context.account_id)
    offered = [(product.id, product.name) for product in products if product.is_active]

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> OrderForm:
        form = OrderForm(formdata, data)
        form.terms, form.decimal_mark = context.terms, decimal_mark
        form.source.choices = choices_of((source.id, source.name) for source in sources)
        form.start_issue.choices = choices_of(
            (str(issue.number), _called(issue)) for issue in known
        )
        form.product.choices = choices_of(offered)
        form.country.choices = choices_of([("", "Choose a country"), *countries])
        return form

    async def save(form: OrderForm, db: Database) -> Response:
        typed = form.typed()
        product_id = typed.pop("product", None)
        body = decode_input(SubscriptionCreate, typed)
        made = await service.create_subscription(
            db,
            context.account_id,
            body.source,
            order_of(body, context.terms),
            terms=context.terms,
            send_welcome_email=body.send_welcome_email or False,
            product_id=product_id,
            by=context.actor,
        )
        count = made.total_length
        issues_text = f"{count} {ngettext('issue', 'issues', count)}"
        message = f"{made.subscriber.full_name} gets {issues_text}."
        return context.redirect(context.url("subscriptions", made.id), message=message)

    async def on_repeat(form: OrderForm) -> Response:
        order_id = (form.order_id.data or "").strip()
        known = await periods.find_orders(context.db, context.account_id, [order_id])
        place = [known[order_id]] if order_id in known else []
        message = "This subscription was already added."
        return context.redirect(context.url("subscriptions", *place), message=message)

    return await context.handle_form(
        make,
        TEMPLATE,
        save,
        initial=initial,
        on_repeat=on_repeat,
        example=_example(context.membership.currency).replace(".", decimal_mark),
        has_issues=bool(known),
        has_products=len(offered) > 1,
        has_sources=bool(sources),
        is_known=bool(initial.get("first_name") or initial.get("email")),
    )


async def _known_issues(context: PageContext) -> list[Issue]:
    """The issues to choose from: the current issue, then the others, highest number first."""
    current = await issues.find_current(
        context.db, context.account_id, context.membership.daily_date
    )
    request = PageRequest(MOST_ISSUES, None, b"")
    page = await issues.list_issues(context.db, context.account_id, request)
    others = [issue for issue in page.items if issue != current]
    return [current, *others] if current else others


def _called(issue: Issue) -> str:
    plain = f"Issue {issue.number}"
    return plain if issue.name == plain else f"{plain} · {issue.name}"


def _example(currency: str) -> str:
    return money_text(42 * 10 ** CURRENCIES[currency], currency)


async def _initial(
    context: PageContext, known: Sequence[Issue], sources: Sequence[Source]
) -> dict[str, Any]:
    """The initial values of the form; some come from the subscriber in the query string."""
    today = context.membership.daily_date
    best = sorted(sources, key=lambda each: (each.name != BY_HAND, each.type != SourceType.SHOP))
    initial: dict[str, Any] = {
        "order_id": fresh_order_id(today.isoformat()),
        "order_date": today.isoformat(),
        "medium": Medium.PRINT.value,
        "source": best[0].id if best else "",
        "start_issue": str(known[0].number) if known else "",
    }
    if id := context.query.get("subscriber", ""):
        person = await subscribers.get_subscriber(context.db, context.account_id, id)
        initial |= {
            "first_name": person.first_name,
            "last_name": person.last_name,
            "email": real_email(person.email, context.terms.placeholder_domain),
        }
        for newest in await subscriptions.list_newest_of_subscriber(
            context.db, context.account_id, id, 1
        ):
            to = (
                await get_subscription(context.db, context.account_id, newest["id"])
            ).shipping_address
            initial |= {name: getattr(to, name) for name in ADDRESS}
    return initial


def fresh_order_id(day: str) -> str:
    """A unique order ID, such as `HAND-20260115-7QK2MX9C`. Entropy: 40 bits a day."""
    chance = "".join(secrets.choice(BASE32) for _ in range(8))
    return f"HAND-{day.replace('-', '')}-{chance}"


async def add_source(context: PageContext) -> Response:
    """Create the source of manual orders, unless there is a source for them."""
    once = context.idempotent_db()
    if not [source for source in await list_sources(context) if is_open(source)]:
        with suppress(RepeatedSubmission):
            await source_service.create_source(
                once, context.account_id, name=BY_HAND, type=SourceType.IMPORT, by=context.actor
            )
    return context.redirect(context.url("subscriptions", "new"))
