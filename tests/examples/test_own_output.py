from __future__ import annotations

from pathlib import Path

from examples.own_output import write_csv

from toolcall_evals.results import ResultRow


def test_rows_become_lines_and_formulas_stay_text(tmp_path: Path) -> None:
    rows = [
        ResultRow("a", "called_tool:x", 1.0, "scored", 'called "x", once'),
        ResultRow("=HYPERLINK()", "called_tool:x", None, "could_not_score", "no record"),
    ]
    assert write_csv(tmp_path / "results.csv", rows) == 2
    assert (tmp_path / "results.csv").read_text(encoding="utf-8").splitlines() == [
        "id,key,score,status,comment",
        'a,called_tool:x,1.0,scored,"called ""x"", once"',
        "'=HYPERLINK(),called_tool:x,,could_not_score,no record",
    ]
