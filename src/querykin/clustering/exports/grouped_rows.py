"""The rows of a keyword table, as they were read, with one more column: the group of the keyword."""

from collections.abc import Iterable
from typing import TextIO

from querykin.clustering.clusters import Cluster
from querykin.io.keyword_tables import KeywordTable
from querykin.io.safe_csv import csv_line
from querykin.text.normalization import fold_case


def write_grouped_rows(table: KeywordTable, clusters: Iterable[Cluster], file: TextIO) -> None:
    r"""Write all rows and columns of a table with a column `group`, the head of the keyword's cluster.

    The delimiter is that of the input. A keyword alone is its own group; one that is in no cluster has none.

    >>> from io import StringIO
    >>> from querykin.clustering.clusters import Member
    >>> file = StringIO()
    >>> clusters = [Cluster("rake", 5, (Member("garden rake", 0.9, 2),))]
    >>> write_grouped_rows(KeywordTable.of(["rake", "garden rake"], [3, 2]), clusters, file)
    >>> file.getvalue()
    'query,count,group\r\nrake,3,rake\r\ngarden rake,2,rake\r\n'
    """
    heads = {fold_case(query): cluster.head for cluster in clusters for query in _queries(cluster)}
    by_keyword = [heads.get(fold_case(query), "") for query in table.queries]
    file.write(csv_line([*table.columns, _free_name("group", table.columns)], table.delimiter))
    for keyword, cells in zip(table.row_keywords.tolist(), table.rows(), strict=True):
        file.write(csv_line([*cells, by_keyword[keyword]], table.delimiter))


def _queries(cluster: Cluster) -> list[str]:
    return [cluster.head, *(member.query for member in cluster.members)]


def _free_name(name: str, columns: Iterable[str]) -> str:
    """The name, with a number if the table has such a column already.

    >>> _free_name("group", ["query", "Group"])
    'group 2'
    """
    taken = {fold_case(column) for column in columns}
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each not in taken)
