"""The description of the API: valid, complete, and exactly what the specification says."""

from functools import cache
from typing import Any

from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import validate

from masthead.api.authentication import Access
from masthead.api.http.errors import STATUS
from masthead.api.openapi import texts
from masthead.api.openapi.document import document
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from masthead.model.events.types import PublicEventType
from masthead.model.timeline.codes import WhyCode
from tests.conftest import Cast, Client
from tests.golden import OPENAPI, openapi_now
from tests.support.cases import for_each
from tests.support.factories import ABSENT, manual

KEYED = [route for route in ROUTES if route.access is not Access.PUBLIC]
WRITES = [route for route in ROUTES if route.access is Access.WRITE]
LISTS = [route for route in ROUTES if "limit" in route.query.__struct_fields__]

# The fields of every response with their type in the specification; `?` says that it can be null,
# and `+` that later versions may add values to its enum. Kinds that begin with a capital are
# schemas of their own.
_CLAIM = (
    "id:string copy_id:integer issue:IssueRef subscriber_id:string subscription_id:string "
    "country:string reason:ClaimReason+ notes:string? status:ClaimStatus+ replacement:boolean "
    "dispatch_id:string? date_sent:date? date_created:date"
)
ADDED = {  # the fields that the specification does not have
    "Me": "sandbox_day:date",
    "ApiError": "id:string field:string errors:[FieldError]",
}
ANSWERS = {
    "Me": "email:email account:AccountRef scope:Scope+",
    "AccountRef": "name:string subdomain:string",
    "Subscriber": "id:string first_name:string? last_name:string? full_name:string email:email "
    "latest_country:string? latest_order_date:date? has_active_subscription:boolean "
    "subscription_count:integer ltv:string ltv_currency:string date_created:date?",
    "Source": "id:string name:string type:SourceType+ is_active:boolean",
    "Subscription": "id:string type:SubscriptionType+ status:SubscriptionStatus+ medium:Medium+ "
    "first_name:string? last_name:string? shipping_address:ShippingAddress length:integer? "
    "interval_months:number? total_length:number notes:string? is_recurring:boolean "
    "current_period_start:date? current_period_end:date? next_charge_date:date? is_comp:boolean "
    "is_gift:boolean gifter:GifterRef? promo_code:string? discount_amount:string refunded:string "
    "currency:string? price:string? order_date:date? start_issue:IssueRef? "
    "issue_list:[integer] periods:[SubscriptionPeriod] subscriber:SubscriberRef "
    "source:SourceRef? product:Product",
    "ShippingAddress": "company:string? address1:string? address2:string? city:string? "
    "state:string? postcode:string? country:string? country_name:string? phone:string?",
    "SubscriptionPeriod": "id:integer order_date:date? is_complete:boolean length:integer? "
    "interval_months:number? period_start:date? period_end:date? issue_list:[integer] "
    "order_id:string transaction_id:string? price:string currency:string discount_amount:string "
    "refunded:string source:SourceRef",
    "SubscriberRef": "id:string full_name:string email:email",
    "GifterRef": "full_name:string email:email",
    "SourceRef": "id:string name:string",
    "IssueRef": "id:string number:integer name:string",
    "Product": "id:string name:string benefits:[string]",
    "SubscriptionState": "status:SubscriptionStatus+",
    "Issue": "id:string number:integer name:string release_date_actual:date? "
    "release_date_fuzzy:string? date_as_start_issue:date? recurring_charge_date:date? "
    "newsstand_ean:string?",
    "Copy": "id:integer date_sent:date? status:CopyStatus+ country:string issue:IssueRef "
    "subscriber_id:string subscription_id:string",
    "MarkedSent": "error:boolean updated_count:integer items:[Copy]",
    "ApiError": "error:boolean message:string code:ErrorCode+",
    "FieldError": "field:string message:string code:string",
    "Event": "id:integer number:integer type:PublicEventType+ happened_at:date-time "
    "actor:EventActor record:EventRecord data:object?",
    "EventActor": "kind:string+ id:string",
    "EventRecord": "type:string+ id:string",
    "EventPage": "items:[Event] has_more:boolean cursor:string",
    "SubscriberPage": "items:[Subscriber] has_more:boolean cursor:string?",
    "SourcePage": "items:[Source] has_more:boolean cursor:string?",
    "SubscriptionPage": "items:[Subscription] has_more:boolean cursor:string?",
    "IssuePage": "items:[Issue] has_more:boolean cursor:string?",
    "CopyPage": "items:[Copy] has_more:boolean cursor:string?",
}
# The same for what the specification does not have: sending out an issue
_RUN = (
    "id:string issue:IssueRef number:integer status:DispatchStatus+ copies:integer "
    "replacements:integer grace_copies:integer lines:integer countries:[string] media:[Medium+] "
    "sources:[string] only_replacements:boolean fingerprint:string date_sent:date? "
    "created_at:date-time marked_at:date-time? undo_until:date-time? discarded_at:date-time?"
)
_ADDRESS = (
    "name:string first_name:string? last_name:string? company:string? address1:string? "
    "address2:string? city:string? state:string? postcode:string? country:string "
    "country_name:string address_lines:[string]"
)
ANSWERS |= {
    "DispatchRun": _RUN,
    "DispatchRunDetail": f"{_RUN} held:integer sent:integer left:integer by_country:object "
    "by_medium:object",
    "DispatchRunLine": "id:integer sequence:integer key:string kind:LineKind+ copy_id:integer "
    f"claim_id:string? subscription_id:string subscriber_id:string {_ADDRESS} medium:Medium+ "
    "status:LineStatus+ left_reason:LeftReason+? left_at:date-time? shipped_date:date? "
    "salutation:Salutation+? title:string?",
    "IssueAddress": "copy_id:integer subscription_id:string subscriber_id:string medium:Medium+ "
    f"{_ADDRESS} salutation:Salutation+? title:string?",
    "DispatchRunPage": "items:[DispatchRun] has_more:boolean cursor:string?",
    "DispatchRunLinePage": "items:[DispatchRunLine] has_more:boolean cursor:string?",
    "IssueAddressPage": "items:[IssueAddress] has_more:boolean cursor:string?",
    "Claim": _CLAIM,
    "CreatedClaim": f"{_CLAIM} warnings:[string]",
    "ClaimPage": "items:[Claim] has_more:boolean cursor:string?",
    "IssueAnswer": "code:WhyCode+ sentence:string issue_number:integer issue:IssueRef? "
    "subscriber:SubscriberRef? subscriptions:[SubscriptionAnswer]",
    "SubscriptionAnswer": "subscription_id:string code:WhyCode+ sentence:string copy_id:integer? "
    "copy_status:CopyStatus+? date_sent:date? run:DispatchRef? "
    "left_run:DispatchRef? address:string? key:string? "
    "claim_id:string? delivery_report_id:string? invoice_id:string?",
    "DeliveryReportResource": "id:string kind:ReportKind+ status:ReportStatus+ key:string? "
    "copy_id:integer issue_number:integer subscription_id:string subscriber_id:string "
    "reason:string? date:date? old_address:PostalAddress new_address:PostalAddress? "
    "created_at:date-time resolved_at:date-time?",
    "PostalAddress": "address1:string? address2:string? city:string? state:string? "
    "postcode:string? country:string",
    "DeliveryReportResourcePage": "items:[DeliveryReportResource] has_more:boolean cursor:string?",
    "CarrierReportResult": "result:CarrierReportOutcome+ id:string? message:string?",
    "CarrierReportResults": "error:boolean items:[CarrierReportResult]",
    "ProductPrice": "medium:Medium+ country_group:CountryGroup+ price:string currency:string",
    "OfferedProduct": "id:string name:string benefits:[string] is_active:boolean "
    "type:SubscriptionType+ length:integer? interval_months:number? prices:[ProductPrice] "
    "prices_from:date? next_prices:[ProductPrice] next_prices_from:date?",
    "OfferedProductPage": "items:[OfferedProduct] has_more:boolean cursor:string?",
    "OrderError": "message:string code:string field:string?",
    "OrderResult": "order_id:string subscription:string? error:OrderError? waiting:OrderError?",
    "OrderResults": "error:boolean items:[OrderResult]",
    "PlacedOrder": "order_id:string subscriptions:[Subscription] invoices:[string]",
    "PayerRef": "id:string number:integer name:string vat_id:string?",
    "InvoiceLineResource": "order_id:string text:string detail:string vat_category:VatCategory+ "
    "vat_rate:string net:string vat:string total:string",
    "InvoiceResource": "id:string kind:DocumentKind+ number:string status:InvoiceStatus+ "
    "payer:PayerRef issue_date:date due_date:date currency:string net:string vat:string "
    "total:string vat_converted:string? vat_currency:string? exchange_rate:string? "
    "open_amount:string order_reference:string? corrects:string? "
    "mandate_reference:string? mandate_scheme:MandateScheme+? collect_date:date? "
    "lines:[InvoiceLineResource] created_at:date-time",
    "InvoiceResourcePage": "items:[InvoiceResource] has_more:boolean cursor:string?",
    "SettledInvoice": "id:string number:string amount:string",
    "PaymentResource": "id:string payer:string? payment_date:date amount:string currency:string "
    "method:PaymentMethod+ reference:string unused_amount:string is_undone:boolean "
    "invoices:[SettledInvoice]",
    "PaymentResourcePage": "items:[PaymentResource] has_more:boolean cursor:string?",
    "RefundResource": "order_id:string amount:string currency:string refund_date:date "
    "reason:string?",
    "RefundList": "items:[RefundResource]",
    "PlannedAddress": "first_name:string? last_name:string? company:string? address1:string? "
    "address2:string? city:string? state:string? postcode:string? country:string "
    "phone:string?",
    "AddressChangeResource": "id:string subscriber_id:string subscription_id:string "
    "first_issue:integer last_issue:integer? status:ChangeStatus+ address:PlannedAddress "
    "created_at:date-time ended_at:date-time?",
    "AddressChangeResourcePage": "items:[AddressChangeResource] has_more:boolean cursor:string?",
    "AddressChangeResult": "changed:integer items:[AddressChangeResource]",
    "DispatchRef": "id:string number:integer status:DispatchStatus+ date_frozen:date "
    "date_sent:date?",
    "Webhook": "id:string url:string types:[PublicEventType+] status:WebhookStatus+ "
    "disabled_reason:DisabledReason+? failing_since:date-time? public_key:string "
    "last_event:integer missed:integer created_at:date-time",
    "WebhookPage": "items:[Webhook] has_more:boolean cursor:string?",
    "WebhookSecret": "id:string secret:string public_key:string old_secret_until:date-time?",
    "WebhookDelivery": "id:string event:Event? status:MessageStatus+ attempts:integer "
    "created_at:date-time attempted_at:date-time? next_attempt_at:date-time? "
    "duration_ms:integer? answer_status:integer? answer:string? reason:string?",
    "WebhookDeliveryPage": "items:[WebhookDelivery] has_more:boolean cursor:string?",
    "WebhookResent": "count:integer",
    "SandboxClock": "day:date first_day:date is_automatic:boolean",
    "KeptEmail": "id:string recipient:string subject:string text:string created_at:date-time "
    "invoice_id:string?",
    "KeptEmailPage": "items:[KeptEmail] has_more:boolean cursor:string?",
}
# The same for bodies; `!` says that the field is required. `start_issue` and `length` are `number`
# in the specification, but masthead refuses fractions.
_BILLED = (
    "is_billed:boolean? payer_id:string? due_days:integer? order_reference:string? "
    "is_debited:boolean?"
)
BODIES = {
    "CreditCreate": "reason:string! amount:string?",
    "InvoicePart": "number:string! amount:string?",
    "PaymentCreate": "amount:string! currency:CurrencyCode? payment_date:date? "
    "method:PaymentMethod? reference:string? payer:string? invoices:[InvoicePart]?",
    "SubscriptionCreate": "source:string! start_issue:integer! length:integer! email:email? "
    "first_name:string? last_name:string? company:string? address1:string? address2:string? "
    "city:string? state:string? postcode:string? country:CountryCode! phone:string? notes:string? "
    "order_id:string! order_date:date! transaction_id:string? price:string! "
    "currency:CurrencyCode? is_recurring:boolean? is_comp:boolean? medium:Medium? "
    "promo_code:string? discount_amount:string? send_welcome_email:boolean?",
    "SubscriptionUpdate": "first_name:string last_name:string company:string address1:string "
    "address2:string city:string state:string postcode:string country:CountryCode phone:string "
    "notes:string",
    "SubscriptionCancel": "mode:CancelMode!",
    "SubscriberUpdate": "salutation:Salutation? title:string? first_name:string? "
    "last_name:string? company:string? email:email? address1:string? address2:string? city:string? "
    "state:string? postcode:string? country:CountryCode? "
    "with_subscriptions:boolean",
    "RenewalCreate": "source:string! order_id:string! order_date:date! price:string! "
    "currency:CurrencyCode? discount_amount:string? length:integer? interval_months:integer? "
    "period_start:date? payment_method:PaymentMethod? transaction_id:string? "
    f"{_BILLED}",
    "IssueUpdate": "name:string release_date_actual:date? release_date_fuzzy:string? "
    "date_as_start_issue:date? recurring_charge_date:date? newsstand_ean:string?",
    "IssueCreate": "number:integer! name:string? release_date_actual:date? "
    "release_date_fuzzy:string? date_as_start_issue:date? recurring_charge_date:date? "
    "newsstand_ean:string?",
    "MarkSent": "date:date? ids:[integer]!",
    "MarkSentDate": "date:date?",
    "ClaimCreate": "copy:integer? key:string? reason:ClaimReason! notes:string? "
    "replacement:boolean?",
    "DispatchCreate": "issue:string! countries:[CountryCode]? media:[Medium]? sources:[string]? "
    "only_replacements:boolean?",
    "NoFields": "",
    "DeliveryReportCreate": "key:string? copy:integer? kind:CarrierReportKind! date:date? "
    "reason:string? address1:string? address2:string? city:string? state:string? "
    "postcode:string? country:CountryCode?",
    "OrderCreate": "source:string! product:string? type:SubscriptionType? start_issue:integer? "
    "length:integer? interval_months:integer? period_start:date? subscriber_id:string? "
    "email:email? "
    "first_name:string? last_name:string? company:string? address1:string? "
    "address2:string? city:string? state:string? postcode:string? country:CountryCode! "
    "phone:string? notes:string? medium:Medium? copies:integer? price:string! "
    "currency:CurrencyCode? discount_amount:string? payment_method:PaymentMethod? "
    "is_comp:boolean? is_recurring:boolean? is_gift:boolean? gifter_id:string? "
    "gifter_email:email? gifter_first_name:string? gifter_last_name:string? "
    "gifter_company:string? order_id:string! order_date:date! "
    "transaction_id:string? promo_code:string? send_welcome_email:boolean? "
    f"{_BILLED}",
    "OrdersCreate": "orders:[OrderCreate]!",
    "TermsUpdate": "medium:Medium start_issue:integer length:integer",
    "SubscriptionMove": "subscriber:string! takes_address:boolean? all_copies:boolean? "
    "invoice_action:MovedInvoice? reason:string?",
    "PriceChange": "order_id:string! price:string! all_copies:boolean? "
    "invoice_action:PricedInvoice? reason:string?",
    "RefundCreate": "order_id:string! amount:string! refund_date:date? reason:string?",
    "AddressChangeCancel": "temporary_addresses:TemporaryAddresses?",
    "AddressChangeCreate": "subscriptions:[string]! first_issue:integer? last_issue:integer? "
    "first_day:date? last_day:date? "
    "first_name:string? last_name:string? company:string? address1:string! address2:string? "
    "city:string? state:string? postcode:string? country:CountryCode! phone:string?",
    "DeliveryReportsCreate": "reports:[DeliveryReportCreate]!",
    "WebhookCreate": "url:string! types:[PublicEventType]?",
    "WebhookUpdate": "url:string types:[PublicEventType] status:WebhookStatus",
    "WebhookRotate": "overlap_hours:integer?",
    "WebhookResend": "first:integer! last:integer?",
    "SandboxMove": "to:date? next:SandboxNext? is_automatic:boolean?",
}
ENUMS = {
    "SandboxNext": {"issue", "charge"},
    "TemporaryAddresses": {"keep", "cancel"},
    "DocumentKind": {"invoice", "credit_note", "fee"},
    "MandateScheme": {"core", "b2b"},
    "MovedInvoice": {"keep", "replace"},
    "PricedInvoice": {"replace", "credit"},
    "InvoiceStatus": {"open", "overdue", "settled"},
    "PaymentMethod": {"bank transfer", "direct debit", "cheque", "card", "cash", "other"},
    "VatCategory": {
        "standard",
        "zero",
        "exempt",
        "reverse_charge",
        "intra_community",
        "export",
        "outside",
    },
    "ReportKind": {"undeliverable", "moved"},
    "ReportStatus": {"open", "accepted", "corrected", "dismissed", "outdated"},
    "CarrierReportKind": {"shipped", "undeliverable", "moved"},
    "CarrierReportOutcome": {
        "recorded",
        "marked",
        "already_sent",
        "outdated",
        "unchanged",
        "unmatched",
    },
    "Scope": {"read_only", "read_write"},
    "SourceType": {"checkout", "shop", "import"},
    "SubscriptionType": {"subscription", "membership"},
    "SubscriptionStatus": {
        "Active",
        "Active - Renewals stopped",
        "Complete",
        "Cancelled",
        "Past due",
    },
    "Medium": {"Print", "Digital", "Print + digital"},
    "CopyStatus": {"Sent", "Cancelled", "Not sent"},
    "Salutation": {"ms", "mr"},
    "CancelMode": {"stop_renewals", "cancel"},
    "DispatchStatus": {"frozen", "marked", "discarded"},
    "LineKind": {"copy", "replacement", "grace"},
    "LineStatus": {"held", "sent", "left"},
    "LeftReason": {"marked", "cancelled", "changed", "discarded"},
    "ClaimReason": {"never_arrived", "damaged", "wrong_issue", "other"},
    "ClaimStatus": {"open", "held", "sent", "closed"},
    "PublicEventType": {type.value for type in PublicEventType},
    "WhyCode": {code.value for code in WhyCode},
    "ChangeStatus": {"planned", "done", "cancelled"},
    "CountryGroup": {"home", "europe", "rest"},
    "WebhookStatus": {"enabled", "disabled"},
    "DisabledReason": {"request", "failing", "gone"},
    "MessageStatus": {"waiting", "delivered", "failed"},
    "ErrorCode": set(texts.read_errors()),
}
QUERIES = {
    "list_invoices": "cursor limit payer subscription kind status number",
    "list_payments": "cursor limit payer invoice",
    "list_subscribers": "cursor limit search email has_active_subscription updated_since",
    "list_sources": "cursor limit",
    "list_subscriptions": "cursor limit subscriber country source is_gift search status type "
    "next_charge_before order_id email updated_since",
    "list_issues": "cursor limit updated_since",
    "list_issue_copies": "cursor limit status subscriber subscription country",
    "list_copies": "cursor limit status subscriber subscription country issue",
    "list_issue_addresses": "cursor limit country medium",
    "list_dispatches": "cursor limit issue status",
    "list_dispatch_lines": "cursor limit country medium status",
    "list_delivery_reports": "cursor limit kind status subscriber subscription",
    "list_products": "cursor limit",
    "list_address_changes": "cursor limit subscriber subscription",
    "list_events": "cursor limit type record",
    "list_webhooks": "cursor limit",
    "list_sandbox_emails": "cursor limit",
    "list_webhook_deliveries": "cursor limit status",
    "list_claims": "cursor limit status reason issue subscriber subscription country copy",
}


@cache
def described() -> dict[str, Any]:
    return document()


def operation(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = described()["paths"][route.path][route.method.lower()]
    return found


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = described()["components"]["schemas"][name]
    return found


def parameters(route: Route, place: str) -> dict[str, dict[str, Any]]:
    return {
        each["name"]: each for each in operation(route).get("parameters", []) if each["in"] == place
    }


def kind_of(part: dict[str, Any]) -> str:
    """A schema, written as in the tables above."""
    if "anyOf" in part:
        kind, *others = part["anyOf"]
        open_mark = "+" * ({"type": "string"} in others)
        null_mark = "?" * ({"type": "null"} in others)
        assert len(others) == len(open_mark + null_mark)
        return f"{kind_of(kind)}{open_mark}{null_mark}"
    if "$ref" in part:
        return str(part["$ref"]).removeprefix("#/components/schemas/")
    if isinstance(part["type"], list):
        kind, null = part["type"]
        assert null == "null"
        return f"{kind_of({**part, 'type': kind})}?"
    if part["type"] == "array":
        return f"[{kind_of(part['items'])}]"
    return str(part.get("format", part["type"]))


def test_each_enum_of_a_response_is_open() -> None:
    def is_closed(part: dict[str, Any]) -> bool:
        if "items" in part:
            return is_closed(part["items"])
        if "anyOf" in part:
            is_open = {"type": "string"} in part["anyOf"]
            return not is_open and any(is_closed(each) for each in part["anyOf"])
        target = schema(part["$ref"].rpartition("/")[2]) if "$ref" in part else part
        return "enum" in target

    closed = [
        f"{name}.{field}"
        for name, each in described()["components"]["schemas"].items()
        if each.get("additionalProperties") is not False
        for field, part in each.get("properties", {}).items()
        if is_closed(part)
    ]
    assert closed == []


def test_the_document_is_valid_openapi() -> None:
    validate(described())
    assert described()["openapi"] == "3.1.0"
    assert described()["info"]["version"] == "1.0.0"


def test_the_document_matches_the_reviewed_copy() -> None:
    assert OPENAPI.read_text() == openapi_now(), (
        "the description of the API changed; if that is meant, run `make openapi` and commit "
        "tests/golden/openapi.json with the change, so that reviewers see what clients will see"
    )


async def test_the_document_is_served(client: Client) -> None:
    response = await client.get("/openapi.json")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == described()


def test_the_document_is_for_the_server_that_serves_it() -> None:
    assert [server["url"] for server in described()["servers"]] == ["/"]


def test_every_route_is_one_operation() -> None:
    operations = [
        (method.upper(), path, each["operationId"])
        for path, methods in described()["paths"].items()
        for method, each in methods.items()
    ]
    assert operations == [(route.method, route.path, route.name) for route in ROUTES]
    assert len({name for *_, name in operations}) == len(ROUTES)
    assert all(path.startswith("/v1/") and path.endswith("/") for path in described()["paths"])


def test_operations_are_grouped_by_resource() -> None:
    tags = [tag for route in ROUTES for tag in operation(route)["tags"]]
    assert len(tags) == len(ROUTES)
    assert list(dict.fromkeys(tags)) == [tag["name"] for tag in described()["tags"]]


@for_each("route", ROUTES, ids=str)
def test_only_the_status_operation_needs_no_key(route: Route) -> None:
    public = operation(route).get("security") == []
    assert public is (route.path == "/v1/subscriptions/{id}/status/")
    assert public or "security" not in operation(route)
    assert described()["security"] == [{"key": []}]
    assert described()["components"]["securitySchemes"]["key"]["scheme"] == "bearer"


@for_each("route", LISTS, ids=str)
def test_lists_have_their_parameters(route: Route) -> None:
    query = parameters(route, "query")
    assert list(query) == QUERIES[route.name].split()
    assert query["limit"]["schema"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 200,
        "default": 50,
    }
    assert not any(each.get("required") for each in query.values())
    assert not any("null" in kind_of(each["schema"]) for each in query.values())
    assert all(each["description"] for each in query.values())


@for_each("route", [each for each in ROUTES if each not in LISTS], ids=str)
def test_other_operations_have_only_required_query_parameters(route: Route) -> None:
    required = {"explain_issue": ["subscriber"]}.get(route.name, [])
    query = parameters(route, "query")
    assert list(query) == required
    assert all(each["required"] for each in query.values())


@for_each("route", ROUTES, ids=str)
def test_ids_are_path_parameters(route: Route) -> None:
    path = parameters(route, "path")
    assert list(path) == [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    assert all(each["required"] for each in path.values())
    if "id" in path:
        assert path["id"]["schema"] == {"type": "string", "pattern": r"^[\w\d]+$"}
    if "copy_id" in path:
        assert path["copy_id"]["schema"] == {"type": "integer", "format": "int64"}


@for_each("name", ANSWERS)
def test_responses_have_the_fields_of_the_specification(name: str) -> None:
    fields = schema(name)["properties"]
    expected = [*ANSWERS[name].split(), *ADDED.get(name, "").split()]
    assert [f"{field}:{kind_of(part)}" for field, part in fields.items()] == expected
    left_out = [field for field in fields if field not in schema(name)["required"]]
    optional = {"ApiError": ["id", "field", "errors"], "Me": ["sandbox_day"]}
    assert left_out == optional.get(name, []), "no other field is ever left out"


@for_each("name", BODIES)
def test_bodies_have_the_fields_of_the_specification(name: str) -> None:
    fields, required = schema(name)["properties"], schema(name).get("required", [])
    assert {
        f"{field}:{kind_of(part)}" + "!" * (field in required) for field, part in fields.items()
    } == set(BODIES[name].split())
    assert schema(name)["additionalProperties"] is False


@for_each("name", ENUMS)
def test_enums_have_the_values_of_the_specification(name: str) -> None:
    assert schema(name)["type"] == "string"
    assert set(schema(name)["enum"]) == ENUMS[name]


def test_every_schema_is_checked() -> None:
    codes = {"CountryCode", "CurrencyCode"}
    names = set(described()["components"]["schemas"])
    assert names == ANSWERS.keys() | BODIES.keys() | ENUMS.keys() | codes


def test_schemas_have_the_limits_of_the_specification() -> None:
    assert schema("MarkSent")["properties"]["ids"]["minItems"] == 1
    assert schema("MarkSent")["properties"]["ids"]["maxItems"] == 10_000
    assert schema("IssueCreate")["properties"]["number"]["minimum"] == 1
    assert schema("SubscriptionCreate")["properties"]["length"]["maximum"] == 1000
    assert schema("SubscriptionUpdate")["properties"]["notes"]["maxLength"] == 10_000
    assert schema("SubscriptionUpdate")["properties"]["city"]["maxLength"] == 255
    assert schema("MarkedSent")["properties"]["error"]["const"] is False
    assert schema("ApiError")["properties"]["error"]["const"] is True


@for_each("name", ["countries", "media", "sources"])
def test_the_choices_of_a_run_have_limits(name: str) -> None:
    part = schema("DispatchCreate")["properties"][name]
    assert (part["minItems"], part["maxItems"]) == (1, 300)


def test_a_struct_with_inherited_fields_describes_them() -> None:
    whole, part = schema("DispatchRunDetail")["properties"], schema("DispatchRun")["properties"]
    assert {name: whole[name] for name in part} == part
    assert "`copies`, `replacements` and `grace_copies` together." in part["lines"]["description"]


def test_only_bodies_without_required_fields_are_optional() -> None:
    bodies = {each.name: operation(each)["requestBody"]["required"] for each in WRITES}
    assert [name for name, required in bodies.items() if not required] == [
        "mark_copy_sent",
        "mark_dispatch_sent",
        "undo_dispatch",
        "discard_dispatch",
        "accept_delivery_report",
        "dismiss_delivery_report",
        "close_claim",
        "undo_payment",
        "reopen_subscription",
        "cancel_address_change",
        "rotate_webhook_secret",
        "send_webhook_test",
        "delete_webhook",
        "reset_sandbox",
    ]
    assert "requestBody" not in operation(ROUTES[0])


@for_each("route", ROUTES, ids=str)
def test_every_error_of_a_route_is_described(route: Route) -> None:
    expected = {str(route.status), "412"}
    if "{" in route.path:
        expected |= {"404"}
    if route in KEYED:
        expected |= {"400", "401", "403", "429", "503"}
    if route in WRITES:
        expected |= {"409", "410", "413", "415", "422"}
    else:
        expected |= {"304"}
    if route.name == "list_events":
        expected |= {"410"}
    assert operation(route)["responses"].keys() == expected


@for_each("route", ROUTES, ids=str)
def test_the_headers_of_a_method_are_described(route: Route) -> None:
    sent, received = ["If-None-Match"], ["ETag"]
    if route.method != "GET":
        sent, received = ["Idempotency-Key"], ["Idempotent-Replayed"]
        path = "/".join(route.path.split("/")[:4])  # "", v1, the resource, its id
        paths = {f"{path}/"} if "{" in path else {f"{path}{{id}}/"}
        record = next((each for each in ROUTES if each.path in paths), None)
        sent += ["If-Match"] * (record is not None and "{" in route.path)
        received += ["ETag"] * (record is not None and record.response is route.response)
    received += ["RateLimit-Policy", "RateLimit"] if route in KEYED else []
    if "updated_since" in parameters(route, "query"):
        received += ["Next-Updated-Since"]
    assert list(parameters(route, "header")) == sent
    assert list(operation(route)["responses"][str(route.status)]["headers"]) == received


@for_each("route", KEYED, ids=str)
def test_401_and_403_have_the_bodies_of_the_specification(route: Route) -> None:
    responses = described()["components"]["responses"]

    def content(status: str) -> dict[str, Any]:
        name = operation(route)["responses"][status]["$ref"].rpartition("/")[2]
        found: dict[str, Any] = responses[name]["content"]
        assert found["text/plain"]["schema"] == {"type": "string", "const": ""}, "no body"
        return found

    assert content("401").keys() == {"text/plain"}
    has_code = route in WRITES or bool(route.rights) or "/sandbox/" in route.path
    assert ("application/json" in content("403")) is has_code


def test_errors_have_the_status_that_the_service_returns() -> None:
    answered = set(STATUS.values()) | {500}
    assert {error.status for error in texts.read_errors().values()} == answered


@for_each(
    "fields, is_valid",
    [
        ({}, True),
        ({"first_name": ABSENT}, False),
        ({"first_name": None}, False),
        ({"first_name": " "}, False),
        ({"first_name": None, "company": " "}, False),
        ({"first_name": None, "company": None}, False),
        ({"first_name": ABSENT, "company": "Acme"}, True),
        ({"is_comp": True, "price": "0.00"}, True),
        ({"is_comp": True, "price": "1.00"}, False),
        ({"is_comp": True, "price": "0"}, True),
        ({"is_comp": False, "price": "1.00"}, True),
        ({"is_comp": None, "price": "1.00"}, True),
        ({"price": "1234567890"}, False),
        ({"price": "-1"}, False),
        ({"country": "UK"}, False),
        ({"country": "XK"}, True),
        ({"currency": "XXX"}, False),
        ({"currency": "KWD", "price": "1.234"}, True),
        ({"medium": None, "currency": None, "email": None, "send_welcome_email": None}, True),
        ({"medium": "Papyrus"}, False),
        ({"order_date": "1899-12-31"}, False),
        ({"order_date": "1900-01-01"}, True),
        ({"order_id": " "}, False),
        ({"length": 1.5}, False),
        ({"length": 2.0}, True),
        ({"colour": "red"}, False),
    ],
    ids=str,
)
async def test_the_schema_and_the_service_agree_on_manual_subscriptions(
    acme: Cast, issue: dict[str, Any], fields: dict[str, object], is_valid: bool
) -> None:
    body = manual(acme, **fields)
    components = {"components": described()["components"]}
    validator = Draft202012Validator({**schema("SubscriptionCreate"), **components})
    assert validator.is_valid(body) is is_valid
    response = await acme.post("/v1/subscriptions/", body)
    assert response.status_code == (201 if is_valid else 400), response.text
