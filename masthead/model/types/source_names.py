"""The names of sources in the language of a page.

The source for orders by phone or post is created with a name in the language of who creates it.
Pages translate that name for their reader. A name that a user typed is never translated.
"""

from functools import cache

from masthead.model.translations import gettext as _, gettext_noop, list_languages, load_catalogue

BY_HAND = gettext_noop("By hand")


@cache
def _names_by_hand() -> frozenset[str]:
    found = (load_catalogue(language) for language in list_languages())
    return frozenset({BY_HAND, *(each.gettext(BY_HAND) for each in found if each)})


def is_by_hand(name: str) -> bool:
    """Whether a name, in any language, is that of the source for orders by phone or post."""
    return name in _names_by_hand()


def shown_source(name: str) -> str:
    """The name of a source, in the current language unless a user chose the name."""
    return _(BY_HAND) if is_by_hand(name) else name
