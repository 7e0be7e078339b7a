"""The error of a cursor of events that no longer works."""

from masthead.model.errors import MastheadError


class CursorExpired(MastheadError):
    """Events after a cursor no longer exist. oldest: the number of the first one that does."""

    code = "cursor_expired"

    def __init__(self, oldest: int) -> None:
        super().__init__(
            "The events after this `cursor` no longer exist: they were deleted because of their "
            "age, or the database was restored from a backup. Read the lists of what you follow, "
            f"then begin again without `cursor`: the first event is then that with `number` "
            f"{oldest}."
        )
