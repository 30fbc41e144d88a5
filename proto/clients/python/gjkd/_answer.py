"""Answers and refusals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._http import Reply


class Answer(dict[str, Any]):
    """An answer's JSON document; empty for answers without one: 204, HEAD, and 304 (not changed)."""

    def __init__(self, document: Mapping[str, Any], status: int, headers: Mapping[str, str]) -> None:
        super().__init__(document)
        self.status, self.headers = status, headers

    @property
    def etag(self) -> str | None:
        """The entity tag, for if_match and if_none_match."""
        return self.headers.get("etag")


class Problem(Exception):
    """A refusal (RFC 9457). A refused write has changed nothing, unless the status is 504."""

    def __init__(self, status: int, document: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.status, self.document, self.headers = status, document, headers
        self.code: str = document.get("code", "")
        self.title: str = document.get("title", "")
        self.detail: str = document.get("detail", "")
        self.hint: str | None = document.get("hint")
        self.limit: Any = document.get("limit")
        self.errors: list[dict[str, Any]] = document.get("errors", [])
        self.pointer: str | None = self.errors[0]["pointer"] if self.errors else None
        self.etag = headers.get("etag")
        place = f" at {self.pointer}" if self.pointer else ""
        hint = f" ({self.hint})" if self.hint else ""
        super().__init__(f"{status} {self.code}{place}: {self.detail or self.title}{hint}")

    @classmethod
    def of(cls, reply: Reply) -> Problem:
        try:
            document = json.loads(bytes(reply.body) or b"{}")
        except ValueError:  # a proxy's page
            document = {}
        if not isinstance(document, dict):
            document = {}
        return cls(reply.status, {"detail": f"the answer is {reply.status}"} | document, reply.headers)
