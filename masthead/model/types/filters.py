"""The types of the parameters that filter a list.

`tidy` normalizes the text of a parameter; `rule` may refuse it.
"""

from typing import Annotated

from msgspec import Meta

from masthead.model.types.countries import country_filter
from masthead.model.types.email_addresses import email_key

TRIMMED = {"tidy": str.strip}
Search = Annotated[
    str,
    Meta(
        max_length=255,
        description="search terms, separated by spaces; all of them must match, as words or parts "
        "of words; case and accents are ignored",
        extra=TRIMMED,
    ),
]
_Id = Annotated[str, Meta(min_length=1, extra=TRIMMED)]
SubscriberId = Annotated[_Id, Meta(description="id of the subscriber")]
SubscriptionId = Annotated[_Id, Meta(description="id of the subscription")]
SourceId = Annotated[_Id, Meta(description="id of the source of the first order")]
IssueId = Annotated[_Id, Meta(description="id of the issue")]
OrderId = Annotated[_Id, Meta(description="id of one of its orders, including renewals")]
EmailFilter = Annotated[
    str,
    Meta(
        min_length=1,
        description="email address of the subscriber; case does not matter",
        extra={"tidy": email_key},
    ),
]
Country = Annotated[
    str,
    Meta(
        min_length=1,
        description="ISO 3166-1 alpha-2 country code of the shipping address",
        extra={"tidy": lambda text: text.strip().upper(), "rule": country_filter},
    ),
]
