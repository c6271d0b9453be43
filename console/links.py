"""Addresses of things in the Console."""

from django.urls import reverse
from django.utils.http import urlencode


def document_url(store_id: str, path: str, version_id: str | None = None, **more: str) -> str:
    """A document's page; at canonical, whatever that is, when no version is named."""
    parameters = {"path": path, **({"version": version_id} if version_id else {}), **more}
    return f"{reverse('console:document', args=[store_id])}?{urlencode(parameters)}"


def compare_url(store_id: str, base: str, head: str) -> str:
    """The comparison of two versions of a store."""
    query = urlencode({"base": base, "head": head})
    return f"{reverse('console:compare', args=[store_id])}?{query}"


def file_url(store_id: str, base: str, head: str, path: str) -> str:
    """One changed path of a comparison, shown in full."""
    query = urlencode({"base": base, "head": head, "path": path})
    return f"{reverse('console:compare-file', args=[store_id])}?{query}"
