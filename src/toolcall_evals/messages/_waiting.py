"""Which call does a result answer, where its id alone does not say?"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .._model import InvocationDraft


class Waiting:
    """
    The calls of a conversation that have no result yet, found by id and by name, each look-up in constant time.

    Only built once a conversation needs it: ids that are reused, missing or unknown.
    """

    __slots__ = ("_gone", "_queues")

    def __init__(self, drafts: Iterable[InvocationDraft]) -> None:
        self._queues: dict[tuple[str | None, str | None], deque[InvocationDraft]] = {}
        self._gone: set[int] = set()
        for draft in drafts:
            self.add(draft)

    def add(self, draft: InvocationDraft) -> None:
        """One more call, after all others."""
        id = draft.id or ""
        for key in ((id, draft.name), (id, None), (None, draft.name), (None, None)):
            self._queues.setdefault(key, deque()).append(draft)

    def take(self, call_id: str | None, name: str | None) -> InvocationDraft | None:
        """
        The call that a result answers; None when there is none.

        An id goes before a name, a name before the order. A result whose id nobody asked under can only answer a call
        without one; a result without id answers calls without id first.
        """
        keys: list[tuple[str | None, str | None]]
        keys = [(call_id, name), (call_id, None), ("", name)] if call_id else [("", name), (None, name)]
        for key in keys:
            if (draft := self._first(key)) is not None:
                self._gone.add(id(draft))
                return draft
        return None

    def holds(self, call_id: str | None) -> bool:
        """Whether a call of this id is among them."""
        return self._first((call_id, None)) is not None

    def __contains__(self, draft: InvocationDraft) -> bool:
        return id(draft) not in self._gone

    def _first(self, key: tuple[str | None, str | None]) -> InvocationDraft | None:
        queue = self._queues.get(key)
        while queue:
            if id(queue[0]) not in self._gone:
                return queue[0]
            queue.popleft()
        return None
