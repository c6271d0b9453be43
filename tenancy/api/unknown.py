"""Every address under /v1 that is no route: 404, behind the same checks as any other."""

from typing import Any, NoReturn

from tenancy.api.base import ApiView
from wire.errors import NotFound


class UnknownRoute(ApiView):
    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotFound("There is nothing at this address.")
