from django.urls import path

from tenancy.api import agents, audit, keys, permissions, principals, support, workspace

urlpatterns = [
    path("workspace", workspace.WorkspaceView.as_view()),
    path("principals", principals.PrincipalsView.as_view()),
    path("principals/<str:id>", principals.PrincipalView.as_view()),
    path("agents", agents.AgentsView.as_view()),
    path("agents/<str:id>", agents.AgentView.as_view()),
    path("agents/<str:id>/archive", agents.AgentArchiveView.as_view()),
    path("api-keys", keys.ApiKeysView.as_view()),
    path("api-keys/<str:id>", keys.ApiKeyView.as_view()),
    path("permission-assignments", permissions.PermissionAssignmentsView.as_view()),
    path("permission-assignments/<str:id>", permissions.PermissionAssignmentView.as_view()),
    path("audit-entries", audit.AuditEntriesView.as_view()),
    path("support/capabilities", support.CapabilitiesView.as_view()),
]
