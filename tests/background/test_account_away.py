"""While the database of one account is away, background jobs work on the others."""

from datetime import timedelta

from structlog.testing import capture_logs

from masthead.metrics.job_failures import NAME, job_failures
from masthead.metrics.text import sample
from masthead.model.privacy.retention import RetentionKind
from masthead.store.accounts import get_account
from masthead.store.reports import trends
from tests.conftest import Cast, make_account
from tests.services.privacy.test_retention import switch_on
from tests.support.account_away import AccountAway
from tests.support.factories import make_issue, make_membership, make_subscription
from tests.support.own_service import OwnService
from tests.support.read_model import list_outdated

FAILURES = {
    "daily pass": "daily pass failed",
    "documents": "documents cannot be rendered",
    "emails": "email waits",
    "privacy": "retention failed",
    "search texts": "search texts cannot be written",
    "trends": "trend cannot be calculated",
}


async def make_work(cast: Cast) -> None:
    """Give all jobs something to do for an account."""
    await make_membership(cast)
    await make_subscription(cast, email=f"{cast.subdomain}@x.test", send_welcome_email=True)
    await switch_on(cast, RetentionKind.ENDED_SUBSCRIBERS)


async def test_jobs_go_on_with_other_accounts(own: OwnService) -> None:
    rival = await make_account(own.cast.client, own.cast.db, "Rival")
    await make_issue(rival)
    for each in (own.cast, rival):
        await make_work(each)
    today = (await get_account(rival.db, rival.account_id)).daily_date
    yesterday = today - timedelta(days=1)
    await own.execute("UPDATE account_state SET daily_date = :day", day=yesterday)
    await own.execute("UPDATE period SET period_end = :day", day=yesterday)
    background = own.background(db=AccountAway(own.cast.db, own.cast.account_id))
    before = job_failures()
    with capture_logs() as logs:
        assert await background._lease.renew()
        for name, job in background._jobs.items():
            while await background._attempt(name, job.run_once):
                pass
    assert not [each for each in logs if "exc_info" in each]
    assert {each["event"] for each in logs if "reason" in each} == set(FAILURES.values())
    after = job_failures()
    failed = {name for name in after if after[name] > before[name]}
    assert failed == {sample(NAME, work=name) for name in FAILURES}
    assert [email["To"] for email in own.mailbox.emails] == [f"{rival.subdomain}@x.test"]
    assert (await get_account(rival.db, rival.account_id)).daily_date >= today
    assert await trends.list_trend(rival.db, rival.account_id)
    assert not await list_outdated(rival)
    assert await list_outdated(own.cast)
