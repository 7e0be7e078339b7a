"""Address formats by country, frozen with each run."""

from collections.abc import Iterable

from masthead.model.dispatch.runs import CountryGroup, CountryLayout, Layout
from masthead.model.types.countries import country_name


def build_layout(countries: Iterable[str], home: str | None) -> Layout:
    """The rules for the addresses of a run to these countries."""
    return Layout(
        home=home,
        countries={
            code: CountryLayout(
                name="" if code == home else country_name(code).upper(),
                group=CountryGroup.HOME if code == home else CountryGroup.REST,
                format="%N%n%O%n%A%n%Z %C%n%S",
                upper="",
                requires="AC",
            )
            for code in countries
        },
    )
