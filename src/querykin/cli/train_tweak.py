"""Learn how much terms weigh: `querykin train tweak`."""

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

if TYPE_CHECKING:
    from querykin.learning.model_files import Model


def tweak(
    file: Annotated[
        str,
        typer.Argument(
            help="Judged pairs: TSV, CSV or JSONL with query, candidate, grade and perhaps group; with "
            "--pages query, grade and html, file, url, title, text, description or keywords; '-' is stdin."
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", help="What it is called. Default: tweak; with --pages landing-pages.")
    ] = "",
    loss: Annotated[
        str, typer.Option("--loss", help="sse, log or preference. Default: preference; log with --pages.")
    ] = "",
    features: Annotated[
        str,
        typer.Option("--features", help="tf-df, plain, more, html or html-more. Default: the best of them."),
    ] = "",
    results: Annotated[
        int, typer.Option("--results", min=1, max=200, help="Documents that speak for a text.")
    ] = 30,
    pages: Annotated[bool, typer.Option("--pages", help="Candidates are landing pages.")] = False,
    precision: Annotated[
        float | None,
        typer.Option(
            "--precision", help="With --pages: learn a threshold; so many of the kept shall be good."
        ),
    ] = None,
    relevant: RelevantOption = None,
    columns: ColumnsOption = "",
    where: WhereOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For drawing preferences and groups.")] = 0,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Learn from judged pairs how much each term of a text weighs; the model is a measure of its own."""
    from querykin.learning.tweak.training import TweakTask, train_tweak

    check_format(format, "text", "json")
    opened = open_workspace(workspace, config, quiet)
    task = TweakTask(
        file,
        name,
        loss,
        features,
        results,
        pages,
        precision,
        relevant,
        columns,
        where or (),
        seed,
        TerminalProgress(quiet),
    )
    model = train_tweak(opened, task)
    typer.echo(_trained_text(model) if format == "text" else json.dumps(asdict(model), ensure_ascii=False))


def _trained_text(model: "Model") -> str:
    """Weights with what they mean, and what was held out to choose."""
    from querykin.learning.tweak.term_weights import MEANINGS

    content, facts = model.content, model.training
    lines = [
        f"{facts['pairs']:,} pairs in {facts['groups']:,} groups, {facts['covered']:,} pairs covered; "
        f"loss {content['loss']}, alpha {content['alpha']:g}, "
        f"{content['development']:.1%} of the preferences of held-out groups in order",
        "",
        f"{'weight':>9}  feature of a term",
    ]
    for feature, weight in zip(content["features"], content["weights"], strict=True):
        lines.append(f"{weight:>9.4f}  {feature}: {MEANINGS[feature]}")
    if "threshold" in content:
        report = facts["report"]
        lines += [
            "",
            f"threshold {content['threshold']:.4f}: of held-out pages {report['kept']:.1%} are kept, "
            f"{report['precision']:.1%} of them good; {report['recall']:.1%} of the good ones are kept",
        ]
    if content.get("threshold") == 0:
        lines.append("a threshold of 0 keeps every page with a score: judge more, or ask for more precision")
    lines += ["", f"kept as {model.name!r}; next: {_next(model)}"]
    return "\n".join(lines)


def _next(model: "Model") -> str:
    if "pages" in model.training:
        unless = "" if "threshold" in model.content else " --threshold T, or train with --precision 0.8"
        return f"querykin filter FILE --model {model.name}{unless}"
    return f"querykin similarity A B --measure {model.name}"
