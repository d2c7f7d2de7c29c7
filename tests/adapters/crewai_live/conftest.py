"""crewai takes 8 to 15 s to import: once for all tests in this folder, and only when one of them runs."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from toolcall_evals_crewai import quiet_offline


@pytest.fixture(scope="session")
def crews(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module that builds crews; skips where crewai is not installed."""
    if importlib.util.find_spec("crewai") is None:
        pytest.skip("crewai is not installed")
    if "crewai" not in sys.modules:
        quiet_offline(storage=tmp_path_factory.mktemp("crewai"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of what crewai imports is deprecated
        return import_module("adapters.crewai_live.scripted_crews")


@pytest.fixture
def handlers(crews: Any) -> Iterator[Any]:
    """Fails a test that leaves a handler on the event bus."""
    before = crews.handler_count()
    yield
    assert crews.handler_count() == before
