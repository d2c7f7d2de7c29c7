"""
The versions that the suite is held against: `make matrix`, or one of them with `nox -s "floors"`.

Pythons that are not installed are skipped. `.ci/run` covers the newest world and the crewai one on one Python; this is the rest.
"""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "uv"
nox.options.reuse_existing_virtualenvs = True
nox.options.stop_on_first_error = False

DEV = ["hypothesis>=6.100", "langchain>=1.2", "pytest>=8.3", "pytest-asyncio>=0.25", "pytest-xdist>=3.6"]
EVERY = "langgraph,langsmith,judge,schema,cli"


def run(session: nox.Session) -> None:
    session.run("python", "-m", "pytest", "-n", "auto", "-q", "-p", "no:cacheprovider", *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13"])
def newest(session: nox.Session) -> None:
    """Today's version of everything, on each Python."""
    session.install("--upgrade", "-e", f".[{EVERY}]", *DEV)
    run(session)


@nox.session(python="3.11")
def floors(session: nox.Session) -> None:
    """The oldest versions that pyproject.toml allows of what it names itself."""
    session.install("--resolution", "lowest-direct", "-e", f".[{EVERY}]", *DEV)
    run(session)


@nox.session(python="3.11")
@nox.parametrize("crewai", ["1.11.1", "1.14.7", ""])
def crew(session: nox.Session, crewai: str) -> None:
    """CrewAI, with the older pydantic and openai that it pins."""
    session.install("-e", f".[crewai,{EVERY}]", f"crewai=={crewai}" if crewai else "crewai", *DEV)
    run(session)
