"""What PostgreSQL itself refuses to do to a Proposal (contract P1)."""

from collections.abc import Iterable

import pgtrigger


class OfTwoTrees(pgtrigger.Trigger):
    """Refuses a new Proposal unless base and head are two different trees of its own store.

    The trees' hashes stand in other rows, where no CHECK can look; those rows never change
    (contract M3), so looking once is enough. Raises `check_violation`, an IntegrityError.
    """

    name = "of_two_trees"
    when = pgtrigger.Before
    operation = pgtrigger.Insert

    def get_func(self, model: object) -> str:
        return """
            IF NOT EXISTS (
                SELECT FROM memory_memoryversion base
                JOIN memory_memoryversion head ON head.store_id = base.store_id
                WHERE base.id = NEW.base_id
                  AND head.id = NEW.head_id
                  AND base.store_id = NEW.store_id
                  AND base.tree_hash <> head.tree_hash
            ) THEN
                RAISE check_violation
                    USING MESSAGE = 'a proposal needs two different trees of its own store';
            END IF;
            RETURN NEW;
        """


class FrozenButOpen(pgtrigger.Trigger):
    """Refuses a change of what a Proposal froze, of a resolution once written, and of words.

    Raises `restrict_violation`, an IntegrityError in Python.

    Args:
        frozen: columns that never change.
        resolution: columns that change together, once, while the Proposal is open.
        words: texts that are written once, with the resolution at the latest, and later only
            blanked (contract X1).
    """

    name = "frozen_but_open"
    when = pgtrigger.Before
    operation = pgtrigger.Update

    def __init__(
        self, *, frozen: Iterable[str], resolution: Iterable[str], words: Iterable[str]
    ) -> None:
        self.frozen = tuple(frozen)
        self.resolution = tuple(resolution)
        self.words = tuple(words)
        super().__init__()

    def get_func(self, model: object) -> str:
        rewritten = " OR ".join(
            f"(NEW.{word} <> '' AND NEW.{word} IS DISTINCT FROM OLD.{word}"
            f" AND NOT (OLD.status = 'open' AND OLD.{word} IS NULL))"
            for word in self.words
        )
        return f"""
            IF {_changed(self.frozen)} THEN
                RAISE restrict_violation USING MESSAGE = 'a proposal is frozen';
            END IF;
            IF OLD.status <> 'open' AND {_changed(self.resolution)} THEN
                RAISE restrict_violation USING MESSAGE = 'a proposal is resolved once';
            END IF;
            IF {rewritten} THEN
                RAISE restrict_violation USING MESSAGE = 'words are not rewritten';
            END IF;
            RETURN NEW;
        """


class PinnedAndSigned(pgtrigger.Trigger):
    """Refuses a change of what a comment is about and whose it is, and words where some are gone.

    Raises `restrict_violation`, an IntegrityError in Python.

    Args:
        pinned: columns that never change.
    """

    name = "pinned_and_signed"
    when = pgtrigger.Before
    operation = pgtrigger.Update

    def __init__(self, pinned: Iterable[str]) -> None:
        self.pinned = tuple(pinned)
        super().__init__()

    def get_func(self, model: object) -> str:
        return f"""
            IF {_changed(self.pinned)} THEN
                RAISE restrict_violation USING MESSAGE = 'a comment stays where it is';
            END IF;
            IF OLD.text = '' AND NEW.text <> '' THEN
                RAISE restrict_violation USING MESSAGE = 'what is gone stays gone';
            END IF;
            RETURN NEW;
        """


class WithdrawnOnce(pgtrigger.Trigger):
    """Refuses a change of an approval, but that it is withdrawn, once, and its note blanked (X1).

    Raises `restrict_violation`, an IntegrityError in Python.

    Args:
        frozen: columns that never change.
    """

    name = "withdrawn_once"
    when = pgtrigger.Before
    operation = pgtrigger.Update

    def __init__(self, *, frozen: Iterable[str]) -> None:
        self.frozen = tuple(frozen)
        super().__init__()

    def get_func(self, model: object) -> str:
        return f"""
            IF {_changed(self.frozen)} THEN
                RAISE restrict_violation USING MESSAGE = 'an approval is frozen';
            END IF;
            IF OLD.withdrawn_at IS NOT NULL AND {_changed(("withdrawn_at",))} THEN
                RAISE restrict_violation USING MESSAGE = 'an approval is withdrawn once';
            END IF;
            IF NEW.note IS NOT NULL AND {_changed(("note",))} THEN
                RAISE restrict_violation USING MESSAGE = 'words are not rewritten';
            END IF;
            RETURN NEW;
        """


def _changed(columns: tuple[str, ...]) -> str:
    new = ", ".join(f"NEW.{column}" for column in columns)
    old = ", ".join(f"OLD.{column}" for column in columns)
    return f"ROW({new}) IS DISTINCT FROM ROW({old})"
