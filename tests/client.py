"""A small client of the API for tests: the dated header, the key and JSON, said once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson
from django.test import Client

from wire import headers
from wire.ids import new_id

VERSION = "2026-08-27"


@dataclass(frozen=True)
class Answer:
    """What the API answered."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        """The JSON body, or None when there is none."""
        return orjson.loads(self.content) if self.content else None

    @property
    def error(self) -> str:
        """The error's type; fails the test when this is no error."""
        assert self.status >= 400, (self.status, self.body)
        return str(self.body["error"]["type"])

    @property
    def message(self) -> str:
        """The error's sentence."""
        return str(self.body["error"]["message"])

    def ok(self, status: int = 200) -> Any:
        """The body of a success; fails the test when the status is another."""
        assert self.status == status, (self.status, self.body)
        return self.body


class Api:
    """Speaks to the API with one key. Further headers are keywords: `If_Match='"sha256:…"'`.

    >>> Api(secret).post("/v1/agents", {"name": "Helper"}).ok(201)["id"]
    """

    def __init__(
        self, secret: str | None = None, *, acting: str | None = None, version: str | None = VERSION
    ) -> None:
        self.http = Client(raise_request_exception=False)
        self.headers: dict[str, str] = {}
        if secret:
            self.headers["Authorization"] = f"Bearer {secret}"
        if version:
            self.headers[headers.VERSION] = version
        if acting:
            self.headers[headers.ACTING_PRINCIPAL] = acting

    def get(self, path: str, query: Any = None, **more: str) -> Answer:
        return self.request("GET", path, query=query, more=more)

    def post(self, path: str, body: Any = None, *, key: str | None = "", **more: str) -> Answer:
        """Send a body. `key` is the Idempotency-Key: a fresh one unless given, None for none."""
        return self._write("POST", path, body, key, more)

    def put(self, path: str, body: Any = None, *, key: str | None = "", **more: str) -> Answer:
        return self._write("PUT", path, body, key, more)

    def patch(self, path: str, body: Any = None, *, key: str | None = "", **more: str) -> Answer:
        return self._write("PATCH", path, body, key, more)

    def delete(self, path: str, *, key: str | None = "", **more: str) -> Answer:
        return self._write("DELETE", path, None, key, more)

    def request(
        self,
        method: str,
        path: str,
        *,
        raw: bytes = b"",
        content_type: str = "application/json",
        query: Any = None,
        more: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send exactly these bytes, with `more` headers (`_` in a name stands for `-`)."""
        given = {name.replace("_", "-"): value for name, value in (more or {}).items()}
        response = self.http.generic(
            method,
            path,
            raw,
            content_type=content_type if raw else "",
            headers=self.headers | given,
            query_params=query,
        )
        content = response.getvalue() if response.streaming else response.content
        return Answer(response.status_code, dict(response.headers), content)

    def pages(self, path: str, query: dict[str, Any] | None = None) -> list[Any]:
        """All rows of a list, page by page."""
        rows: list[Any] = []
        page: str | None = None
        while True:
            more = {"page": page} if page else {}
            found = self.get(path, {**(query or {}), **more}).ok()
            rows += found["data"]
            page = found["next_page"]
            if page is None:
                return rows

    def _write(
        self, method: str, path: str, body: Any, key: str | None, more: dict[str, str]
    ) -> Answer:
        given = dict(more)
        if key is not None:
            given[headers.IDEMPOTENCY_KEY] = key or f"test-{uuid4()}"
        raw = b"" if body is None else orjson.dumps(body)
        return self.request(method, path, raw=raw, more=given)


def random_id(kind: str) -> str:
    """An ID of `kind` that nothing has."""
    return new_id(kind)
