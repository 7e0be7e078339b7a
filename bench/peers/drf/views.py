"""The four endpoints of the Django REST Framework version."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, OuterRef, Prefetch, Q, Subquery
from django.http import Http404
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bench.peers.drf.answers import CopyAnswer, MarkSent, SubscriptionAnswer
from bench.peers.drf.models import AccountState, Audit, Copy, Issue, Period, Subscription
from masthead.model.pagination import binding_of, decode_cursor, encode_cursor


class Me(APIView):
    """The user of the API key."""

    def get(self, request: Request) -> Response:
        """The response, from the data that authentication has read."""
        key = request.user
        account = {"name": key.account.name, "subdomain": key.account.subdomain}
        return Response({"email": key.user.email, "account": account, "scope": key.scope})


# Sources and products are few: joined, SQLite begins with all of their subscriptions
IN_FULL = Subscription.objects.select_related("subscriber", "start_issue").prefetch_related(
    "source", "product", Prefetch("periods", Period.objects.select_related("source"))
)


def in_full(account_id: int, rows: Sequence[Subscription]) -> list[dict[str, Any]]:
    """Subscriptions as in responses, with the data that is not in a relation."""
    memberships = [row.id for row in rows if row.type == "membership"]
    granted: defaultdict[int, list[int]] = defaultdict(list)
    if memberships:
        copies = Copy.objects.filter(account_id=account_id, subscription_id__in=memberships)
        for period_id, number in copies.order_by("issue_number").values_list(
            "period_id", "issue_number"
        ):
            granted[period_id].append(number)
    following = {row.last_number + 1 for row in rows if row.last_number is not None}
    issues = Issue.objects.filter(account_id=account_id, number__in=following)
    charges = dict(issues.values_list("number", "recurring_charge_date"))
    context = {"granted": granted, "charges": charges}
    shown: list[dict[str, Any]] = SubscriptionAnswer(rows, many=True, context=context).data
    return shown


class Subscriptions(APIView):
    """Subscriptions, newest first."""

    def get(self, request: Request) -> Response:
        """A page of subscriptions."""
        account_id = request.user.account_id
        limit = int(request.query_params.get("limit", 50))
        binding = binding_of(account_id, "/v1/subscriptions/", {})
        asked = IN_FULL.filter(account_id=account_id)
        if "cursor" in request.query_params:
            asked = asked.filter(id__lt=decode_cursor(binding, request.query_params["cursor"]))
        rows = list(asked.order_by("-id")[: limit + 1])
        shown, has_more = rows[:limit], len(rows) > limit
        cursor = encode_cursor(binding, shown[-1].id) if has_more else None
        items = in_full(account_id, shown)
        return Response({"items": items, "has_more": has_more, "cursor": cursor})


class OneSubscription(APIView):
    """One subscription."""

    def get(self, request: Request, id: str) -> Response:
        """A subscription in full."""
        row = IN_FULL.filter(account_id=request.user.account_id, id=id).first()
        if row is None:
            raise Http404
        return Response(in_full(request.user.account_id, [row])[0])


class MarkCopiesSent(APIView):
    """Mark copies as sent, add the audit entries, and update the periods that are now complete."""

    def post(self, request: Request) -> Response:
        """Mark copies as sent in one transaction."""
        body = MarkSent(data=request.data)
        body.is_valid(raise_exception=True)
        ids, day, key = body.validated_data["ids"], body.validated_data["date"], request.user
        with transaction.atomic():
            state = AccountState.objects.filter(account_id=key.account_id)
            state.update(last_entry=F("last_entry") + len(ids))  # locks the account
            last = state.values_list("last_entry", flat=True)[0]
            rows = list(
                Copy.objects.filter(account_id=key.account_id, id__in=ids)
                .exclude(status="Cancelled")
                .select_related("issue")
                .order_by("id")
            )
            moment = datetime.now(UTC)
            Audit.objects.bulk_create(
                Audit(
                    account_id=key.account_id,
                    id=last - number,
                    happened_at=moment,
                    actor_kind="key",
                    actor_id=key.id,
                    action="copy.mark_sent",
                    subject_type="copy",
                    subject_id=str(row.id),
                    before=f'{{"status": "{row.status}"}}',
                    after=f'{{"status": "Sent", "date_sent": "{day}"}}',
                )
                for number, row in enumerate(rows)
            )
            known = [row.id for row in rows]
            Copy.objects.filter(account_id=key.account_id, id__in=known).update(
                status="Sent", date_sent=day
            )
            settle(key.account_id, {row.subscription_id for row in rows})
        for row in rows:
            row.status, row.date_sent = "Sent", day
        items = CopyAnswer(rows, many=True).data
        return Response({"error": False, "updated_count": len(rows), "items": items})


def settle(account_id: int, touched: set[str]) -> None:
    """Mark periods complete whose issues all exist and are sent."""
    unsent = (
        Copy.objects.filter(account_id=account_id, subscription_id=OuterRef("subscription_id"))
        .filter(period_id=OuterRef("id"))
        .order_by()
        .values("account_id")
        .annotate(count=Count("id", filter=Q(status="Not sent")))
        .values("count")
    )
    there = (
        Issue.objects.filter(account_id=account_id)
        .filter(number__range=(OuterRef("first_issue"), OuterRef("last_issue")))
        .order_by()
        .values("account_id")
        .annotate(count=Count("id"))
        .values("count")
    )
    complete = [
        period.id
        for period in Period.objects.filter(account_id=account_id, subscription_id__in=touched)
        .filter(first_issue__isnull=False)
        .annotate(waiting=Subquery(unsent), known=Subquery(there))
        if not period.waiting and period.known == period.length
    ]
    Period.objects.filter(account_id=account_id, id__in=complete).update(is_complete=True)


urlpatterns = [
    path("v1/me/", Me.as_view()),
    path("v1/subscriptions/", Subscriptions.as_view()),
    path("v1/subscriptions/<id>/", OneSubscription.as_view()),
    path("v1/copies/mark-sent/", MarkCopiesSent.as_view()),
]
