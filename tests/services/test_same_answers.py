"""Pages, programs and files that answer one question say the same about any account."""

import pytest

from masthead.model.timeline.codes import WhyCode
from masthead.services.claims.why import answer_why
from masthead.services.timeline import get_timeline
from tests.conftest import Cast
from tests.support.random_accounts import LAST_ISSUE, make_random
from tests.support.walk import walk

SEEDS = range(4)
UNSENT = {WhyCode.WAITING, WhyCode.NOT_OUT}


def shown_as(code: WhyCode) -> set[WhyCode]:
    """The codes in a timeline for an answer, which names the run, the claim or the report too."""
    if code.rank <= WhyCode.MOVED.rank:
        return {WhyCode.SENT}
    return UNSENT if code.rank <= WhyCode.WAITING.rank else {code}


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_timeline_and_why_agree_on_each_issue(acme: Cast, seed: int) -> None:
    today = await make_random(acme, seed)
    subscribers = await walk(acme, "/v1/subscribers/", 200)
    async with acme.db.read(aside=True) as db:
        for id in [each["id"] for each in subscribers]:
            timeline = await get_timeline(db, acme.account_id, id, day=today, number=LAST_ISSUE + 1)
            assert timeline.answer is not None
            for shown in [timeline.answer, *timeline.issues]:
                answer = await answer_why(db, acme.account_id, id, number=shown.issue.number)
                by_id = {each.subscription_id: each for each in answer.subscriptions}
                for delivery in shown.deliveries:
                    own = by_id[delivery.subscription.id]
                    assert delivery.code in shown_as(own.code)
                    assert delivery.copy is None or delivery.copy.status is own.copy_status
                with_copy = {each.subscription.id for each in shown.deliveries if each.copy}
                assert with_copy == {own.subscription_id for own in by_id.values() if own.copy_id}
                assert shown.deliveries[0].code in shown_as(answer.code)
