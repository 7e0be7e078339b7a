"""masthead: its own format of imports, which its export writes too."""

from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.presets.preset import Preset, first_of
from masthead.model.imports.targets import COLUMNS
from masthead.model.translations import gettext_noop

PRESET = Preset(
    name="masthead",
    label="masthead",
    result=gettext_noop("Each row becomes an order as it is; rows that renew add a period."),
    export_from=gettext_noop("In masthead, open Settings › Export, or run `masthead export`."),
    marks=(
        ("order_id",),
        ("order_date",),
        ("start_issue", "period_start", "renews"),
    ),
    mapping=ImportMapping(columns={name: first_of(name) for name in COLUMNS}),
)
