"""A file as a shop of WooCommerce Subscriptions exports it; always the same one for a size.

Each order is a membership of six months in the years of the account's issues: six copies, or five.
Orders are numbered in the order of their dates, as a shop does it.
"""

import csv
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from bench.data import CITY, COUNTRIES, FIRST, FIRST_RELEASE, LAST, STREET, Cells

PRESET = "woocommerce-subscriptions"
ISSUES = 24  # one per month; the last orders begin a year before the last one
COLUMNS = (
    "subscription_id subscription_status customer_id start_date trial_end_date next_payment_date "
    "last_payment_date cancelled_date end_date billing_period billing_interval order_shipping "
    "order_tax cart_discount order_total order_currency payment_method_title billing_first_name "
    "billing_last_name billing_email billing_phone billing_address_1 billing_address_2 "
    "billing_postcode billing_city billing_state billing_country billing_company "
    "shipping_first_name shipping_last_name shipping_address_1 shipping_address_2 "
    "shipping_postcode shipping_city shipping_state shipping_country shipping_company "
    "customer_note order_items coupon_items download_permissions"
).split()


def write_shop_file(path: Path, count: int) -> None:
    """Write the export of a shop with that many subscriptions."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(_rows(count))


def _rows(count: int) -> Iterator[Cells]:
    random = Random(f"shop {count}")
    first_day = datetime(FIRST_RELEASE.year, FIRST_RELEASE.month, 1, 9, 30)  # noqa: DTZ001
    seconds = sorted(random.randrange(450 * 24 * 3600) for _ in range(count))
    for number, after in enumerate(seconds):
        first, last = random.choice(FIRST), random.choice(LAST)
        start = first_day + timedelta(seconds=after)
        month = start.month + 5
        day = min(start.day, 28)
        end = start.replace(year=start.year + month // 12, month=month % 12 + 1, day=day)
        price = f"{random.randrange(20, 90)}.00"
        yield {
            "subscription_id": str(10_000 + number),
            "subscription_status": "wc-expired",
            "customer_id": str(500 + number),
            "start_date": str(start),
            "trial_end_date": "0",
            "next_payment_date": "0",
            "last_payment_date": str(start + timedelta(minutes=2)),
            "cancelled_date": "0",
            "end_date": str(end),
            "billing_period": "month",
            "billing_interval": "6",
            "order_shipping": "0",
            "order_tax": "0",
            "cart_discount": "0",
            "order_total": price,
            "order_currency": "EUR",
            "payment_method_title": "Credit card (Stripe)",
            "billing_first_name": first,
            "billing_last_name": last,
            "billing_email": f"{first}.{last}.{number}@shop.example".lower().replace("'", ""),
            "billing_phone": f"0{random.randrange(10**8, 10**9)}",
            "shipping_first_name": first,
            "shipping_last_name": last,
            "shipping_address_1": f"{random.randrange(1, 200)} {random.choice(STREET)} Street",
            "shipping_postcode": str(random.randrange(10_000, 99_999)),
            "shipping_city": random.choice(CITY),
            "shipping_country": random.choice(COUNTRIES[:20]),
            "order_items": f"product_id:21|name:Print subscription|quantity:1|total:{price}|meta:",
            "download_permissions": "0",
        }
