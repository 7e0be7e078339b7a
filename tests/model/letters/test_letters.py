"""Who gets a letter and how, its words, and the signed address that ends letters."""

from typing import Any

import pytest
from babel import Locale

from masthead.model.emails import subject_template, text_template
from masthead.model.letters.outcomes import (
    LetterChannel,
    LetterFacts,
    LetterStatus,
    SkipReason,
    choose_channel,
    reason_to_skip,
)
from masthead.model.letters.texts import (
    default_template,
    placeholders,
    sample_words,
    subscription_in_words,
    with_unsubscribe_link,
    written,
)
from masthead.model.letters.unsubscribe import (
    masked_email,
    read_unsubscribe_token,
    unsubscribe_token,
    unsubscribe_url,
)
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.translations import in_language
from masthead.model.types.enums import LabelledEnum
from tests.support.cases import for_each

SUBSCRIBER = "0000101M80VE7Q0000000000000000A"
FLAGS = {
    "is_unsubscribed": False,
    "has_bounced": False,
    "is_placeholder": False,
    "has_address": True,
    "is_on_hold": False,
}


@pytest.mark.parametrize(
    "changes, decision",
    [
        ({}, LetterChannel.EMAIL),
        ({"has_address": False, "is_on_hold": True}, LetterChannel.EMAIL),
        ({"is_placeholder": True}, LetterChannel.PRINT),
        ({"is_placeholder": True, "has_bounced": True}, LetterChannel.PRINT),
        ({"is_placeholder": True, "has_address": False}, SkipReason.NO_ADDRESS),
        ({"is_placeholder": True, "is_on_hold": True}, SkipReason.ON_HOLD),
        ({"has_bounced": True}, SkipReason.BOUNCED),
        ({"is_unsubscribed": True}, SkipReason.UNSUBSCRIBED),
        ({"is_unsubscribed": True, "is_placeholder": True}, SkipReason.UNSUBSCRIBED),
    ],
)
def test_how_a_letter_goes_out(changes: dict[str, bool], decision: object) -> None:
    assert choose_channel(**{**FLAGS, **changes}) is decision


def facts(**changes: Any) -> LetterFacts:
    known: dict[str, Any] = {
        "letter_id": "L",
        "period_id": 1,
        "channel": LetterChannel.EMAIL,
        "is_stopped": False,
        "is_cancelled": False,
        "is_erased": False,
        "email": "ada@example.test",
        "is_placeholder": False,
        "is_merged": False,
        "is_unsubscribed": False,
        "has_bounced": False,
    }
    return LetterFacts(**{**known, **changes})


@for_each(
    "changes, is_open, reason",
    [
        ({}, True, None),
        ({}, False, SkipReason.RENEWED),
        ({"is_merged": True}, False, SkipReason.MERGED),
        ({"is_cancelled": True}, False, SkipReason.CANCELLED),
        ({"is_erased": True}, False, SkipReason.ERASED),
        ({"is_unsubscribed": True}, True, SkipReason.UNSUBSCRIBED),
        ({"is_placeholder": True}, True, SkipReason.NO_EMAIL),
        ({"is_stopped": True, "is_merged": True}, True, SkipReason.STOPPED),
        ({"has_bounced": True}, True, SkipReason.BOUNCED),
        ({"has_bounced": True, "channel": LetterChannel.PRINT}, True, None),
        ({"is_placeholder": True, "channel": LetterChannel.PRINT}, True, None),
        ({"is_unsubscribed": True, "channel": LetterChannel.PRINT}, True, SkipReason.UNSUBSCRIBED),
    ],
)
def test_why_a_letter_does_not_go_out_any_more(
    changes: dict[str, Any], is_open: bool, reason: SkipReason | None
) -> None:
    assert reason_to_skip(facts(**changes), is_open=is_open) is reason


@pytest.mark.parametrize("values", [RenewalStage, LetterChannel, LetterStatus, SkipReason])
def test_each_value_has_its_own_words(values: type[LabelledEnum]) -> None:
    words = [each.words for each in values]
    assert len(set(words)) == len(words)
    assert all(words)


@pytest.mark.parametrize("stage", RenewalStage)
def test_the_default_texts_have_only_known_placeholders(stage: RenewalStage) -> None:
    template = default_template(stage)
    assert subject_template("subject", template.subject, placeholders()) == template.subject
    assert text_template("text", template.text, placeholders()) == template.text
    ready = written(template, sample_words(magazine="Acme", locale=Locale("en")))
    assert "{" not in ready.subject + ready.text


@pytest.mark.parametrize(
    "locale, offer, how",
    [
        ("en_GB", "The renewal costs €42.00 for 4 issues.", "answer this letter"),
        ("de_DE", "Die Verlängerung kostet 42,00\N{NO-BREAK SPACE}€ für 4 Ausgaben.", "antworten"),
    ],
)
@pytest.mark.parametrize("stage", RenewalStage)
def test_the_default_texts_say_what_ends_what_a_renewal_costs_and_how_to_order_it(
    stage: RenewalStage, locale: str, offer: str, how: str
) -> None:
    with in_language(locale):
        template = default_template(stage)
        ready = written(template, sample_words(magazine="Acme", locale=Locale.parse(locale)))
    assert "24" in ready.text
    assert offer in ready.text
    assert how in ready.text


@pytest.mark.parametrize(
    "stage, locale, subject, says",
    [
        (
            "last",
            "en_GB",
            "Please renew your subscription to Acme",
            "We are writing because your subscription to Acme ends on 10 May 2027. After that,"
            " we will not send any more issues. Please renew it now.",
        ),
        (
            "last",
            "de_DE",
            "Bitte verlängern Sie Ihr Abonnement von Acme",
            "Ihr Abonnement von Acme endet am 10. Mai 2027. Danach senden wir keine weiteren"
            " Ausgaben. Bitte verlängern Sie jetzt.",
        ),
        (
            "after_1",
            "en_GB",
            "Your subscription to Acme has ended",
            "Unfortunately, your subscription to Acme ended on 10 May 2027. If you renew it"
            " now, we will send the next issues again.",
        ),
        (
            "after_1",
            "de_DE",
            "Ihr Abonnement von Acme ist ausgelaufen",
            "Ihr Abonnement von Acme endete am 10. Mai 2027. Wenn Sie jetzt verlängern, senden"
            " wir wieder die nächsten Ausgaben.",
        ),
    ],
)
def test_the_default_texts_are_true_for_a_membership_that_ends_between_two_issues(
    stage: str, locale: str, subject: str, says: str
) -> None:
    with in_language(locale):
        template = default_template(RenewalStage(stage))
        words = sample_words(magazine="Acme", locale=Locale.parse(locale))
        day = {"en_GB": "on 10 May 2027", "de_DE": "am 10. Mai 2027"}[locale]
        ready = written(template, {**words, "end": day})
    assert ready.subject == subject
    assert f"\n\n{says} " in ready.text


@for_each(
    "recipient, copies, english, german",
    [
        ("", 1, "your subscription to Acme", "Ihr Abonnement von Acme"),
        (
            "",
            3,
            "your subscription to Acme, 3 copies of each issue,",
            "Ihr Abonnement von Acme, 3 Hefte je Ausgabe,",
        ),
        (
            "Tom Lee",
            1,
            "the subscription to Acme for Tom Lee",
            "das Abonnement von Acme für Tom Lee",
        ),
    ],
)
def test_a_letter_names_the_recipient_of_a_gift_and_several_copies(
    recipient: str, copies: int, english: str, german: str
) -> None:
    assert subscription_in_words("Acme", recipient, copies) == english
    with in_language("de_DE"):
        assert subscription_in_words("Acme", recipient, copies) == german
    assert all("{subscription}" in default_template(stage).text for stage in RenewalStage)


def test_the_default_texts_differ_by_stage() -> None:
    assert len({default_template(stage) for stage in RenewalStage}) == 4


def test_each_placeholder_has_a_sample_and_a_description() -> None:
    assert sample_words(magazine="Acme", locale=Locale("de")).keys() == placeholders().keys()
    assert all(placeholders().values())


def test_the_link_is_at_the_end_of_the_text() -> None:
    text = with_unsubscribe_link("Hello\n\n", "https://x.test/u/")
    assert text.startswith("Hello\n\n-- \n")
    assert text.endswith("\nhttps://x.test/u/\n")


def test_a_token_names_its_subscriber_only_with_the_secret_of_the_server() -> None:
    token = unsubscribe_token(b"secret", SUBSCRIBER)
    assert read_unsubscribe_token(b"secret", token) == SUBSCRIBER
    assert read_unsubscribe_token(b"other", token) is None
    assert unsubscribe_url("https://x.test", b"secret", SUBSCRIBER) == (
        f"https://x.test/unsubscribe/{token}/"
    )


@pytest.mark.parametrize(
    "wrong", ["", "x", SUBSCRIBER, SUBSCRIBER + "0" * 32, SUBSCRIBER + "é" * 32]
)
def test_a_forged_token_names_nobody(wrong: str) -> None:
    assert read_unsubscribe_token(b"secret", wrong) is None


def test_every_changed_character_breaks_a_token() -> None:
    token = unsubscribe_token(b"secret", SUBSCRIBER)
    for place in range(len(token)):
        changed = "1" if token[place] == "0" else "0"
        assert (
            read_unsubscribe_token(b"secret", token[:place] + changed + token[place + 1 :]) is None
        )


@pytest.mark.parametrize("email, masked", [("ada@example.test", "a…@example.test"), ("x", "…@x")])
def test_an_address_is_masked(email: str, masked: str) -> None:
    assert masked_email(email) == masked
