"""The responses as serializers of Django REST Framework."""

import json
from typing import Any

from rest_framework import serializers

from bench.peers.drf.models import Copy, Issue, Period, Subscription
from masthead.model.subscriptions.lifecycle import next_charge_date
from masthead.model.types.countries import country_name
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.full_names import full_name
from masthead.model.types.money import money_text


class IssueRef(serializers.ModelSerializer):
    """An issue, in short."""

    class Meta:
        """Its fields."""

        model, fields = Issue, ("id", "number", "name")


class PeriodAnswer(serializers.ModelSerializer):
    """One order of a subscription."""

    issue_list = serializers.SerializerMethodField()

    class Meta:
        """Its fields."""

        model = Period
        fields = (
            "id order_date is_complete length interval_months period_start period_end issue_list "
            "order_id transaction_id price currency discount_amount refunded"
        ).split()

    def get_issue_list(self, row: Period) -> list[int]:
        """Issue numbers; for memberships, those with a copy."""
        if row.first_issue is None or row.length is None:
            granted: dict[int, list[int]] = self.context["granted"]
            return granted.get(row.id, [])
        return list(range(row.first_issue, row.first_issue + row.length))


class SubscriptionAnswer(serializers.ModelSerializer):
    """A subscription in full."""

    start_issue = IssueRef()
    periods = PeriodAnswer(many=True)

    class Meta:
        """The fields that are columns, and those above."""

        model = Subscription
        fields = (
            "id type status medium first_name last_name total_length notes is_recurring is_comp "
            "is_gift start_issue periods"
        ).split()

    def to_representation(self, row: Subscription) -> dict[str, Any]:
        """The other fields, which combine several columns."""
        shown: dict[str, Any] = super().to_representation(row)
        periods = list(row.periods.all())
        current, subscriber = periods[-1], row.subscriber
        ends = current.period_end
        charge = next_charge_date(
            SubscriptionStatus(row.status),
            is_recurring=row.is_recurring,
            period_end=ends,
            charge_date=self.context["charges"].get((row.last_number or 0) + 1),
        )
        address = "company address1 address2 city state postcode country phone".split()
        shown["shipping_address"] = {name: getattr(row, name) for name in address}
        shown["shipping_address"]["country_name"] = country_name(row.country)
        for period, period_shown in zip(periods, shown["periods"], strict=True):
            source = period.source or row.source
            period_shown["source"] = {"id": source.id, "name": source.name}
            for name in ("price", "discount_amount", "refunded"):
                period_shown[name] = money_text(getattr(period, name), period.currency)
        current_shown = shown["periods"][-1]
        shown["length"] = current.length
        shown["interval_months"] = current.interval_months
        shown["current_period_start"] = current_shown["period_start"]
        shown["current_period_end"] = current_shown["period_end"]
        shown["next_charge_date"] = charge and str(charge)
        shown["gifter"] = (
            {"full_name": row.gifter_name, "email": row.gifter_email} if row.is_gift else None
        )
        shown["promo_code"] = current.promo_code
        shown["currency"] = current.currency
        for name in ("discount_amount", "refunded", "price"):
            shown[name] = money_text(getattr(current, name), current.currency)
        shown["order_date"] = shown["periods"][0]["order_date"]
        shown["issue_list"] = sorted(
            number for period in shown["periods"] for number in period["issue_list"]
        )
        shown["subscriber"] = {
            "id": subscriber.id,
            "full_name": full_name(
                subscriber.first_name, subscriber.last_name, subscriber.company, subscriber.email
            ),
            "email": subscriber.email,
        }
        shown["source"] = {"id": row.source.id, "name": row.source.name}
        shown["product"] = {
            "id": row.product.id,
            "name": row.product.name,
            "benefits": json.loads(row.product.benefits),
        }
        return shown


class CopyAnswer(serializers.ModelSerializer):
    """A copy."""

    issue = IssueRef()

    class Meta:
        """Its fields."""

        model = Copy
        fields = "id date_sent status country issue subscriber_id subscription_id".split()


class MarkSent(serializers.Serializer):
    """The copies to mark as sent, and the date."""

    ids = serializers.ListField(child=serializers.IntegerField(), min_length=1, max_length=10_000)
    date = serializers.DateField(required=False, allow_null=True, default=None)
