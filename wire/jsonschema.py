"""JSON Schema of a Python type, as the API's document spells it."""

import re
from typing import Any, cast, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

type Schema = dict[str, Any]


def describe(shape: Any, mode: JsonSchemaMode) -> tuple[Schema, dict[str, Schema]]:
    """The schema of a type, and those of the types it refers to, by component name.

    Args:
        mode: `validation` for what is sent to us, `serialization` for what we answer.
    """
    schema = TypeAdapter(shape).json_schema(
        mode=mode, ref_template="#/components/schemas/{model}", schema_generator=_PlainJsonSchema
    )
    parts = schema.pop("$defs", {})
    return _tidy(schema), {name: _tidy(part) for name, part in parts.items()}


def component_name(shape: Any) -> str:
    """The name of a type in the document: `AgentOut` is `Agent`, a list of them `AgentListing`."""
    arguments = "".join(component_name(argument) for argument in get_args(shape))
    name = cast("str", (get_origin(shape) or shape).__name__)
    return arguments + name.removesuffix("Out")


def closed_object(properties: dict[str, Schema], description: str) -> Schema:
    """An object that has these properties and no others."""
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


class _PlainJsonSchema(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def normalize_name(self, name: str) -> str:
        return re.sub(r"Out\b", "", super().normalize_name(name))


def _tidy(schema: Any) -> Any:
    """Drop the titles that repeat a component's name, and close objects with named properties."""
    if isinstance(schema, list):
        return [_tidy(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    tidied = {key: _tidy(part) for key, part in schema.items() if key not in _KEPT}
    if "properties" in schema:
        tidied["properties"] = {name: _tidy(part) for name, part in schema["properties"].items()}
        tidied.setdefault("additionalProperties", False)
    return tidied


_KEPT = {"title", "properties"}
