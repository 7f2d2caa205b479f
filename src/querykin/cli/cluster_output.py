"""Clusters on stdout: for people, as data, and as files of other programs."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from querykin.cli import render
from querykin.cli.records import because, write_records, write_table
from querykin.clustering.clusters import TSV_COLUMNS, Cluster, Clustering, cluster_json, cluster_rows
from querykin.clustering.exports.ads_editor import write_ads_editor
from querykin.clustering.exports.grouped_rows import write_grouped_rows
from querykin.clustering.exports.synonyms import write_synonyms
from querykin.clustering.variants.deduplicated_keywords import whole
from querykin.compute.arrays import Float64Array
from querykin.io.keyword_tables import KeywordTable
from querykin.progress import Progress
from querykin.text.normalization import fold_case
from querykin.types import Explanation, explanation_json

Explain = Callable[[str, str], Explanation]  # of a member and its head


@dataclass(frozen=True)
class ExportOptions:
    """What the formats for other programs need to know."""

    campaign: str
    match_type: str
    one_way: bool
    min_score: float | None


def write_clusters(
    found: Clustering,
    form: str,
    table: KeywordTable,
    options: ExportOptions,
    explain: Explain | None,
    progress: Progress,
) -> None:
    """Write clusters; `table` has the rows they were read from and the columns that are summed."""
    sums = _sums(table)
    if form == "text":
        render.clusters(found.clusters, explain)
    elif form == "google-ads":
        left_out = write_ads_editor(
            found.clusters, sys.stdout, campaign=options.campaign, match_type=options.match_type
        )
        for each in left_out:
            progress.message(str(each))
    elif form == "rows":
        write_grouped_rows(table, found.clusters, sys.stdout)
    elif form == "synonyms":
        min_score = found.threshold if options.min_score is None else options.min_score
        write_synonyms(found.clusters, sys.stdout, min_score=min_score, one_way=options.one_way)
    elif form in ("tsv", "csv"):
        columns = [*TSV_COLUMNS, *_summed(table), *(["because"] if explain else [])]
        write_table(_rows(found.clusters, sums, explain), columns, form)
    else:
        write_records((_as_json(each, sums, explain) for each in found.clusters), (), form)


def _summed(table: KeywordTable) -> Mapping[str, Float64Array]:
    """The columns that are summed, without one that is the count itself by its name."""
    return {name: values for name, values in table.summed.items() if fold_case(name) not in TSV_COLUMNS}


def _sums(table: KeywordTable) -> dict[str, Mapping[str, float | int]]:
    """The summed columns of each keyword, by its case-folded text."""
    columns = {name: [whole(value) for value in values.tolist()] for name, values in _summed(table).items()}
    if not columns:
        return {}
    return {
        fold_case(query): {name: values[at] for name, values in columns.items()}
        for at, query in enumerate(table.queries)
    }


def _rows(
    clusters: Sequence[Cluster], sums: Mapping[str, Mapping[str, float | int]], explain: Explain | None
) -> Iterator[dict[str, Any]]:
    for row in cluster_rows(clusters):
        row |= sums.get(fold_case(row["query"]), {})
        if explain:
            row["because"] = because(explain(row["query"], row["head"])) if row["score"] else ""
        yield row


def _as_json(
    cluster: Cluster, sums: Mapping[str, Mapping[str, float | int]], explain: Explain | None
) -> dict[str, Any]:
    found = cluster_json(cluster)
    if explain:
        for member in found["members"]:
            member["explanation"] = explanation_json(explain(member["query"], cluster.head))
    if sums:
        for member in found["members"]:
            member["sums"] = sums[fold_case(member["query"])]
        everyone = [sums[fold_case(query)] for query in (cluster.head, *(m.query for m in cluster.members))]
        found["sums"] = {name: whole(float(sum(each[name] for each in everyone))) for name in everyone[0]}
    return found
