"""The types that bodies and queries of the memory routes are made of (contract M1, M2, M7)."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from memory.documents.mediatypes import MAX_MEDIA_TYPE_CHARACTERS, parse_media_type
from memory.documents.paths import MAX_PATH_BYTES, parse_path, parse_prefix
from memory.documents.texts import MAX_TEXT_BYTES, parse_text
from wire.fields import IdOf

VersionId = Annotated[str, IdOf("version")]

DocumentPath = Annotated[
    str,
    AfterValidator(parse_path),
    Field(json_schema_extra={"maxLength": MAX_PATH_BYTES, "pattern": "^/.*[^/]$"}),
]

Prefix = Annotated[
    str,
    AfterValidator(parse_prefix),
    Field(json_schema_extra={"maxLength": MAX_PATH_BYTES + 1, "pattern": "^/"}),
]

Content = Annotated[
    str, AfterValidator(parse_text), Field(json_schema_extra={"maxLength": MAX_TEXT_BYTES})
]
"""A document's text: at most 102,400 bytes of UTF-8."""

MediaType = Annotated[
    str,
    AfterValidator(parse_media_type),
    Field(
        json_schema_extra={
            "maxLength": MAX_MEDIA_TYPE_CHARACTERS,
            "pattern": "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$",
        }
    ),
]

Hash = Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$")]
"""A SHA-256 as `sha256:` and 64 lowercase hexadecimal digits."""

Message = Annotated[str, Field(min_length=1, max_length=4_096)]
"""Words beside a version, for people."""

Description = Annotated[str, Field(max_length=4_096)]

Metadata = Annotated[
    dict[
        Annotated[str, Field(min_length=1, max_length=128)],
        Annotated[str, Field(max_length=1_024)],
    ],
    Field(max_length=64),
]
"""At most 64 texts of the client's own, by names of 1 to 128 characters."""

OwnerKindName = Literal[
    "workspace", "principal", "agent_definition", "session", "collaboration_space"
]
OwnerId = Annotated[
    str, IdOf("workspace", "principal", "agent_definition", "session", "collaboration_space")
]
LifecycleName = Literal["pending", "active", "archived", "deleting", "deleted"]
CanonicalWritesName = Literal["review", "direct"]
SelfApprovalName = Literal["denied", "allowed"]
