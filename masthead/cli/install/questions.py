"""The three questions of `masthead init`, and what follows from the answers."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from babel.core import get_global
from babel.numbers import get_territory_currencies

from masthead.cli.command import CommandError
from masthead.cli.output import print_message
from masthead.model.errors import Invalid
from masthead.model.types.text import MAX_TEXT, fold
from masthead.model.types.time_zones import UTC, time_zones
from masthead.settings import SettingsError

LOCAL_TIME = Path("/etc/localtime")  # a link to the file of the machine's time zone
EURO = "EUR"


def ask(question: str, option: str, given: str | None, check: Callable[[str], str]) -> str:
    """The option, or an answer typed on the terminal. Raises: Invalid, SettingsError, CommandError.

    check: returns the value, or refuses it; an answer on the terminal can then be corrected.
    """
    if given is not None:
        return check(given)
    if not is_terminal():
        raise CommandError(f"`{option}` is missing, and there is no terminal to ask: {question}")
    while True:
        print_message(question)
        try:
            return check(input("> ").strip())
        except EOFError:
            raise CommandError(f"There is no answer. Use the option `{option}`.") from None
        except (Invalid, SettingsError) as reason:
            print_message(str(reason))


def is_terminal() -> bool:
    """Whether there is a terminal to ask on."""
    return sys.stdin.isatty()


def subdomain_of(name: str) -> str:
    """A short name for an account: `Acme Quarterly` becomes `acme-quarterly`."""
    return re.sub("[^a-z0-9]+", "-", fold(name[:MAX_TEXT])).strip("-")[:63].rstrip("-")


def local_time_zone() -> str:
    """The time zone of this machine; UTC if it is not known."""
    _, _, name = os.path.realpath(LOCAL_TIME).partition("/zoneinfo/")
    return name if name in time_zones() else UTC


def currency_of(zone: str) -> str:
    """The currency of the country of a time zone; euros if it is not known."""
    country = get_global("zone_territories").get(zone, "")
    currencies = get_territory_currencies(country) if country else []
    return currencies[0] if currencies else EURO
