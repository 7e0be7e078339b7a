"""The address of the page of a run, or of the runs with which it goes out together."""

from masthead.model.dispatch.runs import Dispatch
from masthead.web.kit.context import PageContext


def address_of_run(context: PageContext, run: Dispatch) -> str:
    """The page where a run is downloaded and marked as sent."""
    if run.group_id:
        return context.url("dispatches", run.group_id, "group")
    return context.url("dispatches", run.id)
