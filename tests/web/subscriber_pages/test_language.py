"""The page of a subscriber is in the language that staff chose for them, not in the browser's."""

from tests.support.subscriber_pages import Reader
from tests.support.subscribers import correct
from tests.web.subscriber_pages.test_actions import subscriber_id


async def test_the_chosen_language_goes_before_that_of_the_browser(reader: Reader) -> None:
    reader.http.headers["Accept-Language"] = "en"
    assert '<html lang="en"' in (await reader.http.get(reader.address())).text
    await correct(reader.cast, await subscriber_id(reader.cast), language="de")
    assert '<html lang="de"' in (await reader.http.get(reader.address())).text
