"""Why a subscriber got an issue or did not: the answer to a caller."""

from collections.abc import Sequence

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.pagination import PageRequest
from masthead.model.resources import Subscriber
from masthead.model.search import search_terms
from masthead.model.timeline.answers import IssueAnswer, SubscriptionAnswer
from masthead.model.timeline.codes import WhyCode
from masthead.model.translations import counted, gettext as _
from masthead.services.claims.why import answer_why
from masthead.store.claims import why_facts
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues
from masthead.store.read_model.subscription_query import find_subscriptions
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import bundles
from masthead.web.kit.context import PageContext
from masthead.web.kit.day_words import day_words
from masthead.web.kit.formatting import day_in, get_locale

_SENT = (WhyCode.SENT, WhyCode.SENT_OUTSIDE_RUN)
MAX_FOUND = 20  # subscribers to choose from


async def show_why(context: PageContext) -> Response:
    """The answer for the subscriber in the query string: an id, an email address or a name.

    Several subscribers with that name are listed. Raises: NotFound.
    """
    asked = context.query.get("subscriber", "").strip()
    problem, answer, places = "", None, {}
    if not asked and "subscriber" in context.query:
        problem = _("Type the name, the email address or the ID of the subscriber.")
    found: Sequence[Subscriber] = ()
    async with context.db.read(aside=True) as db:
        issue = await issues.get_issue(db, context.account_id, context.path["id"])
        if asked:
            try:
                answer, found = await _find_answer(context, db, issue.id, asked)
            except Invalid as reason:
                problem = str(reason)
        cards = await _list_cards(context, db, answer.subscriptions) if answer else []
        owned = {}
        if len(cards) > 1:  # to tell them apart
            ids = [each.subscription_id for each, _count in cards]
            owned = await find_subscriptions(db, context.account_id, ids)
        if found:
            ids = [each.id for each in found]
            places = await why_facts.find_latest_places(db, context.account_id, ids)
    return context.render(
        "claims/why.html",
        issue=issue,
        asked=asked,
        answer=answer,
        cards=cards,
        in_short=_sent_in_short(cards, context.locale),
        sent_codes=_SENT,
        owned=owned,
        found=found,
        places=places,
        max_found=MAX_FOUND,
        problem=problem,
    )


def _sent_in_short(cards: Sequence[tuple[SubscriptionAnswer, int]], locale: str) -> str:
    """The first line of an answer about copies that were sent; empty for other answers."""
    sent = [(each, count) for each, count in cards if each.code in _SENT]
    if not sent or cards[0][0].code not in _SENT:
        return ""
    days = [each.date_sent for each, _count in sent if each.date_sent]
    texts = [day_in(day, get_locale(locale)) for day in dict.fromkeys(sorted(days))]
    copies = sum(count for _each, count in sent)
    if not texts:
        return counted(
            "Sent, no date recorded.", "{count} copies were sent, no date recorded.", copies
        )
    dates = _(" and ").join(texts)
    return counted("Sent on {dates}.", "{count} copies were sent, on {dates}.", copies, dates=dates)


async def _list_cards(
    context: PageContext, db: Connection, answers: Sequence[SubscriptionAnswer]
) -> list[tuple[SubscriptionAnswer, int]]:
    """The answers, each with the number of copies for one address that have it. Queries: one."""
    ids = [each.subscription_id for each in answers]
    groups = await bundles.find_groups(db, context.account_id, ids) if len(ids) > 1 else {}
    alike: dict[object, list[SubscriptionAnswer]] = {}
    for each in answers:
        group = groups.get(each.subscription_id)
        key = each.subscription_id if group is None else (group.first, each.sentence)
        alike.setdefault(key, []).append(each)
    return [(same[0], len(same)) for same in alike.values()]


async def _find_answer(
    context: PageContext, db: Connection, issue_id: str, asked: str
) -> tuple[IssueAnswer, Sequence[Subscriber]]:
    """The answer; if it is about no subscriber, those whose names match. Raises: Invalid."""
    account_id, day = context.account_id, day_words(context)
    answer = await answer_why(db, account_id, asked, issue_id=issue_id, day=day)
    if answer.code is not WhyCode.UNKNOWN_SUBSCRIBER:
        return answer, ()
    request = PageRequest(MAX_FOUND, None, b"")
    terms = search_terms(asked)
    page = await subscriber_store.search_subscribers(db, account_id, terms, request)
    if len(page.items) == 1:
        id = page.items[0].id
        return await answer_why(db, account_id, id, issue_id=issue_id, day=day), ()
    return answer, page.items
