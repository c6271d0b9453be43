from django.urls import path

from sessions.api.sessions import SessionArchiveView, SessionsView, SessionView

urlpatterns = [
    path("sessions", SessionsView.as_view()),
    path("sessions/<str:id>", SessionView.as_view()),
    path("sessions/<str:id>/archive", SessionArchiveView.as_view()),
]
