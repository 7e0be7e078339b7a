"""The endpoints of `/v1/delivery-reports/`."""

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right
from masthead.model.inputs import NoFields, Query
from masthead.model.pagination import Page
from masthead.model.returns.report_inputs import (
    CarrierReportResults,
    DeliveryReportQuery,
    DeliveryReportsCreate,
)
from masthead.model.returns.report_resources import DeliveryReportResource
from masthead.services.returns import decisions
from masthead.services.returns.reports import record_reports
from masthead.store.returns import delivery_reports as store


async def create_delivery_reports(
    context: RequestContext[Query, DeliveryReportsCreate],
) -> CarrierReportResults:
    """Record what a carrier says of copies. Raises: Invalid."""
    results = await record_reports(
        context.db, context.account_id, context.body.reports, by=context.principal.actor
    )
    return CarrierReportResults(error=False, items=results)


async def list_delivery_reports(
    context: RequestContext[DeliveryReportQuery, None],
) -> Page[DeliveryReportResource]:
    """Delivery reports that match the filters, newest first."""
    page = await store.list_reports(
        context.db.replica, context.account_id, context.query, page_request(context)
    )
    items = [DeliveryReportResource.from_report(context.account_id, each) for each in page.items]
    return Page(items=items, has_more=page.has_more, cursor=page.cursor)


async def get_delivery_report(context: RequestContext[Query, None]) -> DeliveryReportResource:
    """One delivery report. Raises: NotFound."""
    report = await store.get_report(context.db, context.account_id, context.id)
    return DeliveryReportResource.from_report(context.account_id, report)


async def accept_delivery_report(
    context: RequestContext[Query, NoFields],
) -> DeliveryReportResource:
    """Give the new address to the subscriber's subscriptions. Raises: NotFound, Invalid."""
    report = await decisions.accept_report(
        context.db, context.account_id, context.id, by=context.principal.actor
    )
    return DeliveryReportResource.from_report(context.account_id, report)


async def dismiss_delivery_report(
    context: RequestContext[Query, NoFields],
) -> DeliveryReportResource:
    """Keep the address. Raises: NotFound, Invalid."""
    report = await decisions.dismiss_report(
        context.db, context.account_id, context.id, by=context.principal.actor
    )
    return DeliveryReportResource.from_report(context.account_id, report)


_DELIVERY_REPORTS = Endpoints("/v1/delivery-reports/", rights=())

DELIVERY_REPORT_ROUTES = (
    _DELIVERY_REPORTS.get("", list_delivery_reports, Right.DOWNLOAD),
    _DELIVERY_REPORTS.post("", create_delivery_reports, Right.DISPATCH, is_long=True),
    _DELIVERY_REPORTS.get("{id}/", get_delivery_report, Right.DOWNLOAD),
    _DELIVERY_REPORTS.post("{id}/accept/", accept_delivery_report, Right.DISPATCH),
    _DELIVERY_REPORTS.post("{id}/dismiss/", dismiss_delivery_report, Right.DISPATCH),
)
