"""Every text input of the service, and texts that are expensive to parse."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
from hypothesis import strategies as st

from masthead.api.copies import parse_copy_id
from masthead.api.http.codec import decode_json_body, decode_query_string
from masthead.model import inputs, queries
from masthead.model.emails import subject_template, text_template
from masthead.model.errors import NotFound
from masthead.model.identity.ip_addresses import network_of
from masthead.model.identity.passwords import new_password, plain_password
from masthead.model.ids import account_of, account_of_key, token_digest
from masthead.model.imports.targets import COLUMNS
from masthead.model.input_fields import fields_of
from masthead.model.inputs import Change, Creation, Query
from masthead.model.orders.order import OrderDefaults
from masthead.model.pagination import decode_cursor
from masthead.model.queries import AuditLogQuery, SubscriptionQuery
from masthead.model.types.email_addresses import email_address, email_key
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.fields import required_text
from masthead.model.types.messages import closest
from masthead.model.types.money import currency_code
from masthead.model.types.regional_formats import locale_code
from masthead.model.types.text import MAX_TEXT
from masthead.model.validation import list_refusals
from masthead.services.accounts import SUBDOMAIN
from masthead.web.identity.sign_in import SignInForm
from masthead.web.kit.amounts import plain_amount
from masthead.web.kit.form_data import parse_form
from masthead.web.kit.forms import choices_of, load_original_values
from masthead.web.kit.idempotency import KEY_FORMAT
from masthead.web.orders.order_form import OrderForm
from masthead.web.settings.product_form import ProductForm
from tests.support.order_lines import order_of_cells

MIB = 1_048_576
HEAD = 65_536  # bytes of a request's head
CELL = 131_072  # characters of a cell
TERMS = OrderDefaults("EUR", "none.test")

Parse = Callable[[Any], object]


class TextInput(NamedTuple):
    """An input. encode: puts a text into a message; parse: parses it like the service."""

    encode: Callable[[str], Any]
    parse: Parse


def structs_of(kind: type) -> list[Any]:
    """The input structs of a kind that have fields."""
    found: list[Any] = [each for each in vars(inputs).values() if isinstance(each, type)]
    return [each for each in found if issubclass(each, kind) and each.__struct_fields__]


def fit(size: int) -> Callable[[str], str]:
    """The beginning of a text, up to a number of bytes."""
    return lambda text: text.encode(errors="ignore")[:size].decode(errors="ignore")


def plain(before: str = "", after: str = "", size: int = MIB) -> Callable[[str], bytes]:
    """The bytes of a text, with other bytes before and after."""
    return lambda text: f"{before}{fit(size - 99)(text)}{after}".encode()


@lru_cache(16)  # the most expensive known texts: each input gets all of them
def json_text(text: str) -> str:
    """The beginning of a text in JSON."""
    return msgspec.json.encode(fit(MIB // 2)(text)).decode()


def as_json(before: str, after: str = "}") -> Callable[[str], bytes]:
    """A JSON body with a text in it, of at most about 1 MiB."""

    def encode(text: str) -> bytes:
        return f"{before}{json_text(text)}{after}".encode()

    return encode


def escaped(before: str, size: int) -> Callable[[str], bytes]:
    """A text as it is encoded in a URL or a form, after others."""
    return lambda text: f"{before}{quote(fit(size // 3 - 99)(text))}".encode()


def whole(parse: Parse, size: int = MIB) -> TextInput:
    """An input that gets the text itself."""
    return TextInput(fit(size), parse)


def body(struct: Any) -> Parse:
    """The parser of a body."""
    return lambda raw: decode_json_body(raw, None, struct)


def query(struct: Any) -> Parse:
    """The parser of a query string."""
    return lambda raw: decode_query_string(raw, struct)


def form_field(form: Any, name: str) -> TextInput:
    """A form with the text in one field."""
    return whole(lambda text: form(None, {name: text}).validate())


def product_form(formdata: Any, data: Any) -> ProductForm:
    """The form of a product, with the choices that its page adds."""
    form = ProductForm(formdata, data)
    form.type.choices = choices_of([(SubscriptionType.SUBSCRIPTION.value, "A number of issues")])
    return form


def list_inputs() -> Iterator[tuple[str, TextInput]]:
    """The inputs, by name."""
    create, issues = inputs.SubscriptionCreate, inputs.IssueCreate
    for struct in [*structs_of(Creation), *structs_of(Change)]:
        for name in fields_of(struct):
            yield (
                f"body {struct.__name__}.{name}",
                TextInput(as_json(f'{{"{name}": '), body(struct)),
            )
    for struct in [*structs_of(Query), AuditLogQuery, SubscriptionQuery]:
        for name in fields_of(struct):
            yield (
                f"query {struct.__name__}.{name}",
                TextInput(escaped(f"{name}=", HEAD), query(struct)),
            )
    for name in COLUMNS:
        cells = partial(lambda name, text: {"order_id": "1", name: text[:CELL]}, name)
        yield f"cell {name}", TextInput(cells, lambda cells: order_of_cells(cells, TERMS))
    for name in fields_of(create):
        typed = partial(lambda name, text: {name: text}, name)
        yield f"form {name}", TextInput(typed, lambda typed: list_refusals(create, typed))
    yield "whole body", TextInput(plain(), body(issues))
    yield "whole field", TextInput(plain('{"number": ', "}"), body(issues))
    yield "whole ids", TextInput(plain('{"ids": [', "1]}"), body(inputs.MarkSent))
    yield "unknown field", TextInput(as_json("{", ": 1}"), body(create))
    yield (
        "media type",
        TextInput(plain(size=HEAD), lambda raw: decode_json_body(b"{}", raw, issues)),
    )
    yield "whole query", TextInput(plain(size=HEAD), query(queries.SubscriberQuery))
    yield "sent form", TextInput(plain(), parse_form)
    yield "escaped form", TextInput(escaped("email=", MIB), parse_form)
    yield "unknown parameter", whole(lambda text: closest(text, COLUMNS), HEAD)
    yield "cursor", whole(partial(decode_cursor, b"x"), HEAD)
    yield "copy id", whole(parse_copy_id, HEAD)
    yield "id", whole(account_of, HEAD)
    yield "missing record", whole(lambda text: str(NotFound("issue", text)), HEAD)
    yield "key", whole(account_of_key, HEAD)
    yield "token", whole(token_digest, HEAD)
    yield "network", whole(network_of, HEAD)
    yield "email key", whole(email_key)
    yield "email address", whole(partial(email_address, "email"))
    yield "password", whole(plain_password)
    yield "new password", whole(lambda text: new_password(text, "ann@acme.test"))
    yield "name", whole(partial(required_text, "name"))
    yield "currency", whole(partial(currency_code, "currency"))
    yield "locale", whole(partial(locale_code, "locale"))
    yield "subdomain", whole(SUBDOMAIN.fullmatch)
    yield "subject", whole(partial(subject_template, "subject"))
    yield "email text", whole(partial(text_template, "text"))
    yield "idempotency key", whole(KEY_FORMAT.fullmatch)
    yield "original values", whole(lambda text: load_original_values(text, ["name"]))
    yield "amount", whole(lambda text: plain_amount(text, "de_DE"))
    for form, name in ((SignInForm, "email"), (SignInForm, "next"), (OrderForm, "notes")):
        yield f"{form.__name__}.{name}", form_field(form, name)
    yield "benefits", form_field(product_form, "benefits")


INPUTS = dict(list_inputs())

# Texts that are slow for regular expressions, decoders and comparisons
PIECES = st.sampled_from(
    [
        *"a1 .@-+_,;:|/\\'\"[]{}()%=&#\n\t\0éßŁıﷺ한\u0315\u0316\u0301\u0344\u0345\u0f73\uff9e",
        *("--", "a.", "@a", "1.0,", "1e308,", "[],", "{},", '"a":1,', "%CC%95", "\\u0000", "xn--"),
        *("last_name", "2026-01-01", "1|", "\U0001d165", "\U0001f469\u200d\U0001f680"),
    ]
) | st.text(max_size=3)
UNITS = st.lists(PIECES, min_size=1, max_size=4).map("".join).filter(len)


class LongText(NamedTuple):
    """A long text: a start, a repeated part, and an end."""

    start: str
    first: str
    second: str
    end: str
    share: float = 0.5
    size: int = MIB

    def text(self) -> str:
        """The text itself."""
        many = self.first * _times(self.first, self.size * self.share)
        rest = self.second * _times(self.second, self.size * (1 - self.share))
        return f"{self.start}{many}{rest}{self.end}"


def _times(unit: str, size: float) -> int:
    return int(size / len(unit.encode(errors="replace")))


LONG_TEXTS = st.builds(
    LongText,
    start=PIECES,
    first=UNITS,
    second=UNITS,
    end=PIECES,
    share=st.sampled_from([1.0, 0.5, 0.999]),
    size=st.sampled_from([MIB, CELL, 10_000, MAX_TEXT + 1, MAX_TEXT]),
)
COMBINING_MARKS = LongText("a", "\u0315", "\u0316", "")
