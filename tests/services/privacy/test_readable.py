"""The document about a subscriber is for a reader who does not know masthead."""

import re
from html import unescape

from masthead.model.subscriptions.skips import Instead
from masthead.services.privacy.document import make_document
from masthead.services.privacy.everything import collect_everything
from masthead.services.subscriptions.skip import skip_issues
from masthead.store import accounts
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, make_subscription
from tests.support.privacy import make_known
from tests.web.letters.test_pages import text_of

ID = re.compile(r"\b0000[0-9A-Z]{20,}\b")


async def document_of(cast: Cast, id: str, locale: str) -> str:
    """The document as HTML in a language."""
    async with cast.db.read() as db:
        account = await accounts.get_account(db, cast.account_id)
        found = await collect_everything(db, account, id, placeholder_domain=PLACEHOLDER_DOMAIN)
    return make_document(found, locale, "UTC")


async def test_the_document_has_no_ids_marks_or_codes(acme: Cast) -> None:
    known = await make_known(acme)
    document = await document_of(acme, known.id, "en_GB")
    assert not ID.search(document)
    labels = set(re.findall(r"<dt>([^<]*)</dt>", document))
    assert not labels & {"ID", "Has no email", "Is complete", "Subject type", "Part", "Attempts"}
    texts = set(re.findall(r"<dd>([^<]*)</dd>", document))
    assert not texts & {"no", "to_print", "never_arrived", "print", "last", "ms", "dispatch"}
    assert "Did not arrive" in texts
    assert "To be printed" in texts
    assert "Ms" in texts


async def test_amounts_have_a_currency_and_gifts_their_price(acme: Cast) -> None:
    known = await make_known(acme)
    text = unescape(text_of(await document_of(acme, known.id, "en_GB")))
    assert "Price €42.00" in text
    assert "Price: €42.00" in text  # of the gift to the niece
    assert "Paid so far €84.00" in text
    assert "Discount" not in text


async def test_every_label_is_in_the_language_of_the_person(acme: Cast) -> None:
    known = await make_known(acme)
    english = await document_of(acme, known.id, "en_GB")
    german = await document_of(acme, known.id, "de_DE")
    pairs = zip(
        re.findall(r"<dt>([^<]*)</dt>", english),
        re.findall(r"<dt>([^<]*)</dt>", german),
        strict=True,
    )
    alike = {one for one, other in pairs if one == other}
    assert alike <= {"Name", "Text", "Status"}
    titles = set(re.findall(r"<h2>([^<(]*)", english)) & set(re.findall(r"<h2>([^<(]*)", german))
    assert titles <= {"Mandate "}
    assert "42,00 €" in unescape(german).replace("\xa0", " ")


async def test_the_length_of_a_subscription_says_which_issues_are_skipped(acme: Cast) -> None:
    for number in range(1, 5):
        await make_issue(acme, number=number)
    made = await make_subscription(acme, length=4)
    await skip_issues(acme.db, acme.account_id, made["id"], [3], Instead.ADDED, by=BY)
    document = unescape(await document_of(acme, made["subscriber"]["id"], "en_GB"))
    assert "<dt>Number of issues</dt><dd>5</dd>" in document
    assert "<dt>Skipped issues</dt><dd>3</dd>" in document


async def test_cancelled_copies_have_the_word_of_the_pages(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = f"/v1/subscriptions/{made['id']}/cancel/"
    assert (await acme.post(path, {"mode": "cancel"})).status_code == 200
    document = unescape(await document_of(acme, made["subscriber"]["id"], "de_DE"))
    assert "<dt>Status</dt><dd>Gestrichen</dd>" in document
    assert "<dt>Gekündigt am</dt>" in document
