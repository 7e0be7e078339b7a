"""Writing the letters of a stage: once for each subscription, to the right subscriber."""

import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel, SkipReason
from masthead.model.orders.offers import Offer
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.types.enums import Medium
from masthead.services.emails.outbox import begin_sending
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters.recipients import count_letters, locale_of, plan_letters
from masthead.services.letters.rounds import Selection, change_selection
from masthead.services.letters.texts import update_text
from masthead.services.letters.write import write_automatic, write_letters
from masthead.services.products import update_product
from masthead.store import accounts
from masthead.store.background import outbox
from masthead.store.products import list_products
from masthead.store.renewals.rates import count_rates
from masthead.web.kit.letter_figures import count_figures, count_listed, list_line
from tests.conftest import BY, Cast
from tests.services.emails.test_languages import use_locale
from tests.services.test_accounts import trail
from tests.support.factories import import_row, make_issue, make_membership, make_subscription
from tests.support.letters import (
    ADDRESS,
    add_subscribers,
    emails_of,
    execute,
    letters_of,
    set_up,
    write,
)
from tests.support.own_service import SITE
from tests.support.privacy import erase
from tests.support.subscriber_pages import READING, open_page
from tests.support.subscribers import correct
from tests.support.walk import walk


async def counts_of(cast: Cast, stage: RenewalStage = RenewalStage.LAST) -> dict[str, int]:
    """How many letters go out in each way, and why others do not."""
    async with cast.db.read(aside=True) as db:
        account = await accounts.get_account(db, cast.account_id)
        counts = await count_letters(db, account, stage)
        plan = await plan_letters(db, account, stage)
    # each subscription and membership of the round is in exactly one of the numbers
    assert counts.ended + counts.memberships == (
        sum(counts.by_channel.values())
        + counts.written
        + counts.automatic
        + sum(counts.skipped.values())
    )
    found = {each.value: count for each, count in counts.by_channel.items()}
    found |= {each.value: count for each, count in counts.skipped.items()}
    planned: dict[str, int] = {}
    for each in plan.letters:  # the list and the numbers agree
        planned[each.decision.value] = planned.get(each.decision.value, 0) + 1
    unlisted = {SkipReason.RENEWED, SkipReason.ERASED}
    assert planned == {name: n for name, n in found.items() if name not in unlisted}
    languages = Counter(locale_of(account, each) for each in plan.letters if each.goes_out)
    assert counts.locales == languages
    return {**found, **({"written": counts.written} if counts.written else {})}


@pytest.mark.parametrize(
    "stage, length", [("before", 4), ("last", 3), ("after_1", 2), ("after_2", 1)]
)
async def test_each_stage_writes_to_those_who_reached_it(
    acme: Cast, rival: Cast, stage: str, length: int
) -> None:
    for cast in (acme, rival):
        await set_up(cast)
        for each in (1, 2, 3, 4, 5):
            await add_subscribers(cast, 1, length=each, email=f"subscriber{each}@example.test")
    batch = await write(acme, RenewalStage(stage))
    assert batch.letters == 1
    (email,) = await emails_of(acme)
    assert email["recipient"] == f"subscriber{length}@example.test"
    assert f"with issue {length}." in email["body"]
    assert await letters_of(rival) == []
    assert ("letter_batch.write", {"letters": 1}) in [
        (action, {"letters": after["letters"]})
        for _, action, _, after in await trail(acme, "letter_batch", batch.id)
        if after
    ]


async def test_the_same_letter_is_never_written_twice(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    await write(acme)
    assert await counts_of(acme) == {"written": 3}
    with pytest.raises(Invalid, match="No emails are left"):
        await write(acme)
    with pytest.raises(Invalid, match="No letters are left to print"):
        await write(acme, channel=LetterChannel.PRINT)
    await add_subscribers(acme, 1, email="new@example.test")
    assert (await write(acme)).letters == 1
    assert len(await emails_of(acme)) == 4


async def test_without_a_current_issue_nothing_is_written(acme: Cast) -> None:
    assert await counts_of(acme) == {}
    with pytest.raises(Invalid):
        await write(acme)


async def test_an_email_has_the_link_that_ends_such_emails(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await write(acme)
    one, two = await emails_of(acme)
    assert one["letter_id"] == one["id"] == (await letters_of(acme))[0]["id"]
    assert one["body"].endswith(f"{one['unsubscribe_url']}\n")
    assert one["unsubscribe_url"] != two["unsubscribe_url"]
    assert re.fullmatch(r"https://desk\.acme\.test/unsubscribe/\w{63}/", one["unsubscribe_url"])
    assert "{" not in one["subject"] + one["body"]


async def test_letters_wait_behind_other_emails(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    await write(acme)
    await make_subscription(acme, email="new@example.test", send_welcome_email=True)
    places = {each["recipient"]: each["next_attempt_at"] for each in await emails_of(acme)}
    assert places["new@example.test"] < places["ada0@example.test"]


async def test_who_has_renewed_gets_no_letter(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await make_subscription(acme, email="ada0@example.test", start_issue=3, length=4)
    assert await counts_of(acme) == {"email": 1, "renewed": 1}


@pytest.mark.parametrize(
    "change, reason",
    [
        ("unsubscribed_at = created_at", "unsubscribed"),
        ("bounced_at = created_at, bounce_reason = ''", "bounced"),
    ],
)
async def test_who_wants_none_or_cannot_be_reached_gets_no_letter(
    acme: Cast, change: str, reason: str
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await execute(
        acme,
        f"UPDATE subscriber SET {change}"  # noqa: S608 - the texts above
        " WHERE account_id = :account_id AND email = 'ada0@example.test'",
    )
    assert await counts_of(acme) == {"email": 1, reason: 1}


async def test_the_numbers_of_a_round_add_up(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 4)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    first = {"email": "long@example.test", "start_issue": "1", "length": "3", "order_id": "L1"}
    await import_row(acme, **first)
    await import_row(acme, **{**first, "order_id": "L2", "start_issue": "4", "renews": "L1"})
    await make_subscription(acme, email="ada1@example.test", start_issue=3, length=4)
    await make_subscription(acme, length=3, email="free@example.test", is_comp=True, price="0")
    assert await counts_of(acme) == {"email": 3, "print": 1, "renewed": 2}
    await write(acme)
    await make_subscription(acme, email="ada2@example.test", start_issue=3, length=4)
    assert await counts_of(acme) == {"print": 1, "renewed": 3, "written": 2}
    async with acme.db.read(aside=True) as db:
        account = await accounts.get_account(db, acme.account_id)
        figures = await count_figures(db, account.id, RenewalStage.LAST)
        listed = await count_listed(db, account, figures)
        (rate,) = await count_rates(db, acme.account_id, first=3, last=3)
    assert figures.letters_line(has_mail=True) == (
        "6 subscriptions end with issue 3: 1 on paper, 2 waiting to be sent,"
        " 3 renewed already (1 of them after this letter)."
    )
    assert list_line(listed) == (
        "The list has 4 subscriptions: 3 not renewed yet, 1 complimentary, which gets no letter."
    )
    assert figures.rate_line() == (
        "6 paid subscriptions end with issue 3, besides memberships: 3 renewed already (1 of them "
        "after this letter), 3 not renewed yet."
    )
    assert rate.ended == 6


async def test_what_renews_by_itself_is_said_beside_what_is_not_renewed(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    await make_subscription(acme, length=3, email="auto@example.test", is_recurring=True)
    sent = {"start_issue": "1", "length": "3", "sent_issues": "1|2|3"}
    gone = await import_row(acme, email="gone@example.test", **sent)
    await erase(acme, gone["subscriber"]["id"])
    await make_subscription(acme, email="ada1@example.test", start_issue=3, length=4)
    async with acme.db.read(aside=True) as db:
        account = await accounts.get_account(db, acme.account_id)
        figures = await count_figures(db, account.id, RenewalStage.LAST)
        listed = await count_listed(db, account, figures)
    assert figures.letters_line(has_mail=True) == (
        "5 subscriptions end with issue 3: 2 by email, 1 renewed already,"
        " 1 renews automatically, 1 personal data erased."
    )
    assert list_line(listed) == ("The list has 2 subscriptions: 2 not renewed yet.")
    assert figures.rate_line() == (
        "5 paid subscriptions end with issue 3, besides memberships: 1 renewed already, 4 not "
        "renewed yet. Of these 4: 1 will be renewed automatically, 1 personal data erased, 2 will "
        "need a new order."
    )
    async with acme.db.read(aside=True) as db:
        rates = await count_rates(db, acme.account_id, first=3, last=3)
    assert sum(rate.ended - rate.within_3 for rate in rates) == 4  # as the table says


async def test_who_is_left_out_gets_no_letter_of_this_round_and_the_next_one_again(
    acme: Cast,
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    async with acme.db.read(aside=True) as db:
        account = await accounts.get_account(db, acme.account_id)
        one, _two = (await plan_letters(db, account, RenewalStage.LAST)).letters
    period = frozenset({one.candidate.period_id})
    for selection in (Selection(left_out=period), Selection(left_out=period)):
        await change_selection(acme.db, acme.account_id, RenewalStage.LAST, selection, by=BY)
    assert await counts_of(acme) == {"email": 1, "excluded": 1}
    assert (await write(acme)).letters == 1
    with pytest.raises(Invalid):
        await write(acme)
    await make_issue(acme, 4, date_as_start_issue=datetime.now(UTC).date().isoformat())
    assert await counts_of(acme, RenewalStage.AFTER_1) == {"email": 2}


async def test_without_a_mail_server_no_emails_are_written(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    with pytest.raises(Invalid, match="MASTHEAD_SMTP_HOST"):
        await write_letters(
            acme.db, acme.account_id, RenewalStage.LAST, LetterChannel.EMAIL, site=None, by=BY
        )
    assert await counts_of(acme) == {"email": 1}


async def test_cancelled_and_free_subscriptions_get_no_letter(acme: Cast) -> None:
    await set_up(acme)
    made = await make_subscription(acme, length=3, email="gone@example.test")
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    await make_subscription(acme, length=3, email="free@example.test", is_comp=True, price="0")
    assert await counts_of(acme) == {}


async def test_no_letter_goes_out_about_a_subscriber_who_was_erased(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="giver@example.test", length=9)
    await add_subscribers(acme, 3, sent_issues="1|2|3")
    people = {each["email"]: each["id"] for each in await walk(acme, "/v1/subscribers/")}
    await execute(
        acme,
        "UPDATE subscription SET is_gift = true, gifter_id = :giver"
        " WHERE account_id = :account_id AND subscriber_id = :recipient",
        giver=people["giver@example.test"],
        recipient=people["ada0@example.test"],
    )
    await erase(acme, people["ada1@example.test"])
    assert await counts_of(acme) == {"email": 2, "erased": 1}
    assert (await write(acme)).letters == 2
    await erase(acme, people["ada0@example.test"])  # the letter is to the giver, and waits
    async with acme.db.read() as connection:
        due = await outbox.list_due(connection, 10_000)
    mine = [each for each in due if each.account_id == acme.account_id]
    begun = [await begin_sending(acme.db, each, domain="acme.test") for each in mine]
    assert [each.recipient for each in begun if each] == ["ada2@example.test"]
    assert [each["reason"] for each in await letters_of(acme)] == ["erased", None]
    assert await counts_of(acme) == {"written": 1, "erased": 2}
    async with acme.db.read(aside=True) as connection:
        account = await accounts.get_account(connection, acme.account_id)
        figures = await count_figures(connection, account.id, RenewalStage.LAST)
        listed = await count_listed(connection, account, figures)
    assert (listed.rows, listed.open) == (1, 1)


async def test_subscribers_without_email_get_a_printed_letter(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    await add_subscribers(acme, 1, email="")
    assert await counts_of(acme) == {"print": 1, "no_address": 1}
    await write(acme, channel=LetterChannel.PRINT)
    (letter,) = await letters_of(acme)
    assert (letter["status"], letter["channel"]) == ("to_print", "print")
    assert letter["address"] == "Ada No. 0\nHafenweg 1\n20095 Hamburg"
    assert "unsubscribe" not in letter["body"]
    assert await emails_of(acme) == []


async def test_an_undeliverable_address_gets_no_printed_letter(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    (copy, *_) = (await acme.get("/v1/copies/")).json()["items"]
    await acme.post(
        "/v1/delivery-reports/", {"reports": [{"copy": copy["id"], "kind": "undeliverable"}]}
    )
    assert await counts_of(acme) == {"on_hold": 1}


async def test_a_letter_about_a_gift_goes_to_the_giver(acme: Cast) -> None:
    await set_up(acme)
    gift = {"is_gift": "true", "gifter_name": "Grace Hopper", "gifter_email": "giver@example.test"}
    await add_subscribers(acme, 1, email="giver@example.test", length=9)
    await add_subscribers(acme, 1, email="got@example.test", first_name="Tim", **gift)
    assert await counts_of(acme) == {"email": 1}
    await write(acme)
    (email,) = await emails_of(acme)
    assert email["recipient"] == "giver@example.test"
    assert "Dear Ada No. 0" in email["body"]
    assert "for Tim No. 0" in email["body"]


async def test_a_letter_greets_by_salutation_and_title_in_the_language_of_the_account(
    acme: Cast,
) -> None:
    await set_up(acme)
    await use_locale(acme, "de_DE")
    await add_subscribers(
        acme, 1, first_name="", last_name="Schmidt", salutation="ms", title="Dr.", **ADDRESS
    )
    await add_subscribers(acme, 1, email="", salutation="mr", **ADDRESS)
    await write(acme)
    await write(acme, channel=LetterChannel.PRINT)
    email, printed = await emails_of(acme), await letters_of(acme)
    assert email[0]["body"].startswith("Sehr geehrte Frau Dr. Schmidt,\n\nIhr Abonnement")
    [letter] = [each for each in printed if each["channel"] == "print"]
    assert letter["body"].startswith("Sehr geehrter Herr No. 0,\n")
    assert letter["address"].startswith("Ada No. 0\n")


async def test_a_giver_without_email_gets_a_printed_letter_at_their_own_address(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="aunt@example.test", length=9)
    await add_subscribers(
        acme,
        1,
        email="got@example.test",
        is_gift="true",
        gifter_name="Aunt",
        gifter_email="aunt@example.test",
    )
    own: dict[str, Any] = {"address1": "Quai 7", "city": "Paris", "country": "FR"}
    own["postcode"] = "75001"
    [aunt] = await walk(acme, "/v1/subscribers/", email="aunt@example.test")
    await execute(
        acme,
        "UPDATE subscription SET gifter_id = :aunt WHERE account_id = :account_id AND is_gift",
        aunt=aunt["id"],
    )
    await correct(acme, aunt["id"], email=None)
    assert await counts_of(acme) == {"no_address": 1}
    await correct(acme, aunt["id"], title="Dr.", **own)
    assert await counts_of(acme) == {"print": 1}
    await write(acme, channel=LetterChannel.PRINT)
    (letter,) = await letters_of(acme)
    assert letter["address"] == "Dr. Ada No. 0\nQuai 7\n75001 PARIS"
    assert letter["subscriber_id"] == aunt["id"]


async def test_the_same_text_goes_to_a_subscriber_once(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="firm@example.test", company="Hafen AG")
    await add_subscribers(acme, 1, email="firm@example.test", company="Hafen AG")
    assert (await write(acme)).letters == 1
    assert len(await emails_of(acme)) == 1
    assert [(each["status"], each["reason"]) for each in await letters_of(acme)] == [
        ("queued", None),
        ("skipped", "same_letter"),
    ]
    assert await counts_of(acme) == {"written": 2}


async def test_a_membership_is_written_to_by_its_last_day(acme: Cast) -> None:
    await set_up(acme)
    today = datetime.now(UTC).date()
    end = today + timedelta(days=10)
    start = date(end.year - 1, 1, 1)
    await make_membership(
        acme,
        email="member@example.test",
        period_start=start.isoformat(),
        period_end=end.isoformat(),
    )
    assert await counts_of(acme) == {"email": 1}
    await write(acme)
    (email,) = await emails_of(acme)
    assert re.search(r"ends on \d+ \w+ 20\d\d\.", email["body"])


async def test_a_changed_text_is_used_and_a_braced_name_is_kept(acme: Cast) -> None:
    await set_up(acme)
    await import_row(acme, email="x@example.test", start_issue="1", length="3", first_name="{end}")
    async with acme.db.read() as db:
        [product] = await list_products(db, acme.account_id)
    await update_product(
        acme.db,
        acme.account_id,
        product.id,
        name=product.name,
        benefits=[],
        offer=Offer(prices={(Medium.PRINT, group): 4800 for group in CountryGroup}),
        by=BY,
    )
    await update_text(
        acme.db,
        acme.account_id,
        RenewalStage.LAST,
        subject="{magazine}: {last_issue}",
        text="{name} {price} {renewal_price}",
        is_automatic=False,
        by=BY,
    )
    await write(acme)
    (email,) = await emails_of(acme)
    assert email["subject"] == "Acme: 3"
    assert email["body"].startswith("{end} €42.00 €48.00\n\n-- \n")


async def test_a_stage_by_rule_is_written_once_and_only_by_email(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await add_subscribers(acme, 1, email="", **ADDRESS)

    async def write_by_rule() -> int | None:
        batch = await write_automatic(acme.db, acme.account_id, RenewalStage.LAST, site=SITE, by=BY)
        return batch.letters if batch else None

    async def set_rule(*, is_automatic: bool) -> None:
        await update_text(
            acme.db,
            acme.account_id,
            RenewalStage.LAST,
            subject="S",
            text="T",
            is_automatic=is_automatic,
            by=BY,
        )

    assert await write_by_rule() is None
    await set_rule(is_automatic=True)
    assert await write_by_rule() == 2
    assert await write_by_rule() is None
    await set_rule(is_automatic=False)
    await add_subscribers(acme, 1, email="late@example.test")
    assert await write_by_rule() is None
    actions = [action for _, action, _, _ in await trail(acme, "account", acme.account_id)]
    assert actions.count("account.update_renewal_letter") == 2


async def test_saving_the_same_text_again_records_nothing(acme: Cast) -> None:
    for _ in range(2):
        await update_text(
            acme.db,
            acme.account_id,
            RenewalStage.LAST,
            subject="S",
            text="T",
            is_automatic=True,
            by=BY,
        )
    entries = await trail(acme, "account", acme.account_id)
    assert [action for _, action, _, _ in entries].count("account.update_renewal_letter") == 1


@pytest.mark.parametrize("channel", LetterChannel)
async def test_the_page_of_the_subscriber_is_in_letters(acme: Cast, channel: LetterChannel) -> None:
    await set_up(acme)
    is_email = channel is LetterChannel.EMAIL
    await add_subscribers(acme, 1, **({} if is_email else {"email": "", **ADDRESS}))
    await update_text(
        acme.db,
        acme.account_id,
        RenewalStage.LAST,
        subject="It ends",
        text="Your page: {my_page}",
        is_automatic=False,
        by=BY,
    )
    await get_secret(acme.db)
    await open_page(acme)
    await write(acme, channel=channel)
    if is_email:
        [email] = await emails_of(acme)
        body = str(email["body"])
        assert READING.search(body)
    else:  # a printed letter may lie around, so its address shows nothing
        [letter] = await letters_of(acme)
        body = str(letter["body"])
        assert "/read/" not in body
    assert f"Your page: https://masthead.test/my/{acme.subdomain}/" in body


async def test_a_letter_has_no_address_of_a_page_that_is_closed(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    await update_text(
        acme.db,
        acme.account_id,
        RenewalStage.LAST,
        subject="It ends",
        text="Your page: {my_page}.",
        is_automatic=False,
        by=BY,
    )
    await write(acme)
    [email] = await emails_of(acme)
    assert "Your page: ." in str(email["body"])
