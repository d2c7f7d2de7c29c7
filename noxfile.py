"""
The versions that the suite is held against: `make matrix`, or one of them with `make matrix ARGS='-s floors'`.

`.ci/run` covers the newest world and the crewai one on one Python; this is the rest. Each session leaves its counts in `build/matrix` and
makes `docs/quality/matrix.json` of all that lie there. uv fetches the Pythons that are not installed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv"
nox.options.reuse_existing_virtualenvs = True
nox.options.stop_on_first_error = False

ROOT = Path(__file__).resolve().parent
EVERY = "langgraph,langsmith,judge,schema,cli"
GROUPS = nox.project.load_toml(ROOT / "pyproject.toml")["dependency-groups"]
TESTED_WITH = [each for each in GROUPS["dev"] if not each.startswith(("toolcall-evals", "mypy", "ruff"))]


def run(session: nox.Session, name: str) -> None:
    """Run the suite and count what came of it; a session that fails is counted too."""
    results = ROOT / "build" / "matrix" / f"{name}-{session.python}.xml"
    results.unlink(missing_ok=True)
    results.with_suffix(".json").unlink(missing_ok=True)
    tests = ["python", "-m", "pytest", "-n", "auto", "-q", "-p", "no:cacheprovider", f"--junitxml={results}"]
    session.run(*tests, *session.posargs, success_codes=[0, 1])
    with session.chdir(ROOT):
        session.run("python", "-m", "tests.quality.matrix_table", name, str(results), *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13"])
def newest(session: nox.Session) -> None:
    """Today's version of everything, on each Python."""
    session.install("--upgrade", "-e", f".[{EVERY}]", *TESTED_WITH)
    run(session, "newest")


@nox.session(python=["3.11"])
def floors(session: nox.Session) -> None:
    """The oldest versions that pyproject.toml allows of what it names itself."""
    session.install("--resolution", "lowest-direct", "--upgrade", "-e", f".[{EVERY}]", *TESTED_WITH)
    run(session, "floors")


@nox.session(python=["3.11"])
@nox.parametrize("crewai", [nox.param("==1.11.0", id="1.11.0"), nox.param("==1.14.7", id="1.14.7"), nox.param("", id="newest")])
def crew(session: nox.Session, crewai: str) -> None:
    """CrewAI, with the older pydantic and openai that it pins."""
    session.install("--upgrade", "-e", f".[crewai,{EVERY}]", f"crewai{crewai}", *TESTED_WITH)
    run(session, f"crewai {crewai.removeprefix('==') or 'newest'}")


@nox.session(python=["3.11"])
def installed(session: nox.Session) -> None:
    """The wheel, with the tests of the sdist and without `src` and `adapters`."""
    with tempfile.TemporaryDirectory() as folder:
        session.run("uv", "build", "--quiet", "--out-dir", folder, external=True)
        (wheel,), (sdist,) = Path(folder).glob("*.whl"), Path(folder).glob("*.tar.gz")
        fresh = ["--upgrade", "--reinstall-package", "toolcall-evals"]
        session.install(*fresh, f"toolcall-evals[{EVERY}] @ {wheel.as_uri()}", *TESTED_WITH)
        shutil.unpack_archive(sdist, folder, filter="data")
        unpacked = Path(folder) / sdist.name.removesuffix(".tar.gz")
        for sources in ("src", "adapters"):
            shutil.rmtree(unpacked / sources)
        with session.chdir(unpacked):
            run(session, "installed")
