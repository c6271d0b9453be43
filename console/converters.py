"""Identifiers in the Console's addresses: what is not one is no route, so it answers 404."""

from django.urls.converters import register_converter

from wire import ids


class _IdConverter:
    kind: str

    def to_python(self, value: str) -> str:
        return ids.parse_id(self.kind, value)

    def to_url(self, value: object) -> str:
        return str(value)


def register_all() -> None:
    """Make `<store:…>`, `<version:…>` and the other kinds available to routes."""
    for kind, prefix in ids.PREFIXES.items():
        spellings = [prefix, *(alias for alias, live in ids.ALIASES.items() if live == prefix)]
        regex = f"(?:{'|'.join(spellings)})_[0-9a-f]{{32}}"
        register_converter(
            type("IdConverter", (_IdConverter,), {"kind": kind, "regex": regex}), kind
        )
