from django.urls import path

from sessions.api.erasure import SessionErasureView
from sessions.api.events import EventsView, EventView, ManifestView
from sessions.api.inputs import InputsView, InputView
from sessions.api.keys import SessionKeysView, SessionKeyView
from sessions.api.memorycalls import MemoryCallView
from sessions.api.mounts import MountArchiveView, MountTreeView
from sessions.api.rounddocuments import RoundDocumentsView, RoundDocumentView
from sessions.api.rounds import RoundFinishView, RoundsView, RoundView
from sessions.api.runs import RunsView, RunView
from sessions.api.sessions import (
    SessionArchiveView,
    SessionPreviewView,
    SessionsView,
    SessionView,
)
from sessions.api.settlements import SettlementView
from sessions.api.workingrefs import (
    CheckpointView,
    SessionRefsView,
    WorkingRefsView,
    WorkingRefView,
)

_WORKING_REFS = "memory-stores/<str:id>/working-refs"

urlpatterns = [
    path("inputs/<str:id>", InputView.as_view()),
    path("inputs/<str:id>/rounds", RoundsView.as_view()),
    path("rounds/<str:id>", RoundView.as_view()),
    path("rounds/<str:id>/finish", RoundFinishView.as_view()),
    path("rounds/<str:id>/memory-calls/<str:call>", MemoryCallView.as_view()),
    path("rounds/<str:id>/mounts/<int:mount>/document", RoundDocumentView.as_view()),
    path("rounds/<str:id>/mounts/<int:mount>/documents", RoundDocumentsView.as_view()),
    path("runs/<str:id>", RunView.as_view()),
    path("runs/<str:id>/settlement", SettlementView.as_view()),
    path("sessions", SessionsView.as_view()),
    path("sessions/preview", SessionPreviewView.as_view()),
    path("sessions/<str:id>", SessionView.as_view()),
    path("sessions/<str:id>/archive", SessionArchiveView.as_view()),
    path("sessions/<str:id>/erasure", SessionErasureView.as_view()),
    path("sessions/<str:id>/events", EventsView.as_view()),
    path("sessions/<str:id>/events/<str:event>", EventView.as_view()),
    path("sessions/<str:id>/events/<str:event>/manifest", ManifestView.as_view()),
    path("sessions/<str:id>/inputs", InputsView.as_view()),
    path("sessions/<str:id>/keys", SessionKeysView.as_view()),
    path("sessions/<str:id>/keys/<str:key>", SessionKeyView.as_view()),
    path("sessions/<str:id>/mounts/<int:mount>/archive", MountArchiveView.as_view()),
    path("sessions/<str:id>/mounts/<int:mount>/tree", MountTreeView.as_view()),
    path("sessions/<str:id>/runs", RunsView.as_view()),
    path("sessions/<str:id>/working-refs", SessionRefsView.as_view()),
    path(_WORKING_REFS, WorkingRefsView.as_view()),
    path(f"{_WORKING_REFS}/<str:session>", WorkingRefView.as_view()),
    path(f"{_WORKING_REFS}/<str:session>/checkpoint", CheckpointView.as_view()),
]
