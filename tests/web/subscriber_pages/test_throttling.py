"""Requests for links are throttled by address, person and network, and answered alike."""

from dataclasses import dataclass, field

import pytest

from masthead.services.letters.subscribers import mark_bounced
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.self_service import sign_in
from masthead.services.subscribers.merge import merge_subscribers
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_subscription
from tests.support.subscriber_pages import Reader, sent_emails
from tests.web.conftest import Browsers
from tests.web.subscriber_pages.conftest import EMAIL

OTHER = "a.lovelace@reader.test"


async def ask(browsers: Browsers, cast: Cast, *emails: str) -> list[str]:
    """Who gets an email, if each address is asked for from a network of its own."""
    for email in emails:
        answer = await Reader(browsers(), cast).ask(email)
        assert (answer.status_code, "is on its way" in answer.text) == (200, True)
    return [to for to, _ in await sent_emails(cast)]


async def ids_of(cast: Cast) -> dict[str, str]:
    """The ids of all subscribers, by email."""
    items = (await cast.get("/v1/subscribers/")).json()["items"]
    return {each["email"]: each["id"] for each in items}


async def test_an_address_is_throttled_from_all_networks(
    stranger: Reader, browsers: Browsers
) -> None:
    await make_subscription(stranger.cast, email=OTHER)
    asked = [EMAIL] * 5 + [OTHER]
    assert sorted(await ask(browsers, stranger.cast, *asked)) == [OTHER, EMAIL, EMAIL, EMAIL]


@pytest.mark.parametrize("is_merged", [True, False])  # the control: they are two people
async def test_a_person_is_throttled_under_all_addresses(
    stranger: Reader, browsers: Browsers, *, is_merged: bool
) -> None:
    cast = stranger.cast
    await make_subscription(cast, email=OTHER)
    known = await ids_of(cast)
    if is_merged:
        await merge_subscribers(
            cast.db, cast.account_id, kept_id=known[EMAIL], merged_id=known[OTHER], by=BY
        )
    got = await ask(browsers, cast, EMAIL, OTHER, EMAIL, OTHER)
    assert len(got) == (3 if is_merged else 4)


async def test_a_network_is_throttled_for_all_addresses(
    stranger: Reader, browsers: Browsers
) -> None:
    codes = [(await stranger.ask(f"r{n}@reader.test")).status_code for n in range(12)]
    assert codes == [200] * 10 + [429] * 2
    refused = await stranger.ask(EMAIL)
    assert refused.status_code == 429
    assert "Try again in" in refused.text
    assert await sent_emails(stranger.cast) == []
    assert await ask(browsers, stranger.cast, EMAIL) == [EMAIL]  # from another network


@dataclass
class Stopwatch:
    """A clock that only moves by what the service waits for: counts, emails and the pause."""

    at: float = 0.0
    answers: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        """The time, in seconds."""
        return self.at

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.at += seconds


@pytest.mark.parametrize("pause", [sign_in.SECONDS, 0.0])  # the control: without the pause
async def test_every_address_is_answered_after_the_same_time(
    stranger: Reader, monkeypatch: pytest.MonkeyPatch, *, pause: float
) -> None:
    cast, watch = stranger.cast, Stopwatch()
    erased, bounced = "erased@reader.test", "bounced@reader.test"
    for email in (erased, bounced):
        await make_subscription(cast, email=email)
    known = await ids_of(cast)
    await mark_bounced(cast.db, cast.account_id, known[bounced], reason="550", by=BY)
    await erase_subscriber(
        cast.db,
        cast.account_id,
        known[erased],
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )

    def slowly(name: str, seconds: float) -> None:
        work = getattr(sign_in, name)

        async def do(*given: object, **named: object) -> object:
            await watch.sleep(seconds)
            return await work(*given, **named)

        monkeypatch.setattr(sign_in, name, do)

    slowly("count_link", 0.02)
    slowly("require_few", 0.02)
    slowly("_write_link", 0.1)
    monkeypatch.setattr(sign_in, "SECONDS", pause)
    monkeypatch.setattr(sign_in, "time", watch)
    monkeypatch.setattr(sign_in, "asyncio", watch)
    for email in (EMAIL, "nobody@reader.test", erased, bounced, EMAIL, EMAIL, EMAIL):
        began = watch.at
        assert (await stranger.ask(email)).status_code == 200
        watch.answers.append(round(watch.at - began, 6))
    assert len(await sent_emails(cast)) == 4  # the last request is one too many
    assert set(watch.answers) == ({sign_in.SECONDS} if pause else {0.16, 0.04})
