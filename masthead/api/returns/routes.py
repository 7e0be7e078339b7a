"""The routes of delivery reports."""

from masthead.api.endpoints import Endpoints
from masthead.api.returns import handlers as delivery_reports
from masthead.model.identity.rights import Right

_DELIVERY_REPORTS = Endpoints("/v1/delivery-reports/", rights=())

DELIVERY_REPORT_ROUTES = (
    _DELIVERY_REPORTS.get("", delivery_reports.list_delivery_reports, Right.DOWNLOAD),
    _DELIVERY_REPORTS.post(
        "", delivery_reports.create_delivery_reports, Right.DISPATCH, is_long=True
    ),
    _DELIVERY_REPORTS.get("{id}/", delivery_reports.get_delivery_report, Right.DOWNLOAD),
    _DELIVERY_REPORTS.post("{id}/accept/", delivery_reports.accept_delivery_report, Right.DISPATCH),
    _DELIVERY_REPORTS.post(
        "{id}/dismiss/", delivery_reports.dismiss_delivery_report, Right.DISPATCH
    ),
)
