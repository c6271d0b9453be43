"""The product's routes, and beside them a view that only answers."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from benchmarks.corpus import TEXT
from wire.rendering import dump_json

BARE = "benchmarks/bare"


def bare(_: HttpRequest) -> HttpResponse:
    """Answer as many bytes as a document has, through the same middleware."""
    return HttpResponse(dump_json({"content": TEXT}), content_type="application/json")


urlpatterns = [path(BARE, bare), path("", include("config.urls"))]
