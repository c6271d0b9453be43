"""The OpenAPI 3.1 document, made from what each view's method says with `operation`."""

from collections import defaultdict
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from wire import headers
from wire.errors import ApiError
from wire.jsonschema import Schema, closed_object, component_name, describe
from wire.operations import Documented, Download, Operation

SECURITY_SCHEME = "bearerAuth"
TEXT = {"type": "string"}
BYTES = {"type": "string", "format": "binary"}

REQUEST_HEADERS = (
    OpenApiParameter(
        headers.VERSION,
        {"type": "string", "enum": list(settings.API_VERSIONS)},
        OpenApiParameter.HEADER,
        required=True,
        description="The dated version of the API.",
    ),
    OpenApiParameter(
        headers.ACTING_PRINCIPAL,
        {"type": "string", "pattern": "^prin_[0-9a-f]{32}$"},
        OpenApiParameter.HEADER,
        description="A principal that the key may act for; its grants count instead of the key's.",
    ),
)


def answer_headers(statuses: Iterable[int]) -> list[OpenApiParameter]:
    """Headers of every success."""
    of = [str(status) for status in statuses]
    return [
        OpenApiParameter(
            headers.WORKSPACE_ID,
            {"type": "string", "pattern": "^wrkspc_[0-9a-f]{32}$"},
            OpenApiParameter.HEADER,
            required=True,
            response=of,
            description="The Workspace that the credential belongs to.",
        ),
        OpenApiParameter(
            headers.REQUEST_ID,
            TEXT,
            OpenApiParameter.HEADER,
            required=True,
            response=of,
            description="Names this request in logs and in the audit trail.",
        ),
    ]


class ContractSchema(AutoSchema):
    """Reads the Operation of a view's method; all else is the same for every operation."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        described = super().get_operation(*args, **kwargs)
        if described and self.said.body:
            described["requestBody"]["required"] = _needs_fields(self.said.body)
        return described

    @property
    def said(self) -> Operation:
        """What the method at hand says of itself."""
        return cast("Documented", getattr(self.view, self.method.lower())).operation

    def get_operation_id(self) -> str:
        return self.said.id

    def get_summary(self) -> str:
        return self.said.summary

    def get_tags(self) -> list[str]:
        return [self.said.tag]

    def get_auth(self) -> list[dict[str, list[str]]]:
        self._register(
            SECURITY_SCHEME, {"type": "http", "scheme": "bearer"}, ResolvedComponent.SECURITY_SCHEMA
        )
        return [{SECURITY_SCHEME: []}]

    def get_override_parameters(self) -> list[Any]:
        return [
            *REQUEST_HEADERS,
            *answer_headers(self.said.answers),
            *self._idempotency_parameters(),
            *self._query_parameters(),
            *self.said.headers,
        ]

    def get_request_serializer(self) -> Any:
        body = self.said.body
        return {"application/json": self._reference(body, "validation")} if body else None

    def get_response_serializers(self) -> Any:
        answers: dict[Any, OpenApiResponse] = {}
        for status, shape in self.said.answers.items():
            phrase = HTTPStatus(status).phrase
            if isinstance(shape, Download):
                answers[status, *shape.media_types] = OpenApiResponse(BYTES, description=phrase)
            else:
                reference = self._reference(shape, "serialization") if shape else None
                answers[status] = OpenApiResponse(reference, description=phrase)
        return answers | self._error_responses()

    def _error_responses(self) -> dict[int, OpenApiResponse]:
        by_status: dict[int, dict[str, type[ApiError]]] = defaultdict(dict)
        for error in self.said.errors:
            by_status[error.status][error.type] = error
        return {
            int(status): OpenApiResponse(
                _any_of([self._error_reference(error) for error in errors.values()]),
                description=", ".join(f"`{type_}`" for type_ in errors),
            )
            for status, errors in sorted(by_status.items())
        }

    def _error_reference(self, error: type[ApiError]) -> dict[str, str]:
        fields = {
            "type": {"type": "string", "const": error.type},
            "message": TEXT,
            "more": {"type": "string", "description": "Where the reference explains this type."},
        }
        envelope = {"error": closed_object(fields, "What happened.")}
        said = " ".join((error.__doc__ or "").split())
        return self._register(f"{error.__name__}Error", closed_object(envelope, said))

    def _idempotency_parameters(self) -> list[OpenApiParameter]:
        if self.said.idempotency is None:
            return []
        return [
            OpenApiParameter(
                headers.IDEMPOTENCY_KEY,
                {"type": "string", "minLength": 1, "maxLength": 255},
                OpenApiParameter.HEADER,
                required=self.said.idempotency == "required",
                description="A repeat with the same key and input is told the same outcome.",
            )
        ]

    def _query_parameters(self) -> list[OpenApiParameter]:
        schema = self._schema(self.said.query, "validation")
        return [
            OpenApiParameter(
                name,
                _without_null({key: part for key, part in shape.items() if key != "description"}),
                OpenApiParameter.QUERY,
                required=name in schema.get("required", []),
                description=shape.get("description", ""),
            )
            for name, shape in schema.get("properties", {}).items()
        ]

    def _reference(self, shape: Any, mode: JsonSchemaMode) -> dict[str, str]:
        return self._register(component_name(shape), self._schema(shape, mode))

    def _schema(self, shape: Any, mode: JsonSchemaMode) -> Schema:
        schema, parts = describe(shape, mode)
        for name, part in parts.items():
            self._register(name, part)
        return schema

    def _register(
        self, name: str, schema: Schema, kind: Any = ResolvedComponent.SCHEMA
    ) -> dict[str, str]:
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name=name, type=kind, object=name, schema=schema
        )
        self.registry.register_on_missing(component)
        known = self.registry[component].schema
        if known != schema:
            raise ValueError(f"Two different shapes are called {name}.")
        return {"$ref": f"#/components/{kind}/{name}"}


def _needs_fields(model: type[BaseModel]) -> bool:
    """Whether a body has to be sent: none at all is as good as `{}`."""
    return any(field.is_required() for field in model.model_fields.values())


def _any_of(references: list[dict[str, str]]) -> Schema:
    return references[0] if len(references) == 1 else {"anyOf": references}


def _without_null(schema: Schema) -> Schema:
    """A parameter that is left out is absent, never null."""
    shapes = [shape for shape in schema.get("anyOf", []) if shape != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in {"anyOf", "default"}}
    if len(shapes) == 1:
        rest |= shapes[0]
        return rest
    return schema
