"""The routes of delivery reports."""

from masthead.api.authentication import Access
from masthead.api.returns import handlers as delivery_reports
from masthead.api.route import Route
from masthead.model.dispatch.run_inputs import NoFields
from masthead.model.identity.rights import Right
from masthead.model.pagination import Page
from masthead.model.returns.report_inputs import (
    CarrierReportResults,
    DeliveryReportQuery,
    DeliveryReportsCreate,
)
from masthead.model.returns.report_resources import DeliveryReportResource

DELIVERY_REPORT_ROUTES = (
    Route(
        method="GET",
        path="/v1/delivery-reports/",
        handler=delivery_reports.list_delivery_reports,
        summary="List delivery reports, newest first",
        rights=(Right.DOWNLOAD,),
        query=DeliveryReportQuery,
        response=Page[DeliveryReportResource],
    ),
    Route(
        method="POST",
        path="/v1/delivery-reports/",
        handler=delivery_reports.create_delivery_reports,
        summary="Report copies as shipped, undeliverable or moved",
        rights=(Right.DISPATCH,),
        access=Access.WRITE,
        body=DeliveryReportsCreate,
        response=CarrierReportResults,
        is_long=True,
    ),
    Route(
        method="GET",
        path="/v1/delivery-reports/{id}/",
        handler=delivery_reports.get_delivery_report,
        summary="Retrieve a delivery report",
        rights=(Right.DOWNLOAD,),
        response=DeliveryReportResource,
    ),
    Route(
        method="POST",
        path="/v1/delivery-reports/{id}/accept/",
        handler=delivery_reports.accept_delivery_report,
        summary="Accept the new address of a delivery report",
        rights=(Right.DISPATCH,),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=DeliveryReportResource,
    ),
    Route(
        method="POST",
        path="/v1/delivery-reports/{id}/dismiss/",
        handler=delivery_reports.dismiss_delivery_report,
        summary="Dismiss a delivery report and keep the address",
        rights=(Right.DISPATCH,),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=DeliveryReportResource,
    ),
)
