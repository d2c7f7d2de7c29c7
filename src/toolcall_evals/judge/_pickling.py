"""What an evaluator that is sent to another process takes along of its judge."""

from __future__ import annotations

import pickle
from typing import Any

from .._errors import NotPicklable


def pickled(state: dict[str, Any], judge: Any, instead: str) -> dict[str, Any]:
    """
    The state of a client, if its judge can be pickled.

    Raises:
        NotPicklable: It cannot; the message says what to give instead.
    """
    try:
        pickle.dumps(judge)
    except Exception as error:
        kind = f"{type(judge).__module__}.{type(judge).__qualname__}"
        raise NotPicklable(
            f"an evaluator whose judge is a {kind} cannot be pickled ({error}); to use it in other processes, build it with {instead}"[:500]
        ) from error
    return state
