"""
The README's pictures, made anew: what `make demo` prints, and the report of its runs. `make pictures` runs this.

The report is photographed by Chromium (Debian's package), without which its pictures stay as they are.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
EVALS = """
from toolcall_evals import checks, scorers

EVALUATORS = [
    checks.called_tool(),
    checks.tool_order(),
    checks.max_tool_calls(),
    checks.no_tool_errors(),
    checks.arguments_grounded(),
    checks.similarity(),
    scorers.tool_calls_match(),
]
"""


def terminal() -> None:
    """`make demo` as an SVG, on a ground of its own, readable on light pages and dark ones."""
    command = [sys.executable, "examples/weather_agent.py"]
    wide = {**os.environ, "COLUMNS": "100"}
    shown = subprocess.run(command, cwd=ROOT, env=wide, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    text = Text("$ make demo\n", style="bold") + Text(shown[: shown.index("\nWhere to look next")].rstrip())
    text.highlight_regex(r"(?<=  )(\d+) of \1(?=\s)|\[success\]", "green")
    text.highlight_regex(r"no score(?=  called)|(?<=  )0 of \d+|0, expected 1|\d+ of \d+ checks failed", "red")
    console = Console(width=100, record=True, file=io.StringIO(), force_terminal=True)
    console.print(text, highlight=False)
    picture = console.export_svg(title="toolcall-evals", unique_id="demo")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # else a viewer may fetch the font
    (IMAGES / "demo.svg").write_text("\n".join(line.rstrip() for line in picture.splitlines()) + "\n", encoding="utf-8")


def report() -> None:
    """The report of the demo's runs, in light and in dark."""
    sys.path.insert(0, str(ROOT))
    from examples.weather_agent import QUESTIONS, weather_agent

    from toolcall_evals import to_trajectory

    chromium = shutil.which("chromium")
    if chromium is None:
        print("chromium is not installed: the pictures of the report stay as they are")
        return
    agent = weather_agent()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        rows = []
        for question, answers, expected in QUESTIONS:
            if not any(isinstance(answer, Exception) for answer in answers):
                run = to_trajectory(agent.invoke({"messages": [("user", question)]}))
                calls = [{"name": name} for name in expected["expected_tool_order"]]
                rows.append({"id": question, "trace": run.to_dict(), "reference_outputs": {**expected, "tool_calls": calls}})
        (place / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        (place / "evals.py").write_text(EVALS, encoding="utf-8")
        options = ["--trace-field", "trace", "--id-field", "id", "--quiet", "--threshold", "called_tool=0.9"]
        command = [sys.executable, "-m", "toolcall_evals.cli", "score", "runs.jsonl", "--evals", "evals.py", "--report", "report.html"]
        scored = subprocess.run([*command, *options], cwd=place, capture_output=True, text=True, check=False)
        if not (place / "report.html").is_file():
            sys.exit(scored.stdout + scored.stderr)
        for name, scheme in (("report_light", "1"), ("report_night", "0")):
            photograph(chromium, place, IMAGES / f"{name}.png", scheme)


def photograph(chromium: str, place: Path, picture: Path, scheme: str) -> None:
    """One picture of the report, in Chromium's dark (0) or light (1) scheme."""
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking"]
    size = ["--window-size=1080,760", f"--user-data-dir={place / 'profile'}", f"--blink-settings=preferredColorScheme={scheme}"]
    command = [chromium, *quiet, *size, f"--screenshot={picture}", (place / "report.html").as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    terminal()
    report()
    for name in ("demo.svg", "report_light.png", "report_night.png"):
        print(f"{name}: {(IMAGES / name).stat().st_size // 1024} KB")
