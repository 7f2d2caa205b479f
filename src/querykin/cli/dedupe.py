"""`querykin dedupe`: variants of one query, each with the canonical form and the reason."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
    read_keywords,
)
from querykin.counted_nouns import counted
from querykin.errors import InputError

if TYPE_CHECKING:
    from querykin.clustering.variants.deduplicated_keywords import CanonicalForm, DeduplicatedKeywords

FORMATS = ("text", "tsv", "csv", "json", "jsonl", "synonyms")


def dedupe(
    file: Annotated[
        str | None,
        typer.Argument(
            help="A list of keywords, as for repository add; '-' is standard input. "
            "Default: the past queries of the workspace.",
            show_default=False,
        ),
    ] = None,
    only_variants: Annotated[
        bool, typer.Option("--only-variants", help="Omit queries that have no variants.")
    ] = False,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge", help="The cleaned list: canonical forms only, with the counts of all variants."
        ),
    ] = False,
    columns: Annotated[
        str, typer.Option("--columns", help="Columns of the file, as in query=Suchanfrage,count=Klicks.")
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            "--language",
            help="Language of the keywords, as in de. Default: that of the corpus or the settings, "
            "otherwise recognized.",
            show_default=False,
        ),
    ] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: Annotated[
        str,
        typer.Option(
            "--format", help="text, tsv, csv, json, jsonl, or synonyms (variant => canonical form)."
        ),
    ] = "text",
    quiet: QuietOption = False,
) -> None:
    """Find variants of one query: other word order, inflection, spelling, spacing, function words.

    Each is given its canonical form and the reason; tsv and csv have all rows of the list, in its order.
    """
    check_format(format, *FORMATS)
    if merge and format == "synonyms":
        raise InputError("--merge writes a list, and synonyms are no list; choose one of them")
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    table = None if file is None else read_keywords(file, columns, progress)
    found = opened.dedupe(table, language=language)
    _write(found, format, only_variants, merge)
    progress.message(_summary(found))


def _summary(found: "DeduplicatedKeywords") -> str:
    from querykin.text.languages import language_names

    groups = sum(bool(form.variants) for form in found.canonical_forms)
    variants, forms = counted(found.variant_count, "variant"), counted(groups, "query")
    return (
        f"{variants} of {forms}; {len(found):,} of {counted(len(found.table), 'query')} remain "
        f"(words compared in {language_names(found.languages)})"
    )


def _write(found: "DeduplicatedKeywords", form: str, only_variants: bool, merge: bool) -> None:
    from querykin.cli import render
    from querykin.cli.records import write_table
    from querykin.clustering.exports.synonyms import write_rule
    from querykin.clustering.variants.deduplicated_keywords import COLUMNS, canonical_form_json

    forms = [each for each in found.canonical_forms if each.variants or not only_variants]
    if merge:
        write_table(_merged(forms, found.summed_columns), ["query", "count", *found.summed_columns], form)
    elif form == "text":
        render.canonical_forms(each for each in forms if each.variants)
    elif form == "synonyms":
        for each in forms:
            write_rule(each.query, [variant.query for variant in each.variants], sys.stdout, one_way=True)
    elif form in ("json", "jsonl"):
        write_table(map(canonical_form_json, forms), (), form)
    else:
        rows = (row for row in found.rows() if row["reason"] or not only_variants)
        write_table(rows, [*COLUMNS, *found.other_columns], form)


def _merged(forms: "Sequence[CanonicalForm]", summed: Sequence[str]) -> Iterator[dict[str, Any]]:
    from querykin.clustering.variants.deduplicated_keywords import whole

    for each in forms:
        yield {"query": each.query, "count": each.count, **{name: whole(each.sums[name]) for name in summed}}
