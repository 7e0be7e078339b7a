"""The form fields of an issue, shared by the pages that create and edit one."""

from wtforms import StringField
from wtforms.widgets import DateInput

from masthead.web.kit.forms import BaseForm

FIELDS = (
    "name release_date_actual release_date_fuzzy date_as_start_issue recurring_charge_date"
    " newsstand_ean"
).split()


class IssueForm(BaseForm):
    """The fields of an issue. The API's rules validate their values."""

    name = StringField("Name")
    release_date_actual = StringField("Release date", widget=DateInput())
    release_date_fuzzy = StringField("Release date in words")
    date_as_start_issue = StringField("New subscriptions from", widget=DateInput())
    recurring_charge_date = StringField("Renewals are charged on", widget=DateInput())
    newsstand_ean = StringField("Newsstand EAN")

    def trimmed_values(self) -> dict[str, str]:
        """The values of the fields, without surrounding blanks."""
        return {name: (self[name].data or "").strip() for name in FIELDS}
