"""What is wrong with addresses, before it costs postage."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from types import MappingProxyType

from msgspec import Struct

from masthead.model.dispatch.address_layout import address_lines, fit_address, person_name, tidy
from masthead.model.dispatch.fitting import AddressSpace, FittedAddress
from masthead.model.dispatch.postal.rules import is_unusual_postcode, postal_rules
from masthead.model.dispatch.postal.seen_addresses import SeenAddresses
from masthead.model.dispatch.preview import CheckableLine
from masthead.model.dispatch.runs import Layout
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.countries import country_in_words
from masthead.model.types.damaged_texts import find_damage, list_suspects
from masthead.model.types.enums import LabelledEnum

MAX_NAMED = 5  # characters that a message names
TOGETHER = 100  # lines that are checked together, which costs less than one by one

_FIELDS = {
    "first_name": gettext_noop("first name"),
    "last_name": gettext_noop("last name"),
    "company": gettext_noop("company"),
    "address1": gettext_noop("address"),
    "address2": gettext_noop("second line of the address"),
    "city": gettext_noop("town"),
    "state": gettext_noop("state"),
    "postcode": gettext_noop("postcode"),
    "country": gettext_noop("country"),
}
fields_of: Callable[[CheckableLine], tuple[str | None, ...]] = attrgetter(
    *(field for field in _FIELDS if field != "country")
)


class ProblemKind(LabelledEnum):
    """A kind of problem with an address, in the order in which pages show them."""

    MISSING_STREET = "missing_street", gettext_noop("No street or PO box")
    MISSING_TOWN = "missing_town", gettext_noop("No town")
    MISSING_STATE = "missing_state", gettext_noop("No state or province")
    MISSING_POSTCODE = "missing_postcode", gettext_noop("No postcode")
    WRONG_POSTCODE = "wrong_postcode", gettext_noop("Unusual postcode")
    NOT_AN_ADDRESS = "not_an_address", gettext_noop("Does not look like an address")
    TOO_LONG = "too_long", gettext_noop("Too long for the label or file")
    SHORTENED = "shortened", gettext_noop("Shortened on the label or in the file")
    MISSING_CHARACTER = "missing_character", gettext_noop("Characters that the file cannot contain")
    DUPLICATE = "duplicate", gettext_noop("Same name and address twice")
    HOUSEHOLD = "household", gettext_noop("Several subscribers at one address")


class AddressProblem(Struct, frozen=True, kw_only=True):
    """A problem with a line. other_copy_id: the earlier copy with the same address, if any."""

    kind: ProblemKind
    line: CheckableLine
    message: str
    other_copy_id: int | None = None


class AddressReport(Struct, kw_only=True):
    """The problems of a number of lines.

    counts: how many lines have a problem of each kind. problems: the first of them.
    """

    lines: int = 0
    counts: dict[ProblemKind, int] = {}
    problems: dict[ProblemKind, list[AddressProblem]] = {}


class AddressChecker:
    """Checks addresses one after another, in constant memory except 120 bytes for each address.

    Takes 4 µs for a line without a problem, and 6 µs more with limits of space or characters.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        space: AddressSpace | None = None,
        encoding: str = "utf-8",
        keep: int = 20,
        bundles: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """layout: with all countries of the lines. space: for the address lines, None if unlimited.

        encoding: of the file, such as `windows-1252`. keep: how many problems of a kind to list.
        bundles: of the subscriptions that were ordered together, by id.
        """
        self.report = AddressReport()
        self._layout = layout
        self._space = space
        self._encoding = encoding
        self._is_limited = space is not None or encoding != "utf-8"
        self._keep = keep
        self._bundles = bundles
        self._seen = SeenAddresses()

    def check(self, lines: Iterable[CheckableLine]) -> AddressReport:
        """The report on these lines and those before. They are of copies that go by post."""
        left = iter(lines)
        while part := list(islice(left, TOGETHER)):
            self.report.lines += len(part)
            for suspect in list_suspects([fields_of(line) for line in part]):
                self._check_texts(part[suspect])
            matches = self._seen.add(part, self._bundles)
            for line, match in zip(part, matches, strict=True):
                self._check_fields(line)
                if self._is_limited:
                    self._check_space(line)
                if match:
                    kind = ProblemKind.DUPLICATE if match.is_duplicate else ProblemKind.HOUSEHOLD
                    self._note(kind, line, copy_id=match.copy_id)
        return self.report

    def _check_fields(self, line: CheckableLine) -> None:
        """What the post of the country needs. A postcode also tells the state."""
        needs = self._layout.countries[line.country].requires
        if "A" in needs and not (line.address1 or line.address2):
            self._note(ProblemKind.MISSING_STREET, line)
        if not line.city and ("C" in needs or ("S" in needs and not line.state)):
            self._note(ProblemKind.MISSING_TOWN, line)
        if line.postcode:
            if is_unusual_postcode(line.country, line.postcode):
                self._note(ProblemKind.WRONG_POSTCODE, line)
        elif "Z" in needs:
            self._note(ProblemKind.MISSING_POSTCODE, line)
        elif "S" in needs and "C" in needs and not line.state:
            self._note(ProblemKind.MISSING_STATE, line)

    def _check_texts(self, line: CheckableLine) -> None:
        """Note the first text that was left by a program."""
        for field, value in zip(_FIELDS, fields_of(line), strict=False):
            damage = find_damage(field, value, line.country) if value else None
            if damage:
                text = _("the {field} is `{value}`, {reason}")
                name, reason = _(_FIELDS[field]), damage.kind.reason
                text = text.format(field=name, value=value, reason=reason)
                self._note(ProblemKind.NOT_AN_ADDRESS, line, text)
                return

    def _check_space(self, line: CheckableLine) -> None:
        """Whether the address fits into its space, and its characters into the encoding."""
        lines = address_lines(line, self._layout)
        if self._space:
            fitted = fit_address(line, lines, self._space)
            if not fitted.fits:
                self._note(ProblemKind.TOO_LONG, line, _excess(fitted, self._space))
            if fitted.shortened:
                quoted = ", ".join(f"`{each}`" for each in fitted.shortened)
                text = _("shortened to fit: {lines}").format(lines=quoted)
                self._note(ProblemKind.SHORTENED, line, text)
        # The lines have the name of the country, and capitals; the fields may be columns of a file
        text = "".join([*filter(None, fields_of(line)), *lines])
        if not text.isascii() and missing_characters(text, self._encoding):
            missing = missing_characters("".join([*_tidy_values(line), *lines]), self._encoding)
            if missing:
                self._note(ProblemKind.MISSING_CHARACTER, line, missing)

    def _note(
        self, kind: ProblemKind, line: CheckableLine, detail: str = "", copy_id: int | None = None
    ) -> None:
        """Count the problem, and list it if it is one of the first of its kind."""
        counts = self.report.counts
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= self._keep:
            message = f"{addressee(line)}: {self._explained(kind, line, detail)}."
            problem = AddressProblem(kind=kind, line=line, message=message, other_copy_id=copy_id)
            self.report.problems.setdefault(kind, []).append(problem)

    def _explained(self, kind: ProblemKind, line: CheckableLine, detail: str) -> str:
        """What is wrong with the line. detail: depends on the kind."""
        country = country_in_words(line.country)
        match kind:
            case ProblemKind.MISSING_STREET:
                text = _("there is no street or PO box, which mail to {country} needs")
                return text.format(country=country)
            case ProblemKind.MISSING_TOWN:
                text = _("there is no town, which mail to {country} needs")
                return text.format(country=country)
            case ProblemKind.MISSING_STATE:
                text = _("there is no state and no postcode; mail to {country} needs one of them")
                return text.format(country=country)
            case ProblemKind.MISSING_POSTCODE:
                text = _("there is no postcode; in {country}, one looks like `{example}`")
                return text.format(country=country, example=postal_rules(line.country).example)
            case ProblemKind.WRONG_POSTCODE:
                text = _("the postcode is `{postcode}`; in {country}, one looks like `{example}`")
                return text.format(
                    postcode=line.postcode,
                    country=country,
                    example=postal_rules(line.country).example,
                )
            case ProblemKind.MISSING_CHARACTER:
                name = self._encoding.capitalize()
                return explain_characters(line, self._layout, detail, name)
            case ProblemKind.DUPLICATE:
                text = _("another copy has the same name and address, {address}")
                return text.format(address=_place(line))
            case ProblemKind.HOUSEHOLD:
                text = _("another subscriber has the same address, {address}")
                return text.format(address=_place(line))
            case _other:
                return detail


def addressee(line: CheckableLine) -> str:
    """The name and town of a line, or its copy, as messages about it begin."""
    named = ", ".join(filter(None, (person_name(line) or line.company, line.city)))
    return named or _("Copy {id}").format(id=line.copy_id)


def explain_characters(
    line: CheckableLine, layout: Layout, missing: Sequence[str], what: str
) -> str:
    """The first field with a missing character, and the first five of these with their names.

    what: has not these characters, such as `Windows-1252`.
    """
    country = layout.countries[line.country].name
    values = dict(zip(_FIELDS.values(), [*_tidy_values(line), country], strict=True))
    wrong = (
        (name, value)
        for name, value in values.items()
        if not set(missing).isdisjoint(value + value.upper())
    )
    name, value = next(wrong, ("address", ", ".join(address_lines(line, layout))))
    text = _("the {field} is `{value}`; {what} has no {characters}")
    return text.format(
        field=_(name), value=value, what=what, characters=list_characters(missing, character_name)
    )


def list_characters(characters: Sequence[str], describe: Callable[[str], str]) -> str:
    """The first five characters, as `describe` shows each, and how many more there are."""
    named = [describe(each) for each in characters[:MAX_NAMED]]
    more = len(characters) - len(named)
    return ", ".join([*named, _("and {count} more").format(count=more)] if more else named)


def _tidy_values(line: CheckableLine) -> list[str]:
    return [tidy(value) for value in fields_of(line)]


def _excess(fitted: FittedAddress, space: AddressSpace) -> str:
    """Why an address does not fit."""
    if fitted.too_wide:
        line = fitted.too_wide[0]
        text = _("`{line}` has {count} characters, and there is space for {most}")
        return text.format(line=line, count=len(line), most=space.width)
    text = _("the address has {count} lines, and there is space for {most}")
    return text.format(count=len(fitted.lines), most=space.lines)


def _place(line: CheckableLine) -> str:
    parts = (line.address1, line.address2, line.postcode, line.city)
    return f"`{', '.join(filter(None, parts))}`"


def missing_characters(text: str, encoding: str) -> str:
    """The characters that the encoding lacks, each once, in the order of the text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        known = text.encode(encoding, errors="ignore").decode(encoding)
        return "".join(dict.fromkeys(character for character in text if character not in known))
    return ""


def character_name(character: str) -> str:
    """The character and its name: `ł (Latin small letter l with stroke)`."""
    name = unicodedata.name(character, "").capitalize() or f"U+{ord(character):04X}"
    shown = f"◌{character}" if unicodedata.combining(character) else character
    return f"{shown} ({name})"
