"""/v1/support/capabilities: what this deployment can do."""

from typing import Literal, TypedDict

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from tenancy.api.base import ApiView
from tenancy.capabilities import CAPABILITIES, Capability
from wire.operations import operation
from wire.parsing import parse_nothing


class CapabilityOut(TypedDict):
    """One capability; `reason` says why it is fenced or unavailable."""

    id: str
    posture: Literal["alpha", "preview", "stable"]
    state: Literal["available", "fenced", "unavailable"]
    journey: str
    proven_release: str | None
    reason: str | None


class CapabilitiesOut(TypedDict):
    """This release, and each of its capabilities."""

    release: str
    capabilities: list[CapabilityOut]


def render_capability(capability: Capability) -> CapabilityOut:
    return {
        "id": capability.id,
        "posture": capability.posture,
        "state": capability.state,
        "journey": capability.journey,
        "proven_release": capability.proven_release,
        "reason": capability.reason,
    }


class CapabilitiesView(ApiView):
    @operation(
        "support.getCapabilities",
        summary="What this deployment can do",
        answers={200: CapabilitiesOut},
    )
    def get(self, request: Request) -> Response:
        """True to the fence, and to what a conformance run proved. Any live key may ask."""
        parse_nothing(request)
        answer: CapabilitiesOut = {
            "release": settings.RELEASE,
            "capabilities": [render_capability(capability) for capability in CAPABILITIES],
        }
        return Response(answer)
