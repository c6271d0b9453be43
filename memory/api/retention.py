"""/v1/retention-policy: how long the Workspace of a key keeps bodies (contract X3)."""

from typing import Annotated, TypedDict

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.actions.retention import PolicyChanges, change_retention_policy
from memory.models import RetentionPolicy
from memory.queries.retention import erasure_job, policy_of
from tenancy.api.base import ApiView, caller_of
from wire.errors import Conflict, PolicyDenied
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_nothing
from wire.times import render_time

Days = Annotated[int, Field(ge=1, le=36_500)]


class ChangeRetentionPolicy(Body):
    """New values; what is left out stays, and null takes a number of days away."""

    version: Annotated[int, Field(ge=1)]
    """The policy's own `version` that the change was made from."""
    body_lifetime_days: Days | None = None
    """Bodies that are written from now on go after so many days, whatever happens."""
    retire_superseded_after_days: Days | None = None
    """Bodies go so many days after the last ref left them."""
    zero_data_retention: bool = False
    """Whether every new durable body is refused."""
    erase_existing: bool = False
    """Erase every body that there is; only together with zero data retention."""

    def changes(self) -> PolicyChanges:
        """The changes as the action takes them."""
        values = self.model_dump(exclude_unset=True, exclude={"version", "erase_existing"})
        return PolicyChanges(values, self.erase_existing)


class RetentionPolicyOut(TypedDict):
    """How long a Workspace keeps bodies; null days set no time."""

    body_lifetime_days: int | None
    retire_superseded_after_days: int | None
    zero_data_retention: bool
    version: int
    updated_at: str | None
    erasure_job: str | None


def render_policy(policy: RetentionPolicy) -> RetentionPolicyOut:
    """A policy, with the newest job that erases all bodies, if there ever was one.

    The first version is that of a Workspace in which nobody made a policy.
    """
    return {
        "body_lifetime_days": policy.body_lifetime_days,
        "retire_superseded_after_days": policy.retire_superseded_after_days,
        "zero_data_retention": policy.zero_data_retention,
        "version": policy.version,
        "updated_at": render_time(policy.updated_at) if policy.version > 1 else None,
        "erasure_job": erasure_job(policy.workspace_id),
    }


class RetentionPolicyView(ApiView):
    versioned = True

    @operation(
        "retentionPolicy.getRetentionPolicy",
        summary="Get the retention policy",
        answers={200: RetentionPolicyOut},
    )
    def get(self, request: Request) -> Response:
        """As long as nobody has made one, it keeps all bodies for ever."""
        parse_nothing(request)
        return Response(render_policy(policy_of(caller_of(request).workspace_id)))

    @operation(
        "retentionPolicy.changeRetentionPolicy",
        summary="Change the retention policy",
        body=ChangeRetentionPolicy,
        answers={200: RetentionPolicyOut},
        errors=(PolicyDenied, Conflict),
    )
    def patch(self, request: Request) -> Response:
        """Needs an admin key. Ceilings of bodies that are there already stay as they are.

        Under zero data retention writes are refused, and what is there stays readable until it
        is erased or expires; `erase_existing` has a job erase all of it.
        """
        body = parse_body(request, ChangeRetentionPolicy)
        policy = change_retention_policy(
            caller=caller_of(request), version=body.version, changes=body.changes()
        )
        return Response(render_policy(policy))
