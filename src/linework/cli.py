"""The command `linework`: parse, call, print.

Results go to stdout, everything else to stderr. What a user can put right ends in a sentence and
the exit code 1; a command that was typed wrongly in 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="linework",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def examples(*lines: str) -> str:
    r"""Lines below a help text, which `\b` keeps from being joined."""
    return "\b\nExamples:\n" + "\n".join(f"  linework {line}" for line in lines)


class Kind(StrEnum):
    """What is to be learned."""

    regression = "regression"
    classification = "classification"


class Policy(StrEnum):
    """What a missing value or an unseen level becomes."""

    error = "error"
    reference = "reference"
    indicator = "indicator"
    ignore = "ignore"


TableFile = Annotated[
    Path, typer.Argument(metavar="TABLE", help="A CSV or Parquet file.", show_default=False)
]
ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="A file that `linework fit` has written.", show_default=False
    ),
]
Delimiter = Annotated[
    str | None, typer.Option(help="Between the columns of a CSV file; detected otherwise.")
]
Encoding = Annotated[str | None, typer.Option(help="Of a CSV file; detected otherwise.")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names the columns."),
]
Json = Annotated[bool, typer.Option("--json", help="Results as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Results only.")]


def show_version(asked: bool) -> None:
    """Print the version and be done."""
    if asked:
        typer.echo(version("linework"))
        raise typer.Exit


@app.callback(
    epilog=examples(
        "demo",
        "fit houses.csv --target price",
        "predict model.lw new.csv -o out.csv",
        "explain model.lw",
    )
)
def linework(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True),
    ] = False,
) -> None:
    """Linear models of a table: fit one, use it, read it."""


@app.command(
    epilog=examples(
        "fit houses.csv --target price",
        "fit patients.csv -t outcome --drop id --metric auc -o outcome.lw",
        "fit loads.parquet -t load --models ridge,lasso --json > load.json",
    )
)
def fit(
    table: TableFile,
    target: Annotated[
        str,
        typer.Option(
            "--target", "-t", metavar="COLUMN", help="The column to predict.", show_default=False
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the model is written.")
    ] = Path("model.lw"),
    task: Annotated[
        Kind | None, typer.Option(help="What to learn; the target's values decide otherwise.")
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to leave out; may be repeated."),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            help="Of linear, ridge, lasso; or of logistic, lda, qda; with commas between. "
            "All, if left out."
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="What chooses: r2, rmse, mae; or log_loss, accuracy, balanced_accuracy, auc. "
            "The first, if left out."
        ),
    ] = None,
    folds: Annotated[int, typer.Option(help="Of the cross-validation.")] = 5,
    seed: Annotated[int, typer.Option(help="Of the folds.", min=0)] = 0,
    missing: Annotated[
        Policy, typer.Option(help="A gap, when predicting, in a column without any now.")
    ] = Policy.error,
    unseen: Annotated[
        Policy, typer.Option(help="A level, when predicting, that is not there now.")
    ] = Policy.error,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    header: Header = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Choose the best of a few models for a table."""
    with sentences():
        run_fit(
            table,
            target,
            output,
            quiet=quiet,
            as_json=as_json,
            layout={"delimiter": delimiter, "encoding": encoding, "header": header},
            kind=task and task.value,
            drop=drop or (),
            models=models and [name.strip() for name in models.split(",")],
            metric=metric,
            folds=folds,
            seed=seed,
            missing=missing.value,
            unseen=unseen.value,
        )


@app.command(
    epilog=examples(
        "predict model.lw new.csv -o predicted.csv",
        "predict model.lw new.csv --keep id,name > predicted.csv",
    )
)
def predict(
    model: ModelFile,
    table: TableFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A CSV or .parquet file; stdout, if left out.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(help="Columns to keep, with commas between; all, if left out, '' for none."),
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    header: Header = None,
    quiet: Quiet = False,
) -> None:
    """Predict the target for another table."""
    with sentences():
        from linework.app import model as files
        from linework.app import predicting
        from linework.app.reading import read_table

        pipeline = files.read(model)
        rows, _ = read_table(table, delimiter=delimiter, encoding=encoding, header=header)
        kept = None if keep is None else [name.strip() for name in keep.split(",") if name.strip()]
        out = predicting.predict(pipeline, rows, kept)
        predicting.write_table(out, output)
        if output is not None and not quiet:
            say(f"Wrote {out.num_rows:,} predictions to {output}.")


@app.command(epilog=examples("explain model.lw"))
def explain(model: ModelFile, as_json: Json = False) -> None:
    """Print what a model is and how good."""
    with sentences():
        from linework.app import model as files
        from linework.app import texts

        pipeline = files.read(model)
        found = files.coefficients(pipeline)
        if as_json:
            show_json({**pipeline.card_.as_dict(), "coefficients": found})
            return
        show(texts.card(pipeline.card_))
        typer.echo()
        show(texts.coefficients(found, limit=len(found)))


@app.command(epilog=examples("demo", "demo diamonds"))
def demo(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="penguins, breast_cancer, diabetes or diamonds.")
    ] = "penguins",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run `fit` on a small table that comes along."""
    with sentences():
        from linework.app.demo import TABLES, demo_table

        table = demo_table(name)
        if not quiet:
            say(f"{table.name}: {table.about}", bold=True)
            say(f"{table.origin}")
            say(f"$ linework fit {table.name}.csv --target {table.target}\n")
        run_fit(table.path, table.target, None, quiet=quiet, as_json=as_json, layout={})
        if not quiet:
            others = ", ".join(other.name for other in TABLES if other.name != name)
            say(f"\nOther tables: {others}. Your own: linework fit TABLE --target COLUMN")


def run_fit(
    path: Path,
    target: str,
    output: Path | None,
    *,
    quiet: bool,
    as_json: bool,
    layout: dict[str, Any],
    **settings: Any,
) -> None:
    """`linework fit`, with its results printed."""
    from linework.app import texts
    from linework.app.model import coefficients
    from linework.app.reading import read_table
    from linework.app.steps import fit_table

    heard = (lambda line: None) if quiet else (lambda line: say(f"  {line}"))
    rows, how = read_table(path, **layout)
    if not quiet:
        say(f"{path.name}: {how}", bold=True)
    found = fit_table(rows, target, output=output, say=heard, **settings)
    numbers = coefficients(found.pipeline)
    if as_json:
        show_json(
            {
                "findings": found.findings.as_dict(),
                "leaderboard": found.board.as_dict(),
                "coefficients": numbers,
                "model_file": None if output is None else str(output),
            }
        )
    else:
        if not quiet:
            say("")
        show(texts.leaderboard(found.board))
        typer.echo()
        show(texts.coefficients(numbers))
    if output is not None and not quiet:
        say(f"\nWrote {output}.")


@contextmanager
def sentences() -> Iterator[None]:
    """End what a user can put right in a sentence on stderr and the exit code 1."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has read enough
        sys.stderr.close()
        raise typer.Exit(0) from None
    except KeyboardInterrupt:
        say("Interrupted.")
        raise typer.Exit(130) from None
    except (ValueError, ArithmeticError, OSError, MemoryError, NotImplementedError) as error:
        say(f"linework: {str(error) or type(error).__name__}", red=True)
        raise typer.Exit(1) from None


def say(line: str, *, bold: bool = False, red: bool = False) -> None:
    """A line for the person, on stderr."""
    typer.secho(line, err=True, bold=bold or None, fg="red" if red else None)


def show(lines: Iterator[str]) -> None:
    """Lines of a result, on stdout."""
    for line in lines:
        typer.echo(line)


def show_json(found: Any) -> None:
    """A result as JSON, on stdout."""
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
