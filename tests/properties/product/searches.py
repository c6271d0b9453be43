"""Search: one question page by page, always in the same order."""

from collections import defaultdict
from typing import Any

from tests.oracle.values import Caller, Found
from tests.properties.product.requests import Requests, body_of


class Searches(Requests):
    """The search of one store.

    Attributes:
        ranks: for each question, the order in which its results were told.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.ranks: dict[Any, list[str]] = defaultdict(list)

    def search(
        self,
        caller: Caller,
        query: str,
        version: int | None = None,
        prefix: str = "/",
        limit: int = 100,
    ) -> Found:
        asked: dict[str, Any] = {"query": query, "path_prefix": prefix, "limit": limit}
        body = self._search(caller, version=self.version(version), **asked)
        results = body["results"]
        while body["next_cursor"] is not None:
            assert len(body["results"]) == limit
            more = {"version": body["version"], "cursor": body["next_cursor"]}
            body = self._search(caller, **more, **asked)
            assert body["results"]
            results += body["results"]
        _is_in_order(results)
        number = self.versions.number(body["version"])
        self._compare_ranks((number, query, prefix), [row["path"] for row in results])
        return Found(number, frozenset((row["path"], row["content_sha256"]) for row in results))

    def _search(self, caller: Caller, **asked: Any) -> Any:
        given = {name: value for name, value in asked.items() if value is not None}
        body = body_of(self.api(caller).post(self.url("search"), given, key=None))
        assert len(body["results"]) <= given["limit"]
        return body

    def _compare_ranks(self, question: Any, paths: list[str]) -> None:
        """What is found again stands as it stood, whatever was written since."""
        before = self.ranks[question]
        assert [path for path in before if path in paths] == [
            path for path in paths if path in before
        ]
        self.ranks[question] = paths


def _is_in_order(results: list[Any]) -> None:
    """The higher score first, then by the bytes of the path; nothing twice."""
    ranks = [(-row["score"], row["path"].encode()) for row in results]
    assert ranks == sorted(set(ranks))
