"""Time zones by their names, such as `Europe/Berlin`."""

from functools import cache
from zoneinfo import available_timezones

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _
from masthead.model.types.messages import closest

UTC = "UTC"


@cache
def time_zones() -> tuple[str, ...]:
    """The names of all time zones that have a place, and UTC, in alphabetical order."""
    places = {name for name in available_timezones() if "/" in name}
    return (UTC, *sorted(name for name in places if not name.startswith(("Etc/", "SystemV/"))))


def time_zone(field: str, name: str) -> str:
    """The name of a time zone. Raises: Invalid."""
    if name not in time_zones():
        message = _("`{field}` is `{value}`; expected a time zone such as `Europe/Berlin`.")
        text = message.format(field=field, value=excerpt(name)) + closest(name, time_zones())
        raise Invalid(text, field=field, value=name)
    return name
