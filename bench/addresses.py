"""The time that one address takes: `python -m bench.addresses`."""

import random
import timeit
from collections.abc import Callable
from time import process_time

from masthead.model.dispatch.address_checks import AddressChecker
from masthead.model.dispatch.address_layout import address_lines, build_layout, split_po_box
from masthead.model.dispatch.copy_keys import key_of, line_of_key
from masthead.model.dispatch.fitting import AddressSpace, fit_lines
from masthead.model.dispatch.runs import DispatchLine, LineStatus
from masthead.model.types.enums import Medium

FIRST_NAMES = "Ann Jürgen Zoë Karl José Anna".split()
LAST_NAMES = "Lee Müller Schmidt Weiß Peeters García".split()
STREETS = ("Hauptstraße", "Gorch-Fock-Str.", "Rue de la Paix", "High Street", "Gran Vía")
PLACES = (
    ("DE", "München", "80331"),
    ("DE", "Oldenburg", "26133"),
    ("AT", "Wien", "1010"),
    ("GB", "London", "W1A 1AA"),
    ("US", "Cupertino", "95014"),
)
SPACE = AddressSpace(lines=7, width=35)


def measure(count: int, *, repeat: int) -> dict[str, float]:
    """The microseconds of processor time for one line, by step: the best of the repetitions."""
    lines = _lines(count)
    layout = build_layout([line.country for line in lines], "DE")
    addresses = [address_lines(line, layout) for line in lines]
    keys = [key_of(1, line.id) for line in lines]
    steps: dict[str, Callable[[], object]] = {
        "address_lines": lambda: [address_lines(line, layout) for line in lines],
        "split_po_box": lambda: [split_po_box(line) for line in lines],
        "fit_lines": lambda: [fit_lines(address, SPACE) for address in addresses],
        "key_of": lambda: [key_of(1, line.id) for line in lines],
        "line_of_key": lambda: [line_of_key(1, key) for key in keys],
        "all checks": lambda: AddressChecker(layout, space=SPACE, encoding="cp1252").check(lines),
    }
    return {
        name: min(timeit.repeat(step, process_time, number=1, repeat=repeat)) / count * 1e6
        for name, step in steps.items()
    }


def _lines(count: int) -> list[DispatchLine]:
    chance = random.Random(1)
    return [_line(number, chance) for number in range(1, count + 1)]


def _line(number: int, chance: random.Random) -> DispatchLine:
    country, city, postcode = chance.choice(PLACES)
    return DispatchLine(
        id=number,
        dispatch_id="",
        copy_id=number,
        claim_id=None,
        subscription_id="",
        subscriber_id="",
        issue_number=1,
        medium=Medium.PRINT,
        first_name=chance.choice(FIRST_NAMES),
        last_name=chance.choice(LAST_NAMES),
        company="Example Ltd" if number % 10 == 0 else None,
        address1=f"{chance.choice(STREETS)} {number}",
        address2=None,
        city=city,
        state="CA" if country == "US" else None,
        postcode=postcode,
        country=country,
        status=LineStatus.IN_RUN,
        left_reason=None,
        left_at=None,
        shipped_date=None,
    )


if __name__ == "__main__":
    for name, microseconds in measure(20_000, repeat=7).items():
        print(f"{name:15} {microseconds:6.2f} µs {1e6 / microseconds:12,.0f} a second")
