"""A short description of a browser, from the header `User-Agent`."""

from masthead.model.translations import gettext as _

MAX_HEADER = 1_000  # characters that are read

# The first match counts: browsers also name the ones that they are compatible with
BROWSERS = (
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
)


def describe_browser(description: str) -> str:
    """A stored description in the language of its reader; “Unknown” if it is empty."""
    name, on, system = description.partition(" on ")
    if on:
        return _("{browser} on {system}").format(browser=name, system=system)
    return name or _("Unknown")


def browser_named(user_agent: str) -> str:
    """A description such as `Firefox on Windows`, or an empty text. It may be wrong."""
    text = user_agent[:MAX_HEADER]
    browser = next((name for part, name in BROWSERS if part in text), "")
    system = next((name for part, name in SYSTEMS if part in text), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system
