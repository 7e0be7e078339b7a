"""A short description of a browser, from the header `User-Agent`."""

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


def browser_named(user_agent: str) -> str:
    """A description such as `Firefox on Windows`, or an empty text. It may be wrong."""
    text = user_agent[:MAX_HEADER]
    browser = next((name for part, name in BROWSERS if part in text), "")
    system = next((name for part, name in SYSTEMS if part in text), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system
