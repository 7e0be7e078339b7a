"""The settings of the page at the desk: what is allowed, the logo, the preview."""

from io import BytesIO

from PIL import Image
from starlette.applications import Starlette

from masthead.store.self_service.settings import find_code_url, get_settings
from tests.conftest import Cast
from tests.support.factories import make_subscription
from tests.support.subscriber_pages import Reader, history_of, sent_emails
from tests.web.conftest import Browsers, Person

PAGE = ("settings", "self-service")


async def test_an_owner_chooses_what_subscribers_can_do(acme: Cast, owner: Person) -> None:
    assert "Self-service needs a mail server" in await owner.text(*PAGE)
    address = owner.address(*PAGE)
    await owner.http.get(address)
    fields = {
        "is_open": "y",
        "actions": "claim",
        "contact": "Call us",
        "colour": "#8a1c1c",
        "has_codes": "y",
        "renewal_url": "https://shop.example/renew",
    }
    assert (await owner.post(address, fields)).status_code == 303
    assert (await owner.post(address, fields)).status_code == 303  # the same again
    history = await history_of(acme, str(acme.account_id))
    assert [event for _by, event in history].count("account.update_self_service") == 1
    settings = await get_settings(acme.db, acme.account_id)
    assert settings.is_open
    assert settings.renewal_url == "https://shop.example/renew"
    assert [each.value for each in settings.actions] == ["claim"]
    url = await find_code_url(acme.db, acme.account_id)
    assert url.endswith(f"/my/{acme.subdomain}/")
    page = await owner.http.get(f"/my/{acme.subdomain}/colours/")
    assert "--brand: #8a1c1c;" in page.text
    refused = await owner.post(address, {**fields, "colour": "#ffff00"})
    assert refused.status_code == 400
    assert "Call us" in refused.text


async def test_a_logo_is_uploaded_shown_and_deleted(stranger: Reader, owner: Person) -> None:
    picture = BytesIO()
    Image.new("RGB", (600, 200), "teal").save(picture, "PNG")
    upload = owner.address(*PAGE, "logo", "upload")
    files = {"file": ("logo.png", picture.getvalue(), "image/png")}
    headers = {"Sec-Fetch-Site": "same-origin"}
    assert (await owner.http.post(upload, files=files, headers=headers)).status_code == 303
    shown = await stranger.http.get(stranger.address("logo"))
    assert shown.headers["Content-Type"] == "image/jpeg"
    assert shown.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "/logo/" in await stranger.text()
    own = await owner.see(*PAGE, "logo")
    assert (own.status_code, own.content) == (200, shown.content)
    empty = {"file": ("logo.png", b"", "image/png")}
    for refused in (
        await owner.http.post(upload, files=empty, headers=headers),
        await owner.post(upload, {"file": "logo.png"}),
    ):
        assert refused.status_code == 400
        assert "Choose a picture that is not empty." in refused.text
    assert (await owner.post(upload, {"do": "delete"})).status_code == 303
    assert (await stranger.http.get(stranger.address("logo"))).status_code == 404


async def test_the_preview_shows_a_subscriber_and_no_links(
    acme: Cast, stranger: Reader, owner: Person
) -> None:
    page = await owner.text(*PAGE, "preview")
    assert "Ada Lovelace" in page
    assert "Change the address" in page
    assert "/my/" not in page
    assert "ada@reader.test" in page
    headers = {"Accept-Language": "de-DE"}
    german = await owner.http.get(owner.address(*PAGE, "preview"), headers=headers)
    assert "Über Sie" in german.text  # even if the user reads English
    await make_subscription(acme, first_name="Grace")
    page = await owner.text(*PAGE, "preview")
    assert "Grace" in page
    assert "Email address" not in page
    assert "Send me the link" in await owner.text(*PAGE, "preview", page="sign-in")


async def test_the_own_host_name_leads_to_the_page_and_is_in_emails(
    app: Starlette, acme: Cast, browsers: Browsers, stranger: Reader
) -> None:
    own = {"my.rival.test": "rival", "my.acme.test": acme.subdomain}
    app.state.web.subscriber_hosts.update(own)
    try:
        response = await browsers().get("/", headers={"Host": "my.acme.test:443"})
        await stranger.ask("ada@reader.test")
    finally:
        app.state.web.subscriber_hosts.clear()
    [(_to, body)] = await sent_emails(acme)
    assert "://my.acme.test/my/" in body
    assert response.headers["Location"] == f"/my/{acme.subdomain}/"
    assert (await browsers().get("/")).headers["Location"] == "/desk/"
