"""The environment in which CrewAI stays on this machine."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

SETTINGS: Mapping[str, str] = {
    "CREWAI_DISABLE_TELEMETRY": "true",  # else look-ups of the telemetry host, and about 10 s at process exit
    "CREWAI_TRACING_ENABLED": "false",  # else a first-run trace, or on a terminal a question with 20 s to answer
    "CREWAI_DISABLE_VERSION_CHECK": "true",  # else verbose runs ask the package index
    "CREWAI_TESTING": "true",  # else a record of every run for a later upload
}
"""What `quiet_offline` sets, measured with crewai 1.15.30."""


def quiet_offline(storage: str | Path | None = None) -> None:
    """
    Keep CrewAI silent and on this machine: no telemetry, no trace upload, no version check. Call it before `import crewai`.

    ```python
    from toolcall_evals_crewai import quiet_offline

    quiet_offline()
    import crewai
    ```

    Args:
        storage: The folder for CrewAI's own files (task outputs, the user file), created if need be. A folder that another
            version of crewai has written to can break `akickoff` (crewai 1.15). None leaves CrewAI's choice, or `CREWAI_STORAGE_DIR`.

    Warns:
        UserWarning: crewai is imported already and was not told all of this: it reads some of it only once.
    """
    settings = dict(SETTINGS)
    if storage is not None:
        Path(storage).mkdir(parents=True, exist_ok=True)
        settings["CREWAI_STORAGE_DIR"] = str(Path(storage).resolve())
    late = sorted(name for name, value in settings.items() if os.environ.get(name) != value)
    os.environ.update(settings)
    if late and "crewai" in sys.modules:
        warnings.warn(f"crewai was imported before {', '.join(late)} was set; call quiet_offline() first", UserWarning, stacklevel=2)
