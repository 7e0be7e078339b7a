"""Names, addresses and filters, as the sentences of `why` say them."""

from collections.abc import Callable
from datetime import date

from msgspec import structs

from masthead.model.dispatch.address_layout import address_lines
from masthead.model.dispatch.runs import DispatchLine, DispatchSelection, Layout
from masthead.model.timeline.facts import WhySubscriber, WhySubscription
from masthead.model.translations import gettext as _
from masthead.model.types.countries import country_in_words
from masthead.model.types.full_names import full_name
from masthead.model.types.postal_fields import PostalFields


def recipient(own: WhySubscription, subscriber: WhySubscriber | None) -> str:
    """The name on the label; the name of the subscriber if it has none."""
    fallback = subscriber.full_name if subscriber else ""
    return full_name(own.first_name, own.last_name, own.company, fallback)


def address_text(address: DispatchLine | WhySubscription, layout: Layout) -> str:
    """The address in one line, as its country writes it, but without the name and capitals."""
    rules = layout.countries[address.country]
    name = country_in_words(address.country) if rules.name else ""
    written = structs.replace(rules, upper="", name=name)
    has_person = address.first_name or address.last_name
    company = address.company if has_person else None
    unnamed = structs.replace(
        PostalFields.of(address), first_name=None, last_name=None, company=company
    )
    lines = address_lines(unnamed, structs.replace(layout, countries={address.country: written}))
    return ", ".join(lines) or country_in_words(address.country)


def dated(sent_on: date | None, day: Callable[[date], str]) -> str:
    """The words for the day on which a copy was sent."""
    return _("on {date}").format(date=day(sent_on)) if sent_on else _("without a date")


def selects(selection: DispatchSelection, own: WhySubscription, country: str) -> bool:
    """Whether a run with this selection takes a copy of this subscription to this country."""
    return not selection.only_replacements and not _missed(selection, own, country)


def selection_in_words(selection: DispatchSelection, own: WhySubscription, country: str) -> str:
    """What a run took, as far as it leaves out this subscription."""
    return _(" and ").join(_missed(selection, own, country))


def _missed(selection: DispatchSelection, own: WhySubscription, country: str) -> list[str]:
    """The filters of a run that leave out this subscription, in words."""
    missed = []
    if selection.countries and country not in selection.countries:
        names = ", ".join(country_in_words(each) for each in selection.countries)
        missed.append(_("copies to {countries}").format(countries=names))
    if selection.media and own.medium not in selection.media:
        names = ", ".join(_(each) for each in selection.media)
        missed.append(_("copies with the medium {media}").format(media=names))
    if selection.sources and own.source_id not in selection.sources:
        missed.append(_("copies of certain sources"))
    return missed
