"""The covers of issues: at most one for each, as a small picture."""

from collections.abc import Collection

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction


class NewCover(Struct, frozen=True):
    """A cover to store. width, height: in pixels. sha256: of the content, in hex."""

    media_type: str
    width: int
    height: int
    sha256: str
    content: bytes


class Cover(Struct, frozen=True):
    """A cover without its content."""

    width: int
    height: int
    sha256: str

    def width_for(self, height: int) -> int:
        """The width in pixels at which the cover has a height."""
        return max(1, round(self.width * height / self.height))


class CoverFile(Struct, frozen=True):
    """The content of a cover."""

    media_type: str
    content: bytes


async def list_covers(
    db: Connection, account_id: int, issue_ids: Collection[str]
) -> dict[str, Cover]:
    """The covers of issues, by issue; those without a cover are missing. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT issue_id, width, height, sha256
        FROM issue_cover
        WHERE account_id = :account_id AND issue_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(issue_ids)},
    )
    return {row["issue_id"]: Cover(row["width"], row["height"], row["sha256"]) for row in rows}


async def find_file(
    db: Connection, account_id: int, issue_id: str, sha256: str
) -> CoverFile | None:
    """The content of a cover, if the issue still has this one. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT media_type, content
        FROM issue_cover
        WHERE account_id = :account_id AND issue_id = :issue AND sha256 = :sha256
        """,
        {"account_id": account_id, "issue": issue_id, "sha256": sha256},
    )
    return CoverFile(row["media_type"], bytes(row["content"])) if row else None


async def list_stored(db: Connection, account_id: int) -> dict[str, str]:
    """The hashes of all covers of an account, by issue. Queries: one."""
    rows = await db.fetch_all(
        "SELECT issue_id, sha256 FROM issue_cover WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    return {row["issue_id"]: row["sha256"] for row in rows}


async def replace_cover(tx: Transaction, account_id: int, issue_id: str, cover: NewCover) -> None:
    """Set the cover of an issue. Queries: two."""
    await delete_cover(tx, account_id, issue_id)
    await tx.execute(
        """
        INSERT INTO issue_cover (
            account_id,
            issue_id,
            media_type,
            width,
            height,
            sha256,
            content,
            created_at
        )
        VALUES (
            :account_id,
            :issue,
            :media_type,
            :width,
            :height,
            :sha256,
            :content,
            :moment
        )
        """,
        {
            "account_id": account_id,
            "issue": issue_id,
            "media_type": cover.media_type,
            "width": cover.width,
            "height": cover.height,
            "sha256": cover.sha256,
            "content": cover.content,
            "moment": now(),
        },
    )


async def delete_cover(tx: Transaction, account_id: int, issue_id: str) -> None:
    """Delete the cover of an issue, if it has one. Queries: one."""
    await tx.execute(
        "DELETE FROM issue_cover WHERE account_id = :account_id AND issue_id = :issue",
        {"account_id": account_id, "issue": issue_id},
    )
