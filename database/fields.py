"""Column types: identifiers kept as 16-byte UUIDs, texts compared bytewise, raw digests."""

from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import models

from wire import ids

if TYPE_CHECKING:  # Django's fields take their type parameters only in the stubs
    _IdBase = models.Field[Any, str]
    _UUIDField = models.UUIDField[Any, Any]
    _TextField = models.TextField[Any, Any]
    _BinaryField = models.BinaryField[Any, Any]
    _Lookup = models.Lookup[Any]
else:
    _IdBase, _UUIDField = models.Field, models.UUIDField
    _TextField, _BinaryField = models.TextField, models.BinaryField
    _Lookup = models.Lookup


class IdField(_IdBase):
    """An identifier: `memstore_…` in Python, a 16-byte `uuid` in PostgreSQL.

    UUIDs compare bytewise in every database, and cost less than half of their spelling.
    """

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: str
        _pyi_lookup_exact_type: Any

    def __init__(self, kind: str, **options: Any) -> None:
        self.kind = kind
        super().__init__(**options)

    def get_internal_type(self) -> str:
        return "UUIDField"

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, [self.kind, *args], kwargs

    def from_db_value(self, value: UUID | None, *_: object) -> str | None:
        return None if value is None else ids.id_from_uuid(self.kind, value)

    def to_python(self, value: Any) -> Any:
        if value is None or isinstance(value, UUID):
            return self.from_db_value(value)
        return ids.parse_id(self.kind, value)

    def get_prep_value(self, value: Any) -> Any:
        return ids.uuid_from_id(value) if isinstance(value, str) else value


class OwnerIdField(_UUIDField):
    """The UUID of something in another room; a kind column beside it tells which.

    There is no foreign key: a lower room does not know the tables above it (architecture.md).
    Lookups accept an identifier with its prefix.
    """

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: UUID
        _pyi_lookup_exact_type: Any

    def to_python(self, value: Any) -> Any:
        return ids.uuid_from_id(value) if isinstance(value, str) else super().to_python(value)

    def get_prep_value(self, value: Any) -> Any:
        return self.to_python(value)


@OwnerIdField.register_lookup
class Among(_Lookup):
    """`uuid__among=array`: is it one of the elements of an array.

    Where the array comes from a subquery, PostgreSQL makes it once and looks each element up in
    an index, which it cannot do with an OR of a value and a subquery.
    """

    lookup_name = "among"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        array, more = self.process_rhs(compiler, connection)
        return f"{column} = ANY ({array})", (*parameters, *more)


def id_key(kind: str) -> IdField:
    """A primary key that makes its own identifier of `kind`."""
    return IdField(kind, primary_key=True, default=partial(ids.new_id, kind), editable=False)


class BytewiseTextField(_TextField):
    """Text compared byte by byte, whatever collation the database was made with."""

    def __init__(self, **options: Any) -> None:
        options["db_collation"] = "C"
        super().__init__(**options)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("db_collation", None)
        return name, path, args, kwargs


class DigestField(_BinaryField):
    """A SHA-256 as its 32 raw bytes."""

    def from_db_value(self, value: Any, *_: object) -> bytes | None:
        return None if value is None else bytes(value)

    def get_db_prep_value(self, value: Any, *_: object, **__: object) -> Any:
        return value


def owner_id(kind: str | None, value: UUID | str | None) -> str | None:
    """Spell an `OwnerIdField`'s value with the prefix of its `kind`.

    An instance that was just made still holds the text that it was made with.
    """
    if kind is None or value is None:
        return None
    return ids.id_from_uuid(kind, value if isinstance(value, UUID) else ids.uuid_from_id(value))
