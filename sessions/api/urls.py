from django.urls import path

from sessions.api.keys import SessionKeysView, SessionKeyView
from sessions.api.sessions import SessionArchiveView, SessionsView, SessionView

urlpatterns = [
    path("sessions", SessionsView.as_view()),
    path("sessions/<str:id>", SessionView.as_view()),
    path("sessions/<str:id>/archive", SessionArchiveView.as_view()),
    path("sessions/<str:id>/keys", SessionKeysView.as_view()),
    path("sessions/<str:id>/keys/<str:key>", SessionKeyView.as_view()),
]
