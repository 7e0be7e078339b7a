"""The structs of error responses."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType


class FieldError(Struct, frozen=True):
    """One of the errors of a request.

    field: the field or parameter that is wrong, such as `start_issue`, `ids[7]` or
        `reports[3].key`.
    message: what is wrong and how to correct it, for people; the wording may change.
    code: the kind of error, for programs.
    """

    field: str
    message: str
    code: str


class ApiError(Struct, frozen=True):
    """An error.

    message: what is wrong and how to correct it, for people; the wording may change.
    code: the kind of error, for programs.
    id: of the record that the message names, such as the subscription that has an order id
        already; only if it names one.
    field: the field or parameter that is wrong, such as `start_issue`, `ids[7]` or
        `reports[3].key`; only if it is one.
    errors: all fields and parameters that are wrong, up to 20; the first one is `field` with its
        `message` and `code`. Only together with `field`.
    """

    error: Annotated[bool, Meta(extra_json_schema={"const": True})]
    message: str
    code: str
    id: str | UnsetType = UNSET
    field: str | UnsetType = UNSET
    errors: list[FieldError] | UnsetType = UNSET
