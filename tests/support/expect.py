"""What several test files expect: the one shape of a refusal, and dates that are none."""

import httpx

BAD_DATES: tuple[object, ...] = (
    "",
    " 2026-01-05",
    "2026-1-5",
    "2026-02-30",
    "20260105",
    "2026-01-05T00:00:00",
    "1899-12-31",
    "10000-01-01",
    "２０２６-01-05",
    "soon",
    20260105,
    True,
    [],
)
"""Values that no date field takes."""


def refused(response: httpx.Response, code: str, *, status: int = 400) -> str:
    """Return the message of a refusal, having checked its status, its shape and its code."""
    assert response.status_code == status, response.text
    body = response.json()
    assert set(body) == {"error", "message", "code"}
    assert body["error"] is True
    assert body["code"] == code, body
    message = body["message"]
    assert isinstance(message, str)
    assert message
    return message
