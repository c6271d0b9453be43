from django.urls import include, path, re_path

from config import health
from tenancy.api.unknown import UnknownRoute

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("v1/", include("tenancy.api.urls")),
    path("v1/", include("jobs.api.urls")),
    path("v1/", include("memory.api.urls")),
    path("v1/", include("proposals.api.urls")),
    path("v1/", include("sessions.api.urls")),
    re_path(r"^v1(?:/.*)?$", UnknownRoute.as_view()),
    path("", include("console.urls")),
]

handler400 = "console.failures.bad_request"
handler403 = "console.failures.forbidden"
handler404 = "console.failures.not_found"
handler500 = "console.failures.server_error"
