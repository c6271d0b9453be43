"""Documents: writing, reading, listing and blaming them."""

from typing import Any
from urllib.parse import quote

from tests.oracle.treehash import content_hash
from tests.oracle.values import (
    BlamedLine,
    Caller,
    ChangeSet,
    Listed,
    Operation,
    Outcome,
    Put,
    Reading,
    Written,
)
from tests.properties.product.provenance import live_provenance
from tests.properties.product.requests import (
    Requests,
    body_of,
    is_replay,
    moment,
    spell_operation,
    spell_text,
    why_gone,
)


class Documents(Requests):
    """The documents of one store."""

    def change_set(self, caller: Caller, request: ChangeSet, key: str) -> Outcome:
        body = {
            "ref": self.spell_ref(request.ref),
            "base_version": self.version(request.base),
            "operations": [spell_operation(operation) for operation in request.operations],
            "message": request.message,
        }
        done = body_of(self.api(caller).post(self.url("change-sets"), body, key=key))
        version = self.versions.hear(done["version"]) if done["version"] else None
        assert done["unchanged"] == (version is None)
        assert request.base is not None
        return Outcome(
            version,
            request.base,
            tuple(done["changed_paths"]),
            done["tree_hash"],
            done["replayed"],
        )

    def write_document(self, caller: Caller, operation: Operation, key: str | None) -> Written:
        address = f"{self.url('document')}?path={quote(operation.path)}"
        precondition = {"If_None_Match": "*"}
        if operation.expected is not None:
            precondition = {"If_Match": f'"{operation.expected}"'}
        api = self.api(caller)
        if isinstance(operation, Put):
            answer = api.put(address, spell_text(operation), key=key, **precondition)
        else:
            answer = api.delete(address, key=key, **precondition)
        done = body_of(answer)
        at = self.versions.hear(done["version"])
        return Written(at, done.get("unchanged", False), is_replay(answer))

    def read(self, caller: Caller, path: str, version: int | None = None) -> Reading:
        body = self.get(caller, "document", path=path, version=self.version(version))
        assert body["content_sha256"] == content_hash(body["content"])
        assert body["bytes"] == len(body["content"].encode())
        return Reading(
            self.versions.number(body["version"]),
            body["content"],
            body["media_type"],
            moment(body["expires_at"]),
            live_provenance(body["provenance"]),
        )

    def list_documents(
        self, caller: Caller, version: int | None = None, prefix: str = "/", limit: int = 200
    ) -> tuple[Listed, ...]:
        exact = self.version(version)
        rows = self.rows(caller, "documents", limit, version=exact, prefix=prefix)
        return tuple(self._listed(row) for row in rows)

    def _listed(self, row: Any) -> Listed:
        return Listed(
            row["path"],
            row["content_sha256"],
            row["media_type"],
            row["bytes"],
            self.versions.number(row["introduced_version"]),
            moment(row["expires_at"]),
            why_gone(row["erased"]),
        )

    def blame(
        self, caller: Caller, path: str, version: int | None = None
    ) -> tuple[BlamedLine, ...]:
        body = self.get(caller, "blame", path=path, version=self.version(version))
        lines: list[BlamedLine] = []
        for row in body["data"]:
            assert row["start"] == len(lines) + 1
            one = BlamedLine(self.versions.number(row["version"]), row["path"], row["unknown"])
            lines += [one] * (row["end"] - row["start"] + 1)
        return tuple(lines)
