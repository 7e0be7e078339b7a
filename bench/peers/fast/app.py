"""The FastAPI + SQLAlchemy version: async engine, selectinload, answers as return types."""

import datetime
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Query
from pydantic import BaseModel, Field
from sqlalchemy import event, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import joinedload, selectinload

from bench.peers.fast.answers import (
    AccountRef,
    MarkedAnswer,
    MeAnswer,
    PageAnswer,
    SubscriptionAnswer,
    copy_answer,
    subscription_answer,
)
from bench.peers.fast.tables import AccountState, ApiKey, Audit, Copy, Issue, Period, Subscription
from masthead.model.ids import account_of_key, key_digest
from masthead.model.pagination import binding_of, decode_cursor, encode_cursor
from masthead.supervision import follow_supervisor

# Single relations by a join, lists by separate queries, as SQLAlchemy advises
IN_FULL = (
    joinedload(Subscription.subscriber, innerjoin=True),
    joinedload(Subscription.source, innerjoin=True),
    joinedload(Subscription.product, innerjoin=True),
    joinedload(Subscription.first_issue),
    joinedload(Subscription.next_issue),
    selectinload(Subscription.periods).joinedload(Period.source),
)

url = os.environ.get("MASTHEAD_DATABASE_URL", "sqlite:///:memory:")
driver = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}
scheme, _, rest = url.partition(":")
arguments = {"timeout": 30} if scheme == "sqlite" else {}
engine = create_async_engine(f"{driver[scheme]}:{rest}", pool_size=10, connect_args=arguments)
make_session = async_sessionmaker(engine, expire_on_commit=False)

if scheme == "sqlite":

    @event.listens_for(engine.sync_engine, "connect")
    def _set_pragmas(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()


async def open_session() -> AsyncIterator[AsyncSession]:
    """One database session per request."""
    async with make_session() as session:
        yield session


Session = Annotated[AsyncSession, Depends(open_session)]


async def authenticate(session: Session, authorization: Annotated[str, Header()] = "") -> ApiKey:
    """The key of the request, by its digest."""
    key = authorization.removeprefix("Bearer ")
    account_id = account_of_key(key)
    found = await session.scalar(
        select(ApiKey)
        .where(ApiKey.account_id == account_id, ApiKey.digest == key_digest(key))
        .where(ApiKey.revoked_at.is_(None))
        .options(joinedload(ApiKey.account), joinedload(ApiKey.user))
    )
    if found is None:
        raise HTTPException(401)
    if not found.account.is_active:
        raise HTTPException(403)
    return found


Key = Annotated[ApiKey, Depends(authenticate)]


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """Close the connections at the end."""
    yield
    await engine.dispose()


app = FastAPI(lifespan=lifespan)


@app.get("/v1/me/")
async def get_me(key: Key) -> MeAnswer:
    """The user of the API key."""
    account = AccountRef(name=key.account.name, subdomain=key.account.subdomain)
    return MeAnswer(email=key.user.email, account=account, scope=key.scope)


@app.get("/v1/subscriptions/")
async def list_subscriptions(
    session: Session,
    key: Key,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: str | None = None,
) -> PageAnswer:
    """Subscriptions, newest first."""
    binding = binding_of(key.account_id, "/v1/subscriptions/", {})
    asked = select(Subscription).where(Subscription.account_id == key.account_id)
    if cursor is not None:
        asked = asked.where(Subscription.id < decode_cursor(binding, cursor))
    asked = asked.order_by(Subscription.id.desc()).limit(limit + 1).options(*IN_FULL)
    rows = (await session.scalars(asked)).all()
    shown = rows[:limit]
    granted = await find_granted(session, key.account_id, shown)
    has_more = len(rows) > limit
    return PageAnswer(
        items=[subscription_answer(row, granted) for row in shown],
        has_more=has_more,
        cursor=encode_cursor(binding, shown[-1].id) if has_more else None,
    )


@app.get("/v1/subscriptions/{id}/")
async def get_subscription(session: Session, key: Key, id: str) -> SubscriptionAnswer:
    """One subscription."""
    row = await session.get(Subscription, (key.account_id, id), options=IN_FULL)
    if row is None:
        raise HTTPException(404)
    return subscription_answer(row, await find_granted(session, key.account_id, [row]))


async def find_granted(
    session: AsyncSession, account_id: int, rows: Sequence[Subscription]
) -> dict[int, list[int]]:
    """The issues that memberships have copies of, by period."""
    memberships = [row.id for row in rows if row.type == "membership"]
    granted: defaultdict[int, list[int]] = defaultdict(list)
    if memberships:
        for period_id, number in await session.execute(
            select(Copy.period_id, Copy.issue_number)
            .where(Copy.account_id == account_id, Copy.subscription_id.in_(memberships))
            .order_by(Copy.issue_number)
        ):
            granted[period_id].append(number)
    return granted


class MarkSent(BaseModel):
    """The copies to mark as sent, and the date."""

    ids: list[int] = Field(min_length=1, max_length=10_000)
    date: datetime.date | None = None


@app.post("/v1/copies/mark-sent/")
async def mark_copies_sent(session: Session, key: Key, body: MarkSent) -> MarkedAnswer:
    """Mark copies as sent, add the audit entries, and update the periods that are now complete."""
    state = AccountState.account_id == key.account_id
    await session.execute(  # locks the account
        update(AccountState)
        .where(state)
        .values(last_entry=AccountState.last_entry + len(body.ids))
        .execution_options(synchronize_session=False)
    )
    last = await session.scalar(select(AccountState.last_entry).where(state)) or 0
    rows = (
        await session.scalars(
            select(Copy)
            .where(Copy.account_id == key.account_id, Copy.id.in_(body.ids))
            .where(Copy.status != "Cancelled")
            .order_by(Copy.id)
            .options(joinedload(Copy.issue, innerjoin=True))
        )
    ).all()
    moment = datetime.datetime.now(UTC)
    for number, row in enumerate(rows):
        session.add(
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
                after=f'{{"status": "Sent", "date_sent": "{body.date}"}}',
            )
        )
        row.status, row.date_sent = "Sent", body.date
    await session.flush()
    await settle(session, key.account_id, {row.subscription_id for row in rows})
    await session.commit()
    return MarkedAnswer(updated_count=len(rows), items=[copy_answer(row) for row in rows])


async def settle(session: AsyncSession, account_id: int, touched: set[str]) -> None:
    """Mark periods complete whose issues all exist and are sent."""
    unsent = (
        select(func.count().filter(Copy.status == "Not sent"))
        .where(Copy.account_id == account_id, Copy.subscription_id == Period.subscription_id)
        .where(Copy.period_id == Period.id)
        .scalar_subquery()
    )
    there = (
        select(func.count())
        .where(Issue.account_id == account_id)
        .where(Issue.number.between(Period.first_issue, Period.last_issue))
        .scalar_subquery()
    )
    rows = await session.execute(
        select(Period, unsent, there)
        .where(Period.account_id == account_id, Period.subscription_id.in_(touched))
        .where(Period.first_issue.is_not(None))
    )
    for period, waiting, known in rows:
        period.is_complete = waiting == 0 and known == period.length


def create_app() -> FastAPI:
    """The application of a worker."""
    follow_supervisor()
    return app
