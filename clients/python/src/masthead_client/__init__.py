"""A client of masthead, the self-hosted back office of a magazine publisher."""

from masthead_client import types
from masthead_client.client import AsyncMasthead, Masthead
from masthead_client.errors import (
    ApiError,
    BadRequest,
    Conflict,
    CursorExpired,
    Forbidden,
    Gone,
    InvalidSignature,
    MastheadError,
    NotFound,
    NotModified,
    PreconditionFailed,
    RateLimited,
    ServerError,
    Unauthorized,
    Unreachable,
)
from masthead_client.lists import AsyncListing, Listing, Page
from masthead_client.requests import etag
from masthead_client.version import __version__
from masthead_client.webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncListing",
    "AsyncMasthead",
    "BadRequest",
    "Conflict",
    "CursorExpired",
    "Forbidden",
    "Gone",
    "InvalidSignature",
    "Listing",
    "Masthead",
    "MastheadError",
    "NotFound",
    "NotModified",
    "Page",
    "PreconditionFailed",
    "RateLimited",
    "ServerError",
    "Unauthorized",
    "Unreachable",
    "__version__",
    "etag",
    "types",
    "verify_webhook",
]
