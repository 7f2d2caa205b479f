"""`querykin train tweak`: trained term weights (TWEAK, Yih 2009)."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.evaluate import ColumnsOption, RelevantOption, WhereOption
from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    InfoFormatOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)
from querykin.counted_nouns import counted

if TYPE_CHECKING:
    from querykin.model_files import Model


def tweak(
    file: Annotated[
        str,
        typer.Argument(
            help="Judged pairs: TSV, CSV or JSONL with query, candidate, grade, optionally group; with "
            "--pages query, grade and html, file, url, title, text, description or keywords; '-' is stdin."
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", help="Name of the model. Default: tweak; with --pages landing-pages.")
    ] = "",
    loss: Annotated[
        str, typer.Option("--loss", help="sse, log or preference. Default: preference; log with --pages.")
    ] = "",
    features: Annotated[
        str,
        typer.Option("--features", help="tf-df, plain, more, html or html-more. Default: the best of them."),
    ] = "",
    results: Annotated[
        int,
        typer.Option("--results", min=1, max=200, help="Number of retrieved documents that expand a text."),
    ] = 30,
    pages: Annotated[bool, typer.Option("--pages", help="Candidates are landing pages.")] = False,
    precision: Annotated[
        float | None,
        typer.Option(
            "--precision", help="With --pages: learn a threshold with this precision of the kept pages."
        ),
    ] = None,
    recall: Annotated[
        float | None,
        typer.Option("--recall", help="With --pages: learn a threshold that keeps this share of good pages."),
    ] = None,
    relevant: RelevantOption = None,
    columns: ColumnsOption = "",
    where: WhereOption = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Random seed for sampling preferences and groups.")
    ] = 0,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Train term weights on judged pairs; the result is a new measure."""
    from querykin.learning.tweak.training import TweakTask, train_tweak

    check_format(format, "text", "json")
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    task = TweakTask(
        file,
        name,
        loss,
        features,
        results,
        pages,
        precision,
        recall,
        relevant,
        columns,
        where or (),
        seed,
        progress,
    )
    model = train_tweak(opened, task)
    typer.echo(_trained_text(model) if format == "text" else json.dumps(asdict(model), ensure_ascii=False))


def _trained_text(model: "Model") -> str:
    """The feature weights with their meanings, and the results on held-out groups."""
    from querykin.learning.tweak.term_weights import MEANINGS

    content, facts = model.content, model.training
    lines = [
        f"{counted(facts['pairs'], 'pair')} in {counted(facts['groups'], 'group')}, "
        f"{counted(facts['covered'], 'pair')} covered; "
        f"loss {content['loss']}, alpha {content['alpha']:g}, "
        f"{content['development']:.1%} of the preferences of held-out groups ordered correctly",
        "",
        f"{'weight':>9}  feature of a term",
    ]
    for feature, weight in zip(content["features"], content["weights"], strict=True):
        lines.append(f"{weight:>9.4f}  {feature}: {MEANINGS[feature]}")
    if "threshold" in content:
        report = facts["report"]
        lines += [
            "",
            f"threshold {content['threshold']:.4f}: keeps {report['kept']:.1%} of held-out pages, with "
            f"precision {report['precision']:.1%} and recall {report['recall']:.1%}",
        ]
    if content.get("threshold") == 0:
        lines.append(
            "a threshold of 0 keeps every page with a score: judge more pages, or increase --precision"
        )
    lines += ["", f"saved as {model.name!r}; next: {_next_command(model)}"]
    return "\n".join(lines)


def _next_command(model: "Model") -> str:
    if "pages" in model.training:
        option = "" if "threshold" in model.content else " --threshold T, or train with --recall 0.95"
        return f"querykin filter FILE --model {model.name}{option}"
    return f"querykin similarity A B --measure {model.name}"
