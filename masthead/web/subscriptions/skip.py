"""The page that leaves issues out of a subscription, such as during a holiday."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Any

from babel import Locale
from starlette.responses import Response
from wtforms import DateField, RadioField, SelectMultipleField
from wtforms.validators import Optional

from masthead.model.addresses.days import IssueSpan, find_span
from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.orders.period_coverage import issue_ranges
from masthead.model.resources import Subscription
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.subscriptions.skips import NOT_SKIPPED, Instead
from masthead.model.translations import format_number, gettext as _, ngettext
from masthead.model.types.money import money_in_words
from masthead.model.types.text import is_digits
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.skip import SkipOutcome, skip_issues, take_back_skip
from masthead.services.subscriptions.skip_choices import SkipChoices, list_choices
from masthead.store import accounts
from masthead.store.billing.orders import find_invoices
from masthead.store.engine.interface import Connection, Database
from masthead.store.issues import records as issues
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscriptions import periods, skips
from masthead.store.subscriptions.records import list_newest_of_subscriber
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import ALREADY_DONE, process_form, save_form
from masthead.web.kit.formatting import day_in
from masthead.web.kit.forms import BaseForm, choices_of

MAX_SUBSCRIPTIONS = 50  # of the subscriber, the newest ones, that may have the issue, too
MAX_OFFERED = 12  # issues that the page offers, besides those of days
_DAYS = ("first_day", "last_day")


class SkipForm(BaseForm):
    """The issues to skip, the days of a holiday that find them, and what is instead of them."""

    issues = SelectMultipleField("Issues to skip", validate_choice=False)
    first_day = DateField("First day", [Optional()])
    last_day = DateField("Last day", [Optional()])
    instead = RadioField("Instead", default=Instead.ADDED.value, validate_choice=False)

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        found = list[Invalid]()
        if self.instead.data not in set(Instead):
            found.append(Invalid(_("Choose what the subscriber gets instead."), field="instead"))
        for number in self.issues.data or ():
            if not is_digits(number, at_most=10):
                message = _("Type the number of an issue, such as 21.")
                found.append(Invalid(message, field="issues", value=number))
        return found

    @property
    def numbers(self) -> list[int]:
        """The issues to skip, lowest number first."""
        return sorted({int(number) for number in self.issues.data or ()})


async def skip(context: PageContext) -> Response:
    """Show the issues that can be skipped; skip some, or take that back. Raises: NotFound.

    The address names the days whose issues are ticked, so that the browser can go back to them.
    """
    id = context.path["id"]
    if context.fields.get("take_back"):
        return await _take_back(context, id, str(context.fields["take_back"]))
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        account = await accounts.get_account(db, context.account_id)
        choices = await list_choices(db, account, id)
        releases = await issues.list_releases(db, context.account_id)
        owned = (await periods.list_periods(db, context.account_id, [id]))[id]
        billed = await find_invoices(db, context.account_id, [each.id for each in owned])
    may_credit = context.membership.may(Right.SEE_MONEY) and not subscription.is_comp
    form = SkipForm(context.form_data, _asked_days(context))
    form.instead.choices = choices_of(
        (each.value, each.words) for each in Instead if may_credit or each is Instead.ADDED
    )
    span: IssueSpan | None = None
    write_day = partial(day_in, locale=Locale.parse(context.locale))

    async def show(status: HTTPStatus) -> Response:
        ticked = form.numbers if not form.issues.errors else []
        offered = sorted({*choices.numbers[:MAX_OFFERED], *ticked})
        return context.render(
            "subscriptions/skip.html",
            status=status,
            form=form,
            subscription=subscription,
            choices=choices,
            offered=offered,
            ticked=ticked,
            days={each.number: each.day for each in releases},
            span=span,
            may_credit=may_credit,
            is_on_invoice=any(billed.values()),
        )

    async def save(form: SkipForm, db: Database) -> Response:
        instead = Instead(form.instead.data)
        if instead is Instead.CREDITED and not may_credit:
            raise Invalid(_("Choose one more issue at the end."), field="instead")
        outcome = await skip_issues(
            db, context.account_id, id, form.numbers, instead, by=context.actor
        )
        message, link = _saved(form.numbers, instead, outcome), ("", "")
        if other := await _find_other(db, context.account_id, subscription, form.numbers):
            still = _("Another subscription of this subscriber does not skip it.")
            message = f"{message} {still}"
            link = context.url("subscriptions", other, "skip"), _("Skip issues there, too")
        return context.redirect(context.url("subscriptions", id), message=message, link=link)

    def find_issues() -> None:
        nonlocal span
        first, last = form.first_day.data, form.last_day.data
        if first is None:
            raise Invalid(_("Type the first day of the holiday."), field="first_day")
        if last is None:
            raise Invalid(_("Type the last day of the holiday."), field="last_day")
        span = find_span(releases, first, last, write=write_day)
        form.issues.data = [str(number) for number in _in_span(choices, span)]

    async def find_or_save() -> Response:
        is_save = context.fields.get("action") != "days" and bool(form.issues.data)
        if is_save or not (form.first_day.data or form.last_day.data):
            return await save_form(context, form, save)
        find_issues()
        days = {name: form[name].data for name in _DAYS}
        return context.redirect(
            context.url("subscriptions", id, "skip", **days, instead=form.instead.data)
        )

    if not context.is_post and any(form[name].data for name in _DAYS):
        try:
            find_issues()
        except Invalid as reason:
            form.add_error(reason)
    return await process_form(context, form, find_or_save, show)


def _asked_days(context: PageContext) -> dict[str, Any]:
    """The days that the address names, and what the subscriber gets instead of their issues."""
    found: dict[str, Any] = {}
    if context.query.get("instead") in set(Instead):
        found["instead"] = context.query["instead"]
    for name in _DAYS:
        with suppress(ValueError):
            found[name] = date.fromisoformat(context.query.get(name, ""))
    return found


async def _find_other(
    db: Connection, account_id: int, subscription: Subscription, numbers: Collection[int]
) -> str | None:
    """The id of a subscription that its subscriber has besides, and that includes an issue.

    Queries: four.
    """
    own = (await get_bundle(db, account_id, subscription.id)).group.ids
    rows = await list_newest_of_subscriber(
        db, account_id, subscription.subscriber.id, MAX_SUBSCRIPTIONS
    )
    others = [each for each in rows if each.id not in own and each.status in LIVE]
    listed = await skips.list_skipped(db, account_id, [each.id for each in others])
    skipped = {(each.subscription_id, each.issue_number) for each in listed}
    for each in others:
        included = range(each.start_issue or 0, (each.last_issue or 0) + 1)
        if any(it in included and (each.id, it) not in skipped for it in numbers):
            return each.id
    return None


def _in_span(choices: SkipChoices, span: IssueSpan) -> list[int]:
    """The issues of a subscription that come out in a span. Raises: Invalid if there are none."""
    assert span.last is not None
    found = [n for n in choices.numbers if span.first.number <= n <= span.last.number]
    if not found:
        numbers = issue_ranges(range(span.first.number, span.last.number + 1))
        raise Invalid(
            _(
                "In these days, issue {issues} comes out, which this subscription does not have, "
                "or which cannot be skipped any more. Choose other days."
            ).format(issues=numbers),
            field="first_day",
        )
    return found


async def _take_back(context: PageContext, id: str, number: str) -> Response:
    """Include a skipped issue again. Raises: NotFound, Invalid."""
    if not is_digits(number, at_most=10):
        raise Invalid(_("Type the number of an issue, such as 21."), field="issues", value=number)
    if not context.membership.may(Right.SEE_MONEY):
        async with context.db.read() as db:
            listed = await skips.list_skipped(db, context.account_id, [id])
        if any(each.refund_id and each.issue_number == int(number) for each in listed):
            raise Invalid(
                _(
                    "The price of issue {issue} went back: only users who see money include it "
                    "again."
                ).format(issue=number)
            )
    try:
        outcome = await take_back_skip(
            context.db, context.account_id, id, int(number), by=context.actor
        )
    except Invalid as reason:
        if reason.code != NOT_SKIPPED:
            raise
        message = _(ALREADY_DONE)
    else:
        message = _("Issue {issue} is included again.").format(issue=number)
        if outcome.money:
            text = _("The refund of {amount} is deleted: make sure that it is not paid out.")
            message = f"{message} {text.format(amount=_amounts(outcome))}"
    return context.redirect(context.url("subscriptions", id), message=message)


def _amounts(outcome: SkipOutcome) -> str:
    return ", ".join(money_in_words(amount, currency) for currency, amount in outcome.money.items())


def _saved(numbers: Sequence[int], instead: Instead, outcome: SkipOutcome) -> str:
    """What the next page says."""
    text = ngettext(
        "Issue {issues} is skipped.", "Issues {issues} are skipped.", len(numbers)
    ).format(issues=issue_ranges(numbers))
    if instead is Instead.ADDED:
        end = _("The subscription ends with issue {last} now.").format(last=outcome.last_issue)
    else:
        end = _("A refund of {amount} is recorded: pay it back.").format(amount=_amounts(outcome))
    if outcome.subscriptions == 1:
        return f"{text} {end}"
    count = _("This is for all {count} copies for this address.")
    return f"{text} {end} {count.format(count=format_number(outcome.subscriptions))}"
