"""/v1/memory-stores/{id}/review-rules: how many approvals changes of a store need, and of whom."""

from typing import Annotated, TypedDict

from pydantic import AfterValidator, Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import StoreAccess, open_store
from memory.actions.stores import StoreChanges, change_store
from memory.documents.globs import parse_glob
from memory.documents.paths import MAX_PATH_BYTES
from memory.reviewrules import MAX_APPROVALS, MAX_REVIEWERS, MAX_RULES, ReviewRule, rules_of
from tenancy.api.base import ApiView, caller_of
from wire.errors import Conflict, NotFound, PolicyDenied
from wire.fields import IdOf
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id

Glob = Annotated[
    str,
    AfterValidator(parse_glob),
    Field(json_schema_extra={"maxLength": MAX_PATH_BYTES, "pattern": "^/.*[^/]$"}),
]
"""A pattern of paths: `*`, `?`, `[…]` within a segment, `**` for any number of segments."""

Approvals = Annotated[int, Field(ge=1, le=MAX_APPROVALS)]


class ReviewRuleInput(Body):
    """What a change at some paths needs beside the minimum."""

    paths: Glob
    """A glob of whole paths. It applies to what a Proposal changes, both sides of a renaming."""
    approvals: Approvals = 1
    reviewers: Annotated[
        list[Annotated[str, IdOf("principal")]], Field(max_length=MAX_REVIEWERS)
    ] = []
    """The people of whom they have to come, any of them; empty for anybody who may review."""

    def rule(self) -> ReviewRule:
        """The rule as the action takes it."""
        return ReviewRule(self.paths, self.approvals, tuple(dict.fromkeys(self.reviewers)))


class PutReviewRules(Body):
    """All of a store's review rules: what is not named here goes."""

    version: Annotated[int, Field(ge=1)]
    """The store's own `version` that the change was made from."""
    minimum_approvals: Approvals = 1
    rules: Annotated[list[ReviewRuleInput], Field(max_length=MAX_RULES)] = []

    def changes(self) -> StoreChanges:
        """The changes as the action takes them."""
        return StoreChanges(
            minimum_approvals=self.minimum_approvals,
            review_rules=tuple(rule.rule() for rule in self.rules),
        )


class ReviewRuleOut(TypedDict):
    """What a change at some paths needs beside the minimum."""

    paths: str
    approvals: int
    reviewers: list[str]


class ReviewRulesOut(TypedDict):
    """How many approvals a Proposal to this store needs. `version` is the store's own."""

    store: str
    version: int
    minimum_approvals: int
    rules: list[ReviewRuleOut]


def render_review_rules(access: StoreAccess) -> ReviewRulesOut:
    """The review rules of a store."""
    store = access.store
    return {
        "store": store.id,
        "version": store.version,
        "minimum_approvals": store.minimum_approvals,
        "rules": [
            {
                "paths": rule.paths,
                "approvals": rule.approvals,
                "reviewers": list(rule.reviewers),
            }
            for rule in rules_of(store)
        ],
    }


class ReviewRulesView(ApiView):
    versioned = True

    @operation(
        "memoryStores.getMemoryReviewRules",
        summary="Get a store's review rules",
        answers={200: ReviewRulesOut},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """For whoever may read the store: the globs may tell of paths."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        parse_nothing(request)
        access.require_content()
        return Response(render_review_rules(access))

    @operation(
        "memoryStores.putMemoryReviewRules",
        summary="Set a store's review rules",
        body=PutReviewRules,
        answers={200: ReviewRulesOut},
        errors=(NotFound, PolicyDenied, Conflict),
    )
    def put(self, request: Request, id: str) -> Response:
        """Needs `admin`. They hold for open Proposals at once; approvals given before count.

        It counts the store's `version` up, as any change of its settings does.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, PutReviewRules)
        changed = change_store(access=access, version=body.version, changes=body.changes())
        return Response(render_review_rules(changed))
