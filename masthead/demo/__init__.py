"""The demo publication: its name, its sources, and the CSV files with its data."""

from pathlib import Path

NAME = "Lantern & Tide"
SUBDOMAIN = "demo"
CURRENCY = "EUR"
COUNTRY = "DE"  # from where issues are sent
OWNER = "keeper@lantern-and-tide.example"

# name and type of each source; the subscriptions are imported into the one of type "import"
SOURCES = (
    ("Lantern & Tide checkout", "checkout"),
    ("Quay shop", "shop"),
    ("Old subscriber list", "import"),
)

ISSUES_CSV = Path(__file__).parent / "issues.csv"
SUBSCRIPTIONS_CSV = Path(__file__).parent / "subscriptions.csv"
