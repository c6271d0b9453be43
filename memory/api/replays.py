"""How an answer says that it only tells an earlier outcome again (contract §0)."""

from drf_spectacular.utils import OpenApiParameter

from wire.headers import REPLAYED

REPLAYED_HEADER = OpenApiParameter(
    REPLAYED,
    {"type": "string", "enum": ["true"]},
    OpenApiParameter.HEADER,
    response=[200, 201, 202],
    description="The same request was carried out before; nothing was written now.",
)


def replay_headers(*, replayed: bool) -> dict[str, str]:
    """The headers that an answer carries because of it."""
    return {REPLAYED: "true"} if replayed else {}
