"""Which of several copies for one address a page changes: all of them, one, or the whole order."""

from collections.abc import Collection

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import format_number, gettext as _
from masthead.model.types.enums import SubscriptionStatus
from masthead.services.subscriptions.bundles import Bundle, Together
from masthead.web.kit.context import PageContext


class ChosenCopies:
    """The subscriptions that a page changes. count: how many there are."""

    def __init__(
        self, context: PageContext, bundle: Bundle, statuses: Collection[SubscriptionStatus] = ()
    ) -> None:
        """statuses: as in `Bundle.choose`."""
        self._context, self.bundle = context, bundle
        self.choice = read_choice(context)
        self.ids = bundle.choose(self.choice, statuses)
        self.count = len(self.ids)

    @property
    def others(self) -> list[str]:
        """The ids without that of the page."""
        return [id for id in self.ids if id != self.bundle.id]

    def require_same(self) -> None:
        """Raises: Invalid if there are not as many copies as when the form was opened."""
        seen = self._context.fields.get("together")
        if seen is not None and seen != str(self.count):
            message = _(
                "The number of copies has changed since you opened this page: {count} copies would "
                "change now. Check them, and send the form again if it is still correct."
            )
            raise Invalid(message.format(count=format_number(self.count)), code=CHANGED_MEANWHILE)


def read_choice(context: PageContext) -> Together:
    """The choice in the address or the form; the group, if it is none that is known."""
    text = context.query.get("with") or context.fields.get("with") or ""
    return Together(text) if text in set(Together) else Together.GROUP
