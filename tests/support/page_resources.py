"""The resources that an HTML page loads, and its inline scripts and styles."""

from html.parser import HTMLParser


class PageResources(HTMLParser):
    """Collects the addresses that a page loads, and its inline scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "link", "img", "iframe"):
            self.addresses.append(given.get("src") or given.get("href") or "")
        self.inline += [
            name for name in given if name == "style" or name.startswith(("on", "hx-on"))
        ]
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(tag)
