"""The command `toolcall-evals`: score stored runs, show one, convert them. Needs the extra `cli`."""

from __future__ import annotations

import sys


def main() -> None:
    """
    Run the command.

    The exit code is 0 when every gate and threshold holds (or none was asked for), 1 when one does not, 2 when it could not run.
    """
    try:
        from ._app import run
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] == "toolcall_evals":
            raise
        sys.stderr.write(f"toolcall-evals needs {error.name}: install toolcall-evals with its extra 'cli'\n")
        sys.exit(2)
    sys.exit(run())
