"""Who there is, and what they may do."""

from tenancy.models.agents import Agent
from tenancy.models.audit import AuditEntry
from tenancy.models.environments import Environment
from tenancy.models.keys import ApiKey
from tenancy.models.permissions import Permission, PermissionAssignment, SubjectKind, TargetKind
from tenancy.models.principals import Principal
from tenancy.models.spaces import CollaborationSpace, SpaceMember
from tenancy.models.users import User
from tenancy.models.workspaces import Workspace

__all__ = [
    "Agent",
    "ApiKey",
    "AuditEntry",
    "CollaborationSpace",
    "Environment",
    "Permission",
    "PermissionAssignment",
    "Principal",
    "SpaceMember",
    "SubjectKind",
    "TargetKind",
    "User",
    "Workspace",
]
