"""List filters that only the desk has, not the API."""

from typing import Annotated

from msgspec import Meta

from masthead.model.inputs import SubscriptionQuery
from masthead.model.types.enums import SubscriptionStatus


class DeskSubscriptionQuery(SubscriptionQuery, kw_only=True, frozen=True):
    """Filters of the subscriptions; `status` is not a parameter of the API."""

    status: Annotated[SubscriptionStatus, Meta(description="status of the subscription")] | None = (
        None
    )
