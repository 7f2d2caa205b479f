"""What are documents about, and who says so: `querykin keywords` and `querykin train keywords`."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    FormatOption,
    InfoFormatOption,
    QuietOption,
    SkippedRecords,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)

if TYPE_CHECKING:
    from querykin.learning.keywords.extraction import Keywords
    from querykin.learning.model_files import Model


def keywords(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Documents: .jsonl .csv .tsv .txt .html and folders of them, each also .gz .xz .bz2 .zst; "
            "'-' is standard input."
        ),
    ],
    k: Annotated[int, typer.Option("-k", min=1, help="How many for each document.")] = 10,
    phrases: Annotated[bool, typer.Option("--phrases", help="Join adjacent keywords to phrases.")] = False,
    model: Annotated[str, typer.Option("--model", help="An extractor by its name.")] = "keywords",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Find the keywords of documents, the likeliest first; they are not added to the corpus."""
    from querykin.io.documents import read_documents
    from querykin.learning.keywords.extraction import extract

    check_format(format, "text", "json", "jsonl", "tsv")
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, quiet)
    found = extract(opened, read_documents(files, SkippedRecords(progress)), k, model, phrases)
    if not len(opened.corpus):
        progress.message(
            "the workspace has no documents: how common words are is not known, and does not count"
        )
    if format == "json":
        typer.echo(json.dumps([_as_json(each) for each in found], ensure_ascii=False))
        return
    if format == "tsv":
        typer.echo("id\trank\tword\tscore")
    for each in found:
        typer.echo(_lines(each, format))


def _as_json(found: "Keywords") -> dict[str, Any]:
    document = found.document
    keywords = [{"word": keyword.word, "score": keyword.score} for keyword in found.keywords]
    return {"id": document.id, "title": document.title, "keywords": keywords}


def _lines(found: "Keywords", form: str) -> str:
    if form == "jsonl":
        return json.dumps(_as_json(found), ensure_ascii=False)
    if form == "tsv":
        name = " ".join(found.document.id.split())
        ranked = enumerate(found.keywords, start=1)
        return "\n".join(f"{name}\t{rank}\t{each.word}\t{each.score:.9g}" for rank, each in ranked)
    shown = (f"  {each.score:.3f}  {each.word}" for each in found.keywords)
    return "\n".join([found.document.title or found.document.id, *shown])


def train_keywords(
    file: Annotated[
        str,
        typer.Argument(
            help="Documents with gold keywords: JSONL with keywords and text, title, url or html; "
            "also .gz .xz .bz2 .zst; '-' is stdin."
        ),
    ],
    name: Annotated[str, typer.Option("--name", help="What the model is called.")] = "keywords",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Learn which words of a document are its keywords; web-relevance weighs by the model `keywords`."""
    from querykin.learning.keywords.training import train_keywords

    check_format(format, "text", "json")
    opened = open_workspace(workspace, config, quiet)
    model = train_keywords(opened, file, name, SkippedRecords(TerminalProgress(quiet)))
    typer.echo(_trained_text(model) if format == "text" else json.dumps(asdict(model), ensure_ascii=False))


def _trained_text(model: "Model") -> str:
    """Weights with what they mean, and what the model reaches on documents that were held out."""
    from querykin.evaluation.tables import TextTable, text
    from querykin.learning.keywords.extractor import MEANINGS

    facts = model.training
    weights = next(iter(model.content["weights"].values()))  # of the case that knows most
    rows = [[name, f"{weight:+.4f}", MEANINGS[name]] for name, weight in weights.items()]
    reached = [
        [f"first {found['k']}", *(f"{found[name]:.3f}" for name in ("precision", "recall", "f1"))]
        for found in facts["report"]
    ]
    held_out = f"on documents held out ({facts['folds']} folds)"
    return "\n\n".join(
        [
            f"{facts['documents']:,} documents, {facts['words']:,} different words in them, "
            f"{facts['keywords']:,} of them keywords",
            text(
                TextTable("what makes a word a keyword (log odds)", ["feature", "weight", "of a word"], rows)
            ),
            text(TextTable(held_out, ["keywords", "precision", "recall", "F1"], reached)),
            f"kept as {model.name!r}; next: querykin keywords FILE --model {model.name}",
        ]
    )
