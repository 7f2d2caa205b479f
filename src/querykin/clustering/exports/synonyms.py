"""Synonyms in the Solr format, which OpenSearch, Elasticsearch and Solr read (Lucene's SolrSynonymParser)."""

import re
from collections.abc import Iterable
from typing import TextIO

from querykin.clustering.clusters import Cluster
from querykin.text.normalization import fold_case

_SPECIAL = re.compile(r"[\\,#=]")


def synonym(query: str) -> str:
    r"""A query as a term of the format, in which a backslash precedes characters with a meaning.

    >>> print(synonym(r"a, b => c#"))
    a\, b \=> c\#
    """
    return _SPECIAL.sub(r"\\\g<0>", query)


def write_synonyms(
    clusters: Iterable[Cluster], file: TextIO, *, min_score: float, one_way: bool = False
) -> int:
    r"""Write the members at or above a score as synonyms of their heads; returns the number of members.

    Two-way synonyms (`head, member, member`) find each other; one-way, a member is replaced by the head
    (`member => head`). Queries without a letter or digit are left out: an analyzer leaves nothing of them,
    for which search engines refuse the whole file.

    >>> from io import StringIO
    >>> from querykin.clustering.clusters import Member
    >>> file = StringIO()
    >>> members = Member("tv set", 0.9, 2), Member("radio", 0.4, 1)
    >>> write_synonyms([Cluster("tv", 9, members)], file, min_score=0.8)
    1
    >>> file.getvalue()
    'tv, tv set\n'
    """
    written = 0
    for cluster in clusters:
        members = [
            each.query for each in cluster.members if each.score >= min_score and _has_word(each.query)
        ]
        if members and _has_word(cluster.head):
            written += len(members)
            write_rule(cluster.head, members, file, one_way)
    return written


def write_rule(head: str, members: Iterable[str], file: TextIO, one_way: bool) -> None:
    """Write the synonyms of a query: all of one meaning, or each to be replaced by the query."""
    different = [synonym(each) for each in members if fold_case(each) != fold_case(head)]
    if one_way:
        file.writelines(f"{each} => {synonym(head)}\n" for each in different)
    elif different:
        file.write(", ".join([synonym(head), *different]) + "\n")


def _has_word(query: str) -> bool:
    return any(map(str.isalnum, query))
