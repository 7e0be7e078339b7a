"""All presets by name, and which of them fits a file."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.imports.fitting import column_key, fit_mapping
from masthead.model.imports.guesses import guess_mapping
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.presets import (
    ghost,
    masthead,
    patreon,
    paypal,
    shopify,
    squarespace,
    stripe,
    subsail,
    substack,
    woocommerce_orders,
    woocommerce_subscriptions,
)
from masthead.model.imports.presets.preset import Preset
from masthead.model.translations import gettext as _
from masthead.model.types.messages import closest

_PRESETS = {
    each.name: each
    for each in (
        woocommerce_subscriptions.PRESET,
        woocommerce_orders.PRESET,
        shopify.PRESET,
        squarespace.PRESET,
        stripe.PRESET,
        patreon.PRESET,
        paypal.PRESET,
        substack.PRESET,
        ghost.PRESET,
        subsail.PRESET,
        masthead.PRESET,
    )
}
_KNOWN = {name: preset.known() for name, preset in _PRESETS.items()}


class PresetMatch(Struct, frozen=True):
    """A preset that fits a file. score: the share of its columns that the preset knows, 0 to 1."""

    preset: Preset
    score: float


def list_presets() -> tuple[Preset, ...]:
    """All presets, the most common systems first."""
    return tuple(_PRESETS.values())


def get_preset(name: str) -> Preset:
    """Raises: Invalid that hints at the allowed names."""
    try:
        return _PRESETS[name]
    except KeyError:
        message = _("There is no preset `{name}`.{closest}").format(
            name=name, closest=closest(name, _PRESETS)
        )
        raise Invalid(message, field="preset", value=name) from None


def rank_presets(columns: Collection[str]) -> list[PresetMatch]:
    """The presets whose marks a file has, the best one first."""
    keys = {key for name in columns if (key := column_key(name))}
    found = [
        PresetMatch(preset, len(keys & _KNOWN[name]) / len(keys))
        for name, preset in _PRESETS.items()
        if all(any(column_key(mark) in keys for mark in group) for group in preset.marks)
    ]
    return sorted(found, key=lambda each: each.score, reverse=True)


def recognize(columns: Collection[str]) -> Preset | None:
    """The preset that fits a file by its columns; None if none fits, or two fit equally well."""
    ranked = rank_presets(columns)
    if not ranked or (len(ranked) > 1 and ranked[0].score == ranked[1].score):
        return None
    return ranked[0].preset


def require_marks(preset: Preset, columns: Collection[str]) -> None:
    """Raises: Invalid if most of the columns that mark the files of a preset are missing."""
    keys = {column_key(name) for name in columns}
    missing = [
        group[0] for group in preset.marks if not any(column_key(each) in keys for each in group)
    ]
    if len(missing) * 2 <= len(preset.marks):
        return
    names = ", ".join(f"`{name}`" for name in missing)
    message = _(
        "The file is not an export of {system}: it has no columns {names}. Choose another system, "
        "or map its columns."
    )
    raise Invalid(message.format(system=preset.label, names=names), field="preset")


def mapping_of(name: str, columns: Collection[str]) -> ImportMapping:
    """The mapping of a preset for a file with these columns. Raises: Invalid if it is unknown."""
    return fit_mapping(get_preset(name).mapping, columns)


def propose(columns: Sequence[str]) -> tuple[str | None, ImportMapping]:
    """The preset that fits a file and its mapping; without one, what the names of columns say."""
    preset = recognize(columns)
    if preset is None:
        return None, guess_mapping(columns)
    return preset.name, fit_mapping(preset.mapping, columns)
