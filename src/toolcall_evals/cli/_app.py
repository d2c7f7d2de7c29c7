"""The commands and their options."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from .._errors import ToolcallEvalsError
from ._options import plan_of, thresholds_of

app = typer.Typer(
    help="Did the agents call the right tools? Scores stored runs, shows one, converts them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FAILED, COULD_NOT, STOPPED = 1, 2, 130

Paths = Annotated[list[str], typer.Argument(help="Files, folders or patterns of traces: JSON, JSON lines (.gz, .zst), Parquet.")]
Adapter = Annotated[str | None, typer.Option(help="Read every row as a trace of this framework: langgraph or crewai.")]
Form = Annotated[str | None, typer.Option(help="What was recorded, where that cannot be seen, such as stream_updates.")]
Turns = Annotated[str, typer.Option(help="Which turn of a conversation is scored: all, last, or a number from 0, negative from the end.")]
TraceField = Annotated[str | None, typer.Option(help="The field of a row that holds the trace; dots lead into objects.")]
IdField = Annotated[str | None, typer.Option(help="The field that holds the row's id.")]
Where = Annotated[list[str], typer.Option(help="Only rows of which this holds: FIELD=VALUE, or != > >= < <= ~ (contains).")]
Errors = Annotated[
    Path | None,
    typer.Option(help="Where unreadable rows are listed (errors.jsonl beside --out; OUT.errors.jsonl where that is another's)."),
]
Limit = Annotated[int | None, typer.Option(min=0, help="The most rows to take.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        typer.echo(f"toolcall-evals {__version__}")
        raise typer.Exit


@app.command()
def score(
    paths: Paths,
    evals: Annotated[str, typer.Option(help="Where the evaluators are: evals.py:NAME, package.module:NAME or a TOML file.")],
    trace_field: TraceField = None,
    id_field: IdField = None,
    reference_field: Annotated[str | None, typer.Option(help="The field that holds what was expected (reference_outputs).")] = None,
    adapter: Adapter = None,
    form: Form = None,
    turns: Turns = "all",
    where: Where = [],  # noqa: B006 - typer copies it
    sample: Annotated[float, typer.Option(help="The share of rows to take, the same ones each time.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Takes another sample.")] = 0,
    limit: Limit = None,
    out: Annotated[Path | None, typer.Option(help="Where the scores go: .parquet or .jsonl.")] = None,
    errors: Errors = None,
    explain: Annotated[bool, typer.Option(help="Write comments and details, not scores and statuses alone.")] = True,
    report: Annotated[Path | None, typer.Option(help="Write a report: one HTML file that needs nothing else.")] = None,
    gate: Annotated[list[str], typer.Option(help="A key that must be 1 on every row.")] = [],  # noqa: B006 - as above
    threshold: Annotated[list[str], typer.Option(help="KEY=LEAST or KEY=LEAST..MOST: what a key's mean must reach.")] = [],  # noqa: B006
    allow_unscored: Annotated[bool, typer.Option(help="Let what could not be scored or read pass gates and thresholds.")] = False,
    junit: Annotated[Path | None, typer.Option(help="Write the verdict as JUnit XML.")] = None,
    summary: Annotated[Path | None, typer.Option(help="Write the verdict as Markdown.")] = None,
    engine: Annotated[str, typer.Option(help="local, or ray for a Ray cluster.")] = "local",
    workers: Annotated[int, typer.Option(min=1, help="How many processes.")] = 1,
    row_timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="List a row that takes longer as unreadable; rows are scored in processes then.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that did not end; of one that did, say it again.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that is there.")] = False,
    quiet: Quiet = False,
) -> None:
    """
    Score stored runs.

    Rows are counted from 0 in each file, blank lines too: `row` in --out and errors.jsonl, and --row of show, are the same number.

    Exit code 0: every gate and threshold holds. 1: one does not. 2: it could not be run.
    """
    from ._score import Asked, scored

    fields, selected = (trace_field, id_field, reference_field), (where, sample, seed, limit)
    plan = plan_of(evals, fields, (adapter, form, turns), selected, explain, report is not None)
    plan = replace(plan, row_timeout_s=row_timeout)
    asked = Asked(gate, thresholds_of(threshold), allow_unscored, report, junit, summary)
    options = {"errors": errors, "engine": engine, "workers": workers, "resume": resume, "overwrite": overwrite}
    try:
        verdict = scored(paths, plan, out, asked, quiet=quiet, **options)
    except KeyboardInterrupt as stopped:
        done = "; what is done is kept beside --out, and --resume goes on with it" if out is not None else ""
        typer.echo(f"stopped{done}", err=True)
        raise typer.Exit(STOPPED) from stopped
    if verdict != "passed":
        raise typer.Exit(FAILED)


@app.command()
def show(
    trace: Annotated[str, typer.Argument(help="A file with the trace; - reads standard input.")],
    row: Annotated[int, typer.Option(min=0, help="Which row (of JSON lines: which line) of the file, from 0.")] = 0,
    trace_field: TraceField = None,
    adapter: Adapter = None,
    form: Form = None,
    turns: Turns = "all",
    json: Annotated[bool, typer.Option("--json", help="The run in our model, as JSON, instead of a timeline.")] = False,
    width: Annotated[int | None, typer.Option(min=40, help="Columns of the timeline (those of the terminal).")] = None,
) -> None:
    """Show one run as a timeline: the request, each call with arguments, status and result, the answer."""
    from ._show import shown

    typer.echo(shown(trace, row, trace_field, (adapter, form, turns), as_json=json, width=width))


@app.command()
def convert(
    paths: Paths,
    out: Annotated[Path, typer.Option(help="Where the runs go, as JSON lines.")],
    trace_field: TraceField = None,
    id_field: IdField = None,
    adapter: Adapter = None,
    form: Form = None,
    turns: Turns = "all",
    where: Where = [],  # noqa: B006 - as above
    limit: Limit = None,
    errors: Errors = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that is there.")] = False,
) -> None:
    """Write runs in our model as JSON lines, which every command and `to_trajectory` read back."""
    from ._convert import converted

    plan = plan_of(None, (trace_field, id_field, None), (adapter, form, turns), (where, 1.0, 0, limit), False, False)
    typer.echo(converted(paths, plan, out, errors, overwrite=overwrite))


def run(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments, those of the process unless told otherwise; returns the exit code."""
    command: Any = typer.main.get_command(app)
    try:
        command.main(arguments, prog_name="toolcall-evals")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else COULD_NOT if end.code else 0
    except (ToolcallEvalsError, OSError) as error:
        sys.stderr.write(f"error: {_printable(str(error))}\n")
        return COULD_NOT
    return 0


def _printable(text: str) -> str:
    return "".join([character if character.isprintable() or character == "\n" else "?" for character in text])
