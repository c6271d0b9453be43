"""What redactions and store deletions take of Proposals (contract P5, X1, X2)."""

from collections.abc import Collection, Sequence
from typing import Final

from django.db import connection
from django.db.models import F, Model, QuerySet

from database.arrays import among_ids
from database.transactions import step
from memory import receipts
from memory.actors import REDACTOR
from memory.erasure.erasers import Eraser, Redaction
from memory.erasure.erasers import register as register_eraser
from memory.erasure.notes import erase_messages
from memory.erasure.touched import fenced_paths
from memory.models import ErasureReport, Sink
from proposals.decisions.resolution import Resolution, resolve
from proposals.models import (
    Comment,
    Proposal,
    ProposalApproval,
    ProposalAttempt,
    ProposalStatus,
    SavedView,
    SupersededBecause,
    Viewing,
)
from proposals.queries.touching import open_touching, telling
from wire.ids import uuid_from_id
from wire.times import now

_SUPERSEDED: Final = Resolution(
    ProposalStatus.SUPERSEDED, response=None, because=SupersededBecause.REDACTED
)

_DELETE = """
DELETE FROM {table} WHERE id IN (
    SELECT id FROM {table} WHERE store_id = %s ORDER BY id DESC LIMIT %s
)
"""
"""Newest first: what a Proposal replaces, or a comment replies to, is older."""


def register() -> None:
    """Let Proposals be erased with their paths and their store."""
    register_eraser(ProposalEraser())


class ProposalEraser(Eraser):
    """Supersedes, blanks and deletes Proposals. `Eraser` tells when."""

    @step
    def hold(self, store_id: str, paths: Sequence[str]) -> None:
        """Lock the open Proposals that touch a path; whoever resolves one locks it first, too."""
        list(_lock_open(store_id, paths))

    @step
    def redact(self, redaction: Redaction) -> None:
        """Supersede the open ones that touch a path; blank all words about one."""
        for proposal in _lock_open(redaction.store_id, redaction.paths):
            resolve(
                caller=redaction.caller, proposal=proposal, resolution=_SUPERSEDED, actor=REDACTOR
            )
        told = telling(redaction.store_id, redaction.paths)
        ids = list(told.values_list("id", flat=True))
        erase_messages(_sealed_with_title(ids))
        _blank(ids)
        receipts.forget(redaction.store_id, "proposal", ids)

    @step
    def delete_rows(self, store_id: str, limit: int) -> int:
        """Delete what is about Proposals, then Proposals."""
        models = (SavedView, Viewing, Comment, ProposalAttempt, ProposalApproval, Proposal)
        return next((gone for model in models if (gone := _delete(model, store_id, limit))), 0)

    def sinks_holding(self, report: ErasureReport) -> Collection[Sink]:
        """Words and receipts about paths that were redacted; any row of a deleted store."""
        if report.operation == ErasureReport.Operation.STORE_DELETION:
            kept = Proposal.objects.filter(store=report.store_id).exists()
            return (Sink.ROWS,) if kept else ()
        if report.operation == ErasureReport.Operation.REDACTION:
            return _sinks_telling(report.store_id)
        return ()


def _lock_open(store_id: str, paths: Sequence[str]) -> Collection[Proposal]:
    return open_touching(store_id, paths).select_for_update(no_key=True)


def _sealed_with_title(proposal_ids: Collection[str]) -> list[str]:
    """The heads that have their Proposal's title as their message, as those have that it sealed."""
    told = Proposal.objects.filter(among_ids("id", proposal_ids), head__note__message=F("title"))
    return list(told.values_list("head", flat=True))


@step
def _blank(proposal_ids: Collection[str]) -> None:
    told = Proposal.objects.filter(among_ids("id", proposal_ids), words_erased_at=None)
    told.update(title="", description="", resolution_note=None, words_erased_at=now())
    noted = ProposalApproval.objects.filter(among_ids("proposal", proposal_ids)).exclude(note=None)
    noted.update(note=None)
    # After the Proposals, whose rows writers of comments lock: none comes in between.
    _said_about(proposal_ids).update(text="", text_erased_at=now())


def _said_about(proposal_ids: Collection[str]) -> QuerySet[Comment]:
    """The comments on some Proposals that still say something."""
    return Comment.objects.filter(among_ids("proposal", proposal_ids)).exclude(text="")


def _sinks_telling(store_id: str) -> set[Sink]:
    found = telling(store_id, fenced_paths(store_id))
    ids = list(found.values_list("id", flat=True))
    left = set()
    if found.filter(words_erased_at=None).exists() or _said_about(ids).exists():
        left.add(Sink.ROWS)
    if receipts.is_told(store_id, "proposal", ids):
        left.add(Sink.RECEIPTS)
    return left


@step
def _delete(model: type[Model], store_id: str, limit: int) -> int:
    statement = _DELETE.format(table=model._meta.db_table)  # noqa: SLF001 (documented)
    with connection.cursor() as cursor:
        cursor.execute(statement, [uuid_from_id(store_id), limit])
        return int(cursor.rowcount)
