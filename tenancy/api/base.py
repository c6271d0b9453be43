"""The frame of every API view: who, which dated version, and what is refused first."""

from typing import Any, ClassVar, cast

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenancy.caller import Caller
from wire.errors import DisabledTenancy
from wire.headers import WORKSPACE_ID
from wire.versioning import require_dated_version, require_versioned_surface


class ApiView(APIView):
    """Checks in the contract's order: 401, dated header 400, disabled 403, fence 503.

    Subclasses set `versioned = True` when the fence closes them (contract §0 "Fence").
    """

    versioned: ClassVar[bool] = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require_dated_version(request)
        require_active(caller_of(request))
        if self.is_fenced(request):
            require_versioned_surface()

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


def require_active(caller: Caller) -> None:
    """Raise DisabledTenancy when the Workspace or the acting principal is disabled."""
    if not caller.workspace_active:
        raise DisabledTenancy("This Workspace is disabled.")
    if not caller.principal_active:
        raise DisabledTenancy("The principal behind this credential is disabled.")
