"""What an order can choose from: issues, products with their prices, sources and countries."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from msgspec import Struct

from masthead.model.ids import BASE32
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.orders.offers import price_for
from masthead.model.orders.period_coverage import DatedIssue
from masthead.model.orders.price_lists import PriceLists, list_on
from masthead.model.orders.references import is_open
from masthead.model.orders.released_issues import released_numbers
from masthead.model.pagination import PageRequest
from masthead.model.resources import Issue, Source
from masthead.model.translations import gettext as _
from masthead.model.types.countries import UNKNOWN_COUNTRY
from masthead.model.types.enums import Medium, SourceType, SubscriptionType
from masthead.model.types.issue_names import own_name
from masthead.model.types.source_names import BY_HAND, is_by_hand
from masthead.services import sources as service
from masthead.store import accounts
from masthead.store.dispatch.due import is_sent_out
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
from masthead.store.orders import product_prices
from masthead.store.products import AccountProduct, list_products
from masthead.web.kit.choices import list_countries, list_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.cookies import SOURCE
from masthead.web.kit.forms import choices_of, salutation_choices
from masthead.web.orders.order_form import SENT, UNSENT, OrderForm, payment_methods

NEW_SOURCE = "by-hand"  # instead of an id: the source for orders by phone or post, if there is none
MOST_ISSUES = 200
ADDRESS = "address1 address2 city state postcode country phone".split()
NAMES = "salutation title first_name last_name company".split()


class OrderChoices(Struct, frozen=True, kw_only=True):
    """The issues, sources and products of an account. home: its country; None if not set.

    issues: the current one, then the others, highest number first. first: the one that an order
    begins with: the current one, or the next one if that is sent; empty without issues. out: the
    release dates of those that are out, by number. products: active ones. prices: over time, by
    product.
    today: the day of an order whose date cannot be read.
    """

    issues: Sequence[Issue]
    first: str
    out: Mapping[int, date | None]
    sources: Sequence[Source]
    products: Sequence[AccountProduct]
    prices: Mapping[str, PriceLists]
    countries: Sequence[tuple[str, str]]
    home: str | None
    today: date

    @property
    def first_product(self) -> AccountProduct:
        """The product to begin with: the first one with a length or prices, else the first."""
        offered = (
            each
            for each in self.products
            if each.length or each.interval_months or each.id in self.prices
        )
        return next(offered, self.products[0])

    def find_product(self, id: str | None) -> AccountProduct | None:
        """An active product by id; without an id, the one for orders without a product."""
        return next((each for each in self.products if each.id == id or not id), None)

    def price_of(self, product: AccountProduct, medium: str, country: str, day: date) -> int | None:
        """The price on a day in minor units; None if there is none for the medium and country."""
        if medium not in set(Medium) or not country:
            return None
        prices = list_on(self.prices.get(product.id, []), day).prices
        return price_for(prices, Medium(medium), country, home=self.home)


async def load_choices(context: PageContext) -> OrderChoices:
    """Read the choices. Queries: seven, and five more after each write."""
    db, account_id, own = context.db, context.account_id, context.membership
    current = await issues.find_current(db, account_id, own.daily_date)
    page = await issues.list_issues(db, account_id, PageRequest(MOST_ISSUES, None, b""))
    listed = _by_use(page.items, current)
    out = released_numbers(
        (DatedIssue(each.id, each.number, each.release_date_actual) for each in listed),
        day=own.daily_date,
        current=current.number if current else None,
    )
    return OrderChoices(
        issues=listed,
        first=await _first(context, listed, current),
        out={each.number: each.release_date_actual for each in listed if each.number in out},
        sources=[source for source in await list_sources(context) if is_open(source)],
        products=[each for each in await list_products(db, account_id) if each.is_active],
        prices=await product_prices.list_price_lists(db, account_id, currency=own.currency),
        countries=list_countries(context.locale),
        home=(await accounts.get_account(db, account_id)).country,
        today=own.daily_date,
    )


async def _first(context: PageContext, listed: Sequence[Issue], current: Issue | None) -> str:
    """The number of the issue that orders begin with; empty without issues."""
    if current is None:
        return str(listed[0].number) if listed else ""
    coming = [issue.number for issue in listed if issue.number > current.number]
    if not coming:
        return str(current.number)
    async with context.db.read(aside=True) as db:
        count = partial(is_sent_out, db, context.account_id, current.number)
        is_sent = await context.count_once(db, ("sent out", current.number), count)
    return str(min(coming) if is_sent else current.number)


def _by_use(found: Sequence[Issue], current: Issue | None) -> list[Issue]:
    """Issues in the order in which orders start with them: current, next ones, earlier ones."""
    if current is None:
        return list(found)
    coming = [issue for issue in found if issue.number > current.number]
    earlier = [issue for issue in found if issue.number < current.number]
    return [current, *sorted(coming, key=lambda issue: issue.number), *earlier]


def offer_choices(form: OrderForm, choices: OrderChoices, context: PageContext) -> None:
    """Give the fields of a form their choices, and the form what it validates with."""
    form.defaults, form.locale = context.defaults, context.locale
    form.dates_of_out = choices.out
    form.out.choices = choices_of(
        ((UNSENT, _("Still to send")), (SENT, _("Sent before: treat as sent")))
    )
    form.out.data = SENT if form.out.data == SENT else UNSENT
    form.types = {each.id: each.type for each in choices.products}
    form.source.choices = choices_of(_offered_sources(choices))
    form.start_issue.choices = choices_of(
        (str(issue.number), _called(issue)) for issue in choices.issues
    )
    form.product.choices = choices_of((each.id, each.name) for each in choices.products)
    for country in (form.country, form.gifter_country):
        country.choices = choices_of([("", _("Choose a country")), *choices.countries])
    for salutation in (form.salutation, form.gifter_salutation):
        salutation.choices = salutation_choices()
    form.payment_method.choices = choices_of(payment_methods())


def _offered_sources(choices: OrderChoices) -> list[tuple[str, str]]:
    """The ids and names of the sources; without one for orders by hand, also that one."""
    offered = [(each.id, each.name) for each in choices.sources]
    if _find_manual(choices.sources) is None:
        offered.insert(0, (NEW_SOURCE, _("By hand (new source)")))
    return offered


async def create_manual_source(context: PageContext, db: Database) -> str:
    """The id of the source for orders by phone or post; another user may have created it."""
    known = [source for source in await list_sources(context) if is_open(source)]
    source = _find_manual(known) or await service.create_source(
        db, context.account_id, name=_(BY_HAND), type=SourceType.IMPORT, by=context.actor
    )
    return source.id


def _find_manual(sources: Sequence[Source]) -> Source | None:
    """The source for orders by phone or post; None if there is none yet."""
    return next((each for each in sources if is_by_hand(each.name)), None)


def _usual_source(choices: OrderChoices, context: PageContext) -> str:
    """The source to begin with: the last one of this browser, or else that for orders by hand."""
    last = context.cookies.read_choice(context.request, SOURCE)
    if any(each.id == last for each in choices.sources):
        return last
    manual = _find_manual(choices.sources)
    return manual.id if manual else NEW_SOURCE


def _called(issue: Issue) -> str:
    plain = _("Issue {number}").format(number=issue.number)
    name = own_name(issue.name, issue.number)
    return f"{plain} · {name}" if name else plain


def rank_sources(sources: Sequence[Source]) -> list[Source]:
    """The sources of a new order, best first: the one for manual orders, then shops."""
    return sorted(
        sources, key=lambda each: (not is_by_hand(each.name), each.type != SourceType.SHOP)
    )


def initial_values(
    choices: OrderChoices, context: PageContext, subscriber: KnownSubscriber | None
) -> dict[str, Any]:
    """The values of a new form; those of the subscriber, if one is chosen."""
    today = context.membership.daily_date
    product = choices.first_product
    initial: dict[str, Any] = {
        "order_id": fresh_order_id(today.isoformat()),
        "order_date": today.isoformat(),
        "period_start": today.isoformat(),
        "medium": Medium.PRINT.value,
        "source": _usual_source(choices, context),
        "start_issue": choices.first,
        "product": product.id,
        "length": product.length,
        "interval_months": product.interval_months,
        "copies": "1",
        "out": UNSENT,
        "country": choices.home or "",
        "gifter_country": choices.home or "",
    }
    return initial | (subscriber_values(subscriber) if subscriber else {})


def subscriber_values(subscriber: KnownSubscriber) -> dict[str, Any]:
    """The name and the newest address of a subscriber, for the fields of the form."""
    values: dict[str, str | None]
    values = {name: getattr(subscriber, name) for name in (*NAMES, *ADDRESS)}
    if values["country"] == UNKNOWN_COUNTRY:
        values["country"] = None
    return {"subscriber_id": subscriber.id} | {name: it for name, it in values.items() if it}


def fresh_order_id(day: str) -> str:
    """A unique order ID, such as `HAND-20260115-7QK2MX9C`. Entropy: 40 bits a day."""
    chance = "".join(secrets.choice(BASE32) for _place in range(8))
    return f"HAND-{day.replace('-', '')}-{chance}"


def is_membership(product: AccountProduct) -> bool:
    """Whether orders of a product are for months."""
    return product.type is SubscriptionType.MEMBERSHIP
