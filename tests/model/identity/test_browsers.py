"""Short descriptions of browsers."""

from masthead.model.identity.browsers import browser_named
from tests.support.cases import for_each

MOZILLA = "Mozilla/5.0"
WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
WINDOWS, LINUX = "(Windows NT 10.0; Win64; x64)", "(X11; Linux x86_64)"
IPHONE = "(iPhone; CPU iPhone OS 18_0 like Mac OS X)"
ANDROID = "(Linux; Android 15; Pixel 9)"


@for_each(
    "user_agent, named",
    [
        (f"{MOZILLA} {WINDOWS} {WEBKIT} Chrome/143.0 Safari/537.36", "Chrome on Windows"),
        (f"{MOZILLA} {WINDOWS} {WEBKIT} Chrome/143.0 Safari/537.36 Edg/143.0", "Edge on Windows"),
        (f"{MOZILLA} {LINUX} Gecko/20100101 Firefox/145.0", "Firefox on Linux"),
        (
            f"{MOZILLA} {IPHONE} {WEBKIT} Version/18.0 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        (f"{MOZILLA} {IPHONE} {WEBKIT} CriOS/143.0 Mobile/15E148 Safari/604.1", "Chrome on iPhone"),
        (f"{MOZILLA} {ANDROID} {WEBKIT} Chrome/143.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.0", "curl"),
        ("Something (Macintosh)", "macOS"),
        ("", ""),
        ("<script>alert(1)</script>", ""),
        ("Fire" * 100_000, ""),
    ],
)
def test_the_description_names_the_browser_and_its_system(user_agent: str, named: str) -> None:
    assert browser_named(user_agent) == named
