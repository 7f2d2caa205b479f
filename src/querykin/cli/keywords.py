"""`querykin keywords` and `querykin train keywords`: keyword extraction."""

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
from querykin.counted_nouns import counted

if TYPE_CHECKING:
    from querykin.learning.keywords.extraction import Keywords
    from querykin.model_files import Model


def keywords(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Documents: .jsonl .csv .tsv .txt .html and folders of them, each also .gz .xz .bz2 .zst; "
            "'-' is standard input."
        ),
    ],
    k: Annotated[int, typer.Option("-k", min=1, help="Maximum number of keywords per document.")] = 10,
    phrases: Annotated[bool, typer.Option("--phrases", help="Join adjacent keywords into phrases.")] = False,
    model: Annotated[str, typer.Option("--model", help="Name of the keyword extractor.")] = "keywords",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Extract the keywords of documents, most probable first; the documents are not added to the corpus."""
    from querykin.io.documents import read_documents
    from querykin.learning.keywords.extraction import extract

    check_format(format, "text", "json", "jsonl", "tsv")
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    results = extract(opened, read_documents(files, SkippedRecords(progress)), k, model, phrases)
    if not len(opened.corpus):
        progress.message("the workspace has no documents: document frequencies are unknown and ignored")
    if format == "json":
        typer.echo(json.dumps([_as_json(result) for result in results], ensure_ascii=False))
        return
    if format == "tsv":
        typer.echo("id\trank\tword\tscore")
    for result in results:
        typer.echo(_lines(result, format))


def _as_json(result: "Keywords") -> dict[str, Any]:
    document = result.document
    keywords = [{"word": keyword.word, "score": keyword.score} for keyword in result.keywords]
    return {"id": document.id, "title": document.title, "keywords": keywords}


def _lines(result: "Keywords", form: str) -> str:
    if form == "jsonl":
        return json.dumps(_as_json(result), ensure_ascii=False)
    if form == "tsv":
        document_id = " ".join(result.document.id.split())
        ranked = enumerate(result.keywords, start=1)
        return "\n".join(
            f"{document_id}\t{rank}\t{keyword.word}\t{keyword.score:.9g}" for rank, keyword in ranked
        )
    lines = (f"  {keyword.score:.3f}  {keyword.word}" for keyword in result.keywords)
    return "\n".join([result.document.title or result.document.id, *lines])


def train_keywords(
    file: Annotated[
        str,
        typer.Argument(
            help="Documents with gold keywords: JSONL with keywords and text, title, url or html; "
            "also .gz .xz .bz2 .zst; '-' is stdin."
        ),
    ],
    name: Annotated[str, typer.Option("--name", help="Name of the model.")] = "keywords",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Train a keyword extractor; web-relevance weights terms by the model `keywords`."""
    from querykin.learning.keywords.training import train_keywords

    check_format(format, "text", "json")
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    model = train_keywords(opened, file, name, SkippedRecords(progress))
    typer.echo(_trained_text(model) if format == "text" else json.dumps(asdict(model), ensure_ascii=False))


def _trained_text(model: "Model") -> str:
    """The feature weights with their meanings, and the metrics on held-out documents."""
    from querykin.evaluation.tables import TextTable, text
    from querykin.learning.keywords.extractor import MEANINGS

    facts = model.training
    weights = next(iter(model.content["weights"].values()))  # of the case with the most features
    rows = [[name, f"{weight:+.4f}", MEANINGS[name]] for name, weight in weights.items()]
    metrics = [
        [f"top {entry['k']}", *(f"{entry[name]:.3f}" for name in ("precision", "recall", "f1"))]
        for entry in facts["report"]
    ]
    held_out = f"held-out documents ({facts['folds']} folds)"
    return "\n\n".join(
        [
            f"{counted(facts['documents'], 'document')}, {counted(facts['words'], 'distinct word')}, "
            f"{facts['keywords']:,} of them keywords",
            text(TextTable("feature weights (log odds)", ["feature", "weight", "meaning"], rows)),
            text(TextTable(held_out, ["keywords", "precision", "recall", "F1"], metrics)),
            f"saved as {model.name!r}; next: querykin keywords FILE --model {model.name}",
        ]
    )
