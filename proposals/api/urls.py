from django.urls import path

from proposals.api.comments import CommentsView, CommentView, SettleView
from proposals.api.decisions import ApprovalView, ReproposeView, RespondView
from proposals.api.diffs import ProposalDiffView
from proposals.api.picks import PickView
from proposals.api.proposals import ProposalsView, ProposalView
from proposals.api.trials import ConflictsView, DriftView, TrialView

_PROPOSALS = "memory-stores/<str:id>/proposals"

urlpatterns = [
    path(_PROPOSALS, ProposalsView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>", ProposalView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/diff", ProposalDiffView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/drift", DriftView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/trial", TrialView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/conflicts", ConflictsView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/comments", CommentsView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/comments/<str:comment>", CommentView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/comments/<str:comment>/settle", SettleView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/respond", RespondView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/approval", ApprovalView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/pick", PickView.as_view()),
    path(f"{_PROPOSALS}/<str:proposal>/repropose", ReproposeView.as_view()),
]
