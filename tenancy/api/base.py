"""The frame of every API view: who, which dated version, and what is refused first."""

from typing import Any, ClassVar, cast

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenancy.authentication import Credential, acting_for
from tenancy.caller import Caller
from wire import ratelimits
from wire.headers import ACTING_PRINCIPAL, WORKSPACE_ID
from wire.versioning import require_dated_version, require_versioned_surface


class ApiView(APIView):
    """Checks in the contract's order: 401, dated header 400, disabled 403, 429, fence 503.

    Subclasses set `versioned = True` when the fence closes them (contract §0 "Fence").
    """

    versioned: ClassVar[bool] = False
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require_dated_version(request)
        caller_of(request).require_active()
        self.take_acting_principal(request)
        ratelimits.spend(caller_of(request).id)
        if self.is_fenced(request):
            require_versioned_surface()

    def take_acting_principal(self, request: Request) -> None:
        """Let the principal that the request names act, if it names one."""
        named = request.headers.get(ACTING_PRINCIPAL)
        caller = acting_for(caller_of(request), cast("Credential", request.auth), named)
        caller.require_active()
        cast("Any", request).user = caller

    def is_fenced(self, request: Request) -> bool:
        """Whether this very request needs the versioned surface."""
        return self.versioned

    def finalize_response(
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> Response:
        final = super().finalize_response(request, cast("Any", response), *args, **kwargs)
        caller = getattr(request, "_user", None)
        if isinstance(caller, Caller):
            final[WORKSPACE_ID] = caller.workspace_id
        final.headers.setdefault("Cache-Control", "no-store")
        return final


def caller_of(request: Request) -> Caller:
    """The authenticated Caller of an API request."""
    return cast("Caller", request.user)
