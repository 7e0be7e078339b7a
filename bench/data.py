"""The rows of a generated publication, for the importer; always the same ones for a size.

Few countries have most subscribers; a tenth are gifts, a twentieth memberships; some people have
several subscriptions. Rare values exist at any size: five subscriptions of one country, twenty
of one source, three people of one name.
"""

import csv
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path
from random import Random

SUBSCRIPTION_ISSUES = 24
MEMBERSHIP_ISSUES = 12
FIRST_RELEASE = date(2024, 1, 15)

# Most frequent first; the n-th gets about 1/n of the first
COUNTRIES = (
    "US GB DE FR NL CA AU ES IT CH SE BE AT DK NO IE JP FI NZ PT PL BR MX CZ GR SG ZA IN KR HK HU "
    "RO TR IL AR CL TW SK SI HR LT LV EE LU IS BG RS UA MT CY TH MY ID PH VN CO PE UY AE EG"
).split()
RARE_COUNTRY, RARE_COUNTRY_ROWS = "GL", 5
SOURCES = (("Old list", 0.6), ("Web shop", 0.3), ("Fairs", 0.1))
RARE_SOURCE, RARE_SOURCE_ROWS = "Exhibitions", 20
RARE_NAME, RARE_NAME_ROWS = "Quillfeather", 3  # a search finds it three times
OCCASIONAL_CITY, OCCASIONAL_PART = "Zwolle", 0.005
COMMON_CITY, COMMON_PART = "Springfield", 0.05

FIRST = (
    "Ada Alice Amir Ana Anders Anna Beatriz Benoît Björn Carla Chloé Claire Dagny Daniel Elena "
    "Elif Emil Emma Eva Farid Fiona Freya Georg Greta Hana Hannah Henk Hugo Ida Inés Ingrid Ivan "
    "Jan Jean Joana João Jonas Julia Karin Kofi Lars Laura Leila Léa Lin Louise Luca Lucía Lukas "
    "Maja Marco María Marta Mathias Mei Mia Mikkel Nadia Niamh Nils Noah Nora Olga Oscar Otto "
    "Paula Pavel Petra Pia Quentin Rania Rasmus Rosa Ruth Saga Samir Sara Sofía Stefan Søren "
    "Tariq Thea Tomás Uma Vera Viktor Willem Xenia Yara Yuki Zoë"
).split()
LAST = (
    "Abbott Adler Andersen Baker Barbosa Bauer Becker Bergström Bianchi Bouchard Brandt Brown "
    "Carter Castro Chen Clarke Costa Dahl Davies Dubois Eriksson Evans Fernández Ferrari Fischer "
    "Fontaine Frei Fuchs García Gardner González Graham Hansen Hartmann Hayes Hoffmann Horváth "
    "Hughes Ito Jansen Jensen Johansson Jones Kaya Keller Kim Klein Kowalski Krause Lambert "
    "Larsen Laurent Lee Lehmann Lindqvist López Maier Marino Martin Meyer Moreau Müller Murphy "
    "Nakamura Navarro Nielsen Novak O'Brien Olsen Owens Papadopoulos Park Pereira Petrov Quinn "
    "Ramos Reed Ricci Robinson Rossi Roy Ruiz Sanders Santos Sato Schmidt Schneider Silva Singh "
    "Smith Sousa Tanaka Taylor Thomas Torres Turner Ueda Vargas Vogel Wagner Walker Weber White "
    "Wolf Wright Yamada Young Zimmermann"
).split()
CITY = (
    "Aarhus Athens Austin Basel Bergen Berlin Bilbao Bologna Boston Bremen Bristol Brno Bruges "
    "Cork Denver Dublin Genève Gent Graz Hamburg Helsinki Kraków København Leeds Leiden Lille "
    "Lisboa Lyon Malmö Marseille Milano Montréal München Nantes Napoli Oslo Oxford Paris Porto "
    "Praha Riga Roma Sevilla Stockholm Toronto Torino Turku Utrecht Valencia Wien York Zürich"
).split()
STREET = "Harbour Church Mill Station Garden Bridge School Market Park Hill".split()

COLUMNS = (
    "order_id type email first_name last_name company address1 city state postcode country phone "
    "start_issue length interval_months period_start period_end is_recurring status is_comp "
    "is_gift gifter_name gifter_email medium price order_date transaction_id notes sent_issues "
    "sent_dates renews"
).split()
Cells = dict[str, str]


class Kind:
    """The content of an account.

    issues: existing issues. length: issues of a subscription. granted: copies per row, on average.
    has_history: whether it has memberships, renewals, cancellations and sent copies. is_spread:
    whether subscriptions start with any issue, in any medium, and sent copies have a date.
    has_billing: whether it has as many invoices as copies, and all other records: see
    `bench/large`.
    """

    def __init__(
        self,
        name: str,
        *,
        issues: int,
        length: int,
        has_history: bool,
        is_spread: bool = False,
        has_billing: bool = False,
    ) -> None:
        self.name, self.issues, self.length, self.has_history = name, issues, length, has_history
        self.is_spread, self.has_billing = is_spread, has_billing

    def rows_for(self, copies: int) -> int:
        """The number of rows that have about this many copies."""
        if not self.has_history:
            return copies
        if self.is_spread:  # late subscriptions include issues that do not exist yet
            return round(copies / (self.length - 0.9))
        granted = 0.95 * SUBSCRIPTION_ISSUES + 0.05 * MEMBERSHIP_ISSUES
        return round(copies / granted)

    def copies_for(self, rows: int) -> int:
        """The number of copies, rounded, that this many rows have about."""
        return int(round(rows * 1_000_000 / self.rows_for(1_000_000), -2))


COPIES = Kind("copies", issues=SUBSCRIPTION_ISSUES, length=SUBSCRIPTION_ISSUES, has_history=True)
BULK = Kind("bulk", issues=1, length=2, has_history=False)  # each still includes one more issue
DESK = Kind(  # some years of work
    "desk", issues=36, length=8, has_history=True, is_spread=True, has_billing=True
)
WAITING_ISSUES = 2  # of those, the last ones, which have not been sent
PEOPLE = Kind("people", issues=1, length=1, has_history=False)  # to be searched


def release_date(number: int) -> date:
    """The release date of an issue: one per month."""
    month = FIRST_RELEASE.month - 1 + number - 1
    return FIRST_RELEASE.replace(year=FIRST_RELEASE.year + month // 12, month=month % 12 + 1)


def rows(kind: Kind, count: int) -> Iterator[tuple[str, Cells]]:
    """Rows with the name of their source, in the order of import."""
    random = Random(f"{kind.name} {count}")
    countries = [1 / n for n in range(1, len(COUNTRIES) + 1)]
    rare = {count * (2 * n + 1) // (2 * RARE_COUNTRY_ROWS) for n in range(RARE_COUNTRY_ROWS)}
    named = {count * (2 * n + 1) // (2 * RARE_NAME_ROWS) for n in range(RARE_NAME_ROWS)}
    few = min(RARE_SOURCE_ROWS, count // 10)
    exhibited = {count * (2 * n + 1) // (2 * few) for n in range(few)}
    known: list[str] = []  # addresses of subscribers who may order again
    for number in range(count):
        place = random.random()
        city = COMMON_CITY if place < COMMON_PART else random.choice(CITY)
        if COMMON_PART <= place < COMMON_PART + OCCASIONAL_PART:
            city = OCCASIONAL_CITY
        first, last = random.choice(FIRST), random.choice(LAST)
        if number in named:
            last = RARE_NAME
        email = f"{first}.{last}.{number}@subscribers.example".lower().replace("'", "")
        if known and random.random() < 0.05:
            email = random.choice(known)
        elif len(known) < 1_000:
            known.append(email)
        row = {
            "order_id": f"{kind.name.upper()}-{number:08}",
            "email": email,
            "first_name": first,
            "last_name": last,
            "address1": f"{random.randrange(1, 200)} {random.choice(STREET)} Street",
            "city": city,
            "postcode": str(random.randrange(10_000, 99_999)),
            "country": RARE_COUNTRY if number in rare else random.choices(COUNTRIES, countries)[0],
            "start_issue": "1",
            "length": str(kind.length),
            "is_recurring": str(random.random() < 0.3).lower(),
            "price": f"{random.randrange(40, 240)}.00",
            "order_date": str(FIRST_RELEASE + timedelta(days=random.randrange(600))),
        }
        if random.random() < 0.1:
            giver = f"{random.choice(FIRST)} {random.choice(LAST)}"
            row |= {"is_gift": "true", "gifter_name": giver, "gifter_email": f"g{number}@give.test"}
        source = _source(random) if number not in exhibited else RARE_SOURCE
        if kind.is_spread:
            _spread(random, row, kind)
        if kind.has_history and not kind.is_spread:
            row["sent_issues"] = "1|2|3|4|5|6"
        later = list(_history(random, row, kind)) if kind.has_history else []
        yield from ((source, each) for each in (row, *later))


def _source(random: Random) -> str:
    return random.choices([name for name, _ in SOURCES], [part for _, part in SOURCES])[0]


def _spread(random: Random, row: Cells, kind: Kind) -> None:
    """Let a subscription start with any issue, and mark its due copies as sent."""
    start = 1 + random.randrange(kind.issues)
    sent = range(start, min(start + kind.length, kind.issues - WAITING_ISSUES + 1))
    row["start_issue"] = str(start)
    ordered = release_date(start) - timedelta(days=1 + random.randrange(30))
    # imports refuse days in the future; the newest issues are not out yet
    row["order_date"] = str(min(ordered, release_date(kind.issues - WAITING_ISSUES)))
    row["sent_issues"] = "|".join(map(str, sent))
    row["sent_dates"] = "|".join(str(release_date(number)) for number in sent)
    row["medium"] = random.choices(("Print", "Digital", "Print + digital"), (7, 2, 1))[0]


def _history(random: Random, row: Cells, kind: Kind) -> Iterator[Cells]:
    """Make some rows memberships, sent or cancelled; return the renewal, if any."""
    chance = random.random()
    if chance < 0.05:
        start = release_date(1 + random.randrange(kind.issues - MEMBERSHIP_ISSUES + 1))
        end = start.replace(year=start.year + 1) - timedelta(days=1)
        row |= {"type": "membership", "interval_months": "12", "start_issue": "", "length": ""}
        row |= {"period_start": str(start), "period_end": str(end)}
        row |= {"sent_issues": "", "sent_dates": ""}
        return
    if chance < 0.06:
        row["status"] = "Cancelled"
    elif chance < 0.09:
        yield {
            "order_id": f"{row['order_id']}-R",
            "renews": row["order_id"],
            "price": row["price"],
            "order_date": str(FIRST_RELEASE + timedelta(days=700)),
        }


def write_files(folder: Path, all_rows: Iterable[tuple[str, Cells]]) -> dict[str, Path]:
    """Write the rows as CSV files, one for each source that has rows; the paths by source name."""
    names = [name for name, _ in SOURCES] + [RARE_SOURCE]
    files = {name: folder / f"{number}.csv" for number, name in enumerate(names)}
    with ExitStack() as stack:
        writers = {}
        for name, path in files.items():
            file = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            writers[name] = csv.DictWriter(file, COLUMNS, restval="")
            writers[name].writeheader()
        used = set()
        for source, row in all_rows:
            writers[source].writerow(row)
            used.add(source)
    return {name: path for name, path in files.items() if name in used}


def write_file(path: Path, all_rows: Iterable[tuple[str, Cells]]) -> None:
    """The rows of all sources as one CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(row for _, row in all_rows)
