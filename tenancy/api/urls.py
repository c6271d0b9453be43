from django.urls import path

from tenancy.api import (
    agents,
    audit,
    environments,
    keys,
    permissions,
    principals,
    spaces,
    support,
    workspace,
)

urlpatterns = [
    path("workspace", workspace.WorkspaceView.as_view()),
    path("principals", principals.PrincipalsView.as_view()),
    path("principals/<str:id>", principals.PrincipalView.as_view()),
    path("agents", agents.AgentsView.as_view()),
    path("agents/<str:id>", agents.AgentView.as_view()),
    path("agents/<str:id>/archive", agents.AgentArchiveView.as_view()),
    path("environments", environments.EnvironmentsView.as_view()),
    path("environments/<str:id>", environments.EnvironmentView.as_view()),
    path("environments/<str:id>/archive", environments.EnvironmentArchiveView.as_view()),
    path("spaces", spaces.SpacesView.as_view()),
    path("spaces/<str:id>", spaces.SpaceView.as_view()),
    path("spaces/<str:id>/members", spaces.SpaceMembersView.as_view()),
    path("spaces/<str:id>/members/<str:member>", spaces.SpaceMemberView.as_view()),
    path("api-keys", keys.ApiKeysView.as_view()),
    path("api-keys/<str:id>", keys.ApiKeyView.as_view()),
    path("permission-assignments", permissions.PermissionAssignmentsView.as_view()),
    path("permission-assignments/<str:id>", permissions.PermissionAssignmentView.as_view()),
    path("audit-entries", audit.AuditEntriesView.as_view()),
    path("support/capabilities", support.CapabilitiesView.as_view()),
]
