"""Clusters as files for other programs, by the name of the file in the address."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from querykin.clustering.clusters import TSV_COLUMNS, cluster_json, cluster_rows
from querykin.clustering.exports.ads_editor import write_ads_editor
from querykin.clustering.exports.grouped_rows import write_grouped_rows
from querykin.clustering.exports.synonyms import write_synonyms
from querykin.clustering.keyword_lists import KeywordList
from querykin.io.keyword_tables import KeywordTable, read_keyword_table
from querykin.io.safe_csv import safe_cell
from querykin.server.cluster_cut import Cut

Write = Callable[[Cut, KeywordList | None], str]


@dataclass(frozen=True)
class ClusterExport:
    """A file format of clusters: what it is for, the name of the file, and how it is written."""

    title: str
    file_name: str
    media_type: str
    text: Write


def _ads_editor(cut: Cut, listed: KeywordList | None) -> str:
    file = io.StringIO()
    write_ads_editor(cut.clusters.clusters(), file)
    return file.getvalue()


def _grouped_rows(cut: Cut, listed: KeywordList | None) -> str:
    file = io.StringIO()
    write_grouped_rows(_table(cut, listed), cut.clusters.clusters(), file)
    return file.getvalue()


def _table(cut: Cut, listed: KeywordList | None) -> KeywordTable:
    """The rows of the file that a list was read from; else the keywords with their counts."""
    if listed is not None and listed.file is not None:
        return read_keyword_table(str(listed.file), lambda skipped: None, columns=listed.columns)
    repository = cut.opened.workspace.repository
    live = repository.live_ids()
    return KeywordTable.of(repository.queries(live), repository.counts[live].tolist())


def _synonyms(one_way: bool) -> Write:
    def write(cut: Cut, listed: KeywordList | None) -> str:
        file = io.StringIO()
        write_synonyms(cut.clusters.clusters(), file, min_score=cut.threshold, one_way=one_way)
        return file.getvalue()

    return write


def _tsv(cut: Cut, listed: KeywordList | None) -> str:
    rows = cluster_rows(cut.clusters.clusters())
    lines = ("\t".join(safe_cell(str(row[column])) for column in TSV_COLUMNS) for row in rows)
    return "".join(f"{line}\n" for line in ("\t".join(TSV_COLUMNS), *lines))


def _json(cut: Cut, listed: KeywordList | None) -> str:
    return json.dumps([cluster_json(each) for each in cut.clusters.clusters()], ensure_ascii=False)


CLUSTER_EXPORTS: Mapping[str, ClusterExport] = {
    each.file_name: each
    for each in (
        ClusterExport("Google Ads Editor", "google-ads.csv", "text/csv", _ads_editor),
        ClusterExport("Your rows with a group column", "grouped-keywords.csv", "text/csv", _grouped_rows),
        ClusterExport("Synonyms, one-way", "synonyms-one-way.txt", "text/plain", _synonyms(one_way=True)),
        ClusterExport("Synonyms, two-way", "synonyms-two-way.txt", "text/plain", _synonyms(one_way=False)),
        ClusterExport("TSV", "clusters.tsv", "text/tab-separated-values", _tsv),
        ClusterExport("JSON", "clusters.json", "application/json", _json),
    )
}
