"""Addresses of things in the Console."""

from functools import lru_cache
from urllib.parse import quote_plus

from django.urls import reverse
from django.utils.http import urlencode


def document_url(store_id: str, path: str, version_id: str | None = None, **more: str) -> str:
    """A document's page; at canonical, whatever that is, when no version is named."""
    version = f"&version={version_id}" if version_id else ""
    rest = f"&{urlencode(more)}" if more else ""
    return f"{_route('document', store_id)}?path={quote_plus(path)}{version}{rest}"


def compare_url(store_id: str, base: str, head: str) -> str:
    """The comparison of two versions of a store."""
    query = urlencode({"base": base, "head": head})
    return f"{reverse('console:compare', args=[store_id])}?{query}"


def file_url(store_id: str, base: str, head: str, path: str) -> str:
    """One changed path of a comparison, shown in full."""
    query = f"base={base}&head={head}&path={quote_plus(path)}"
    return f"{_route('compare-file', store_id)}?{query}"


def commenting_url(proposal_id: str) -> str:
    """A Proposal's page with a form for a comment, but for the place that it is about."""
    return f"{_route('proposal', proposal_id)}?comment="


def viewed_url(proposal_id: str) -> str:
    """Where files of a Proposal are ticked off."""
    return _route("proposal-viewed", proposal_id)


@lru_cache(maxsize=1_024)
def _route(name: str, object_id: str) -> str:
    """A route, looked up once: pages hold hundreds of links to the same one."""
    return reverse(f"console:{name}", args=[object_id])
