from django.urls import path

from jobs.api import jobs

urlpatterns = [
    path("jobs", jobs.JobsView.as_view()),
    path("jobs/<str:id>", jobs.JobView.as_view()),
]
