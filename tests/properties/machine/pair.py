"""A store of the oracle beside one of the product, and how both are asked."""

from typing import Any

from tests.oracle.blame import Annotations
from tests.oracle.copies import Copier
from tests.oracle.erasure import Shredder
from tests.oracle.exports import Exporter
from tests.oracle.proposals import ProposalDesk
from tests.oracle.replays import Replayer
from tests.oracle.search import Index
from tests.oracle.store import Store
from tests.oracle.values import CANONICAL, NOT_FOUND, Caller
from tests.properties.people import ADMIN, READER
from tests.properties.product.erasure import finish_job
from tests.properties.product.requests import answer_of
from tests.properties.product.server import Server


class Pair:
    """Two stores that are to be one."""

    def __init__(self, store: Store, server: Server) -> None:
        self.store = store
        self.server = server
        self.desk = ProposalDesk(store)
        self.replayer = Replayer(store, self.desk)
        exporter = Exporter(store)
        self.parts = (
            store.workspace,
            store,
            self.desk,
            self.replayer,
            Annotations(store),
            Index(store),
            Shredder(store, self.desk),
            exporter,
            Copier(store, exporter),
        )

    def both(self, verb: str, *arguments: Any, limit: int | None = None, **options: Any) -> Any:
        """Put a question to both and insist on one answer, the oracle's; only the product pages."""
        return self.ask_both(verb, *arguments, limit=limit, **options)[0]

    def ask_both(
        self, verb: str, *arguments: Any, limit: int | None = None, **options: Any
    ) -> tuple[Any, Any]:
        """The same, for who needs both answers though they are equal."""
        part = next(part for part in self.parts if hasattr(part, verb))
        expected = answer_of(getattr(part, verb), *arguments, **options)
        paged = options if limit is None else {**options, "limit": limit}
        answered = answer_of(getattr(self.server, verb), *arguments, **paged)
        assert answered == expected
        return expected, answered

    def read_all(self, caller: Caller, version: int) -> None:
        """Every document of one version."""
        self.both("list_documents", caller, version)
        for path in self.store.versions[version].tree:
            self.both("read", caller, path, version)

    def compare(self, caller: Caller) -> None:
        """All that the store holds, but texts of old versions only as an export has them."""
        for verb in ("list_versions", "list_refs", "list_proposals", "export", "export_pages"):
            self.both(verb, caller)
        self.read_all(caller, self.store.refs[CANONICAL])
        assert self.server.verify(ADMIN) == {}

    def delete(self) -> None:
        """Delete the store, and let workers drain it."""
        self.both("delete", ADMIN)
        self.expect_nothing(READER)
        finish_job(self.server.deletion)

    def expect_nothing(self, caller: Caller) -> None:
        """Whoever reads a store that was deleted finds none (X2)."""
        for verb in ("list_documents", "list_versions", "list_refs", "list_moves"):
            assert self.both(verb, caller) == NOT_FOUND
        for verb in ("list_proposals", "export", "export_pages"):
            assert self.both(verb, caller) == NOT_FOUND
        for verb, what in (("read", "/a"), ("history", "/a"), ("blame", "/a"), ("search", "a")):
            assert self.both(verb, caller, what, 0) == NOT_FOUND
        assert self.both("diff", caller, 0, 0) == NOT_FOUND
        assert self.both("fork", caller, 0, f"late-{caller.name}") == NOT_FOUND
