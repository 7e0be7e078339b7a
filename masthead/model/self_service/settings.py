"""What an owner sets for the page of the subscribers: what they can do, texts and colours."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.clean_text import one_line, several_lines
from masthead.model.types.enums import LabelledEnum
from masthead.model.types.text import MAX_LONG_TEXT, MAX_TEXT, short_text

COLOUR = re.compile(r"#[0-9a-f]{6}")
DEFAULT_COLOUR = "#1d4ed8"
REFERENCE = "{reference}"  # in the address of a shop: the id of the subscription
MIN_CONTRAST = 4.5  # of white text on the colour, as WCAG 2.2 AA requires


class Action(LabelledEnum):
    """What subscribers can do by themselves, if an owner allows it."""

    ADDRESS = "address", gettext_noop("Change the address: for good, or for a holiday")
    CLAIM = "claim", gettext_noop("Say that a copy did not arrive")
    NAME = "name", gettext_noop("Correct the name")
    EMAIL = "email", gettext_noop("Change the email address")
    LETTERS = "letters", gettext_noop("Stop renewal letters, and allow them again")
    RENEWALS = "renewals", gettext_noop("Stop automatic renewals")
    DATA = "data", gettext_noop("Download all their data")
    ERASURE = "erasure", gettext_noop("Ask for the erasure of their data; you confirm it")
    RENEW = "renew", gettext_noop("Renew, in your shop")
    RENEW_BY_INVOICE = "renew_by_invoice", gettext_noop("Renew, and pay by invoice")
    INVOICES = "invoices", gettext_noop("See their invoices, and download them")
    READING = "reading", gettext_noop("Read their page by a link in emails, without signing in")


class SelfService(Struct, frozen=True, kw_only=True):
    """The settings of the page. is_open: whether subscribers can sign in.

    introduction, contact: texts on the page; may be empty. renewal_url: of the publisher's shop;
    empty for none. has_codes: whether labels and letters have a QR code of the page.
    """

    is_open: bool = False
    actions: frozenset[Action] = frozenset()
    introduction: str = ""
    contact: str = ""
    colour: str = DEFAULT_COLOUR
    renewal_url: str = ""
    has_codes: bool = False

    def allows(self, action: Action) -> bool:
        """Whether subscribers can do this by themselves."""
        return self.is_open and action in self.actions


ALL_ON = frozenset(Action)
OF_BILLING = frozenset({Action.INVOICES, Action.RENEW_BY_INVOICE})  # if the account bills


def store_actions(actions: Iterable[Action]) -> str:
    """The actions as they are stored: `address claim`."""
    return " ".join(sorted(each.value for each in actions))


def read_actions(text: str) -> frozenset[Action]:
    """The actions from a stored text. Those of a later version are ignored."""
    known = {each.value for each in Action}
    return frozenset(Action(each) for each in text.split() if each in known)


def checked(settings: SelfService) -> SelfService:
    """The settings without surplus blanks. Raises: Invalid, with the field."""
    renewal_url = one_line(settings.renewal_url)
    return SelfService(
        is_open=settings.is_open,
        actions=settings.actions,
        introduction=short_text(
            "introduction", several_lines(settings.introduction), MAX_LONG_TEXT
        ),
        contact=short_text("contact", several_lines(settings.contact), MAX_LONG_TEXT),
        colour=checked_colour(settings.colour),
        renewal_url=_checked_url(renewal_url, is_needed=Action.RENEW in settings.actions),
        has_codes=settings.has_codes,
    )


def checked_colour(text: str) -> str:
    """A colour that white text can be read on, such as `#1d4ed8`. Raises: Invalid."""
    colour = text.strip().lower() or DEFAULT_COLOUR
    if not COLOUR.fullmatch(colour):
        raise Invalid(
            _("Type the colour as six hexadecimal digits, like {example}.").format(
                example=DEFAULT_COLOUR
            ),
            field="colour",
            value=text,
        )
    if contrast_with_white(colour) < MIN_CONTRAST:
        raise Invalid(
            _("White text cannot be read on {colour}. Choose a darker colour.").format(
                colour=colour
            ),
            field="colour",
            value=text,
        )
    return colour


def contrast_with_white(colour: str) -> float:
    """The contrast of a colour with white, from 1 to 21, by the formula of WCAG."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _checked_url(text: str, *, is_needed: bool) -> str:
    if not text and is_needed:
        raise Invalid(
            _("Type the address of your shop, so that subscribers can renew there."),
            field="renewal_url",
        )
    if not text:
        return ""
    short_text("renewal_url", text, MAX_TEXT)
    try:
        parts = urlsplit(text)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_fine = False
    if not is_fine or re.search(r"[\s<>\"{}]", text.replace(REFERENCE, "")):
        raise Invalid(
            _("Type the address of your shop like {example}.").format(
                example=f"https://shop.example/renew?ref={REFERENCE}"
            ),
            field="renewal_url",
            value=text,
        )
    return text


def page_address(public_url: str, hosts: Mapping[str, str], subdomain: str) -> str:
    """The address of the page of an account. hosts: the subdomain of each host name of a page."""
    own = [host for host, name in hosts.items() if name == subdomain]
    site = f"{public_url.partition('://')[0]}://{own[0]}" if own else public_url
    return f"{site}/my/{subdomain}/"


def renewal_link(settings: SelfService, reference: str) -> str:
    """The address in the shop for one subscription; empty without a shop."""
    return settings.renewal_url.replace(REFERENCE, reference)
