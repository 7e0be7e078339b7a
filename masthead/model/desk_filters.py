"""What the desk asks of lists beyond what the API takes."""

from typing import Annotated

from msgspec import Meta

from masthead.model.inputs import SubscriptionQuery
from masthead.model.types.enums import SubscriptionStatus


class DeskSubscriptionQuery(SubscriptionQuery, kw_only=True, frozen=True):
    """Which subscriptions; the API's list has no `status`, and refuses it."""

    status: Annotated[SubscriptionStatus, Meta(description="state of the subscriptions")] | None = (
        None
    )
