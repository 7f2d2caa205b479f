"""Keywords for Google Ads Editor: each cluster is an ad group under the name of its head."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from querykin.clustering.clusters import Cluster
from querykin.errors import InputError
from querykin.io.safe_csv import csv_line

MATCH_TYPES = ("Broad", "Phrase", "Exact")
MAX_CHARACTERS = 80  # of a keyword
MAX_WORDS = 10
MAX_NAME = 255  # characters of the name of a campaign or an ad group
_ALLOWED_SIGNS = frozenset(" #$&_-'+./:\u3000")  # besides letters, marks and digits
_LETTERS_AND_DIGITS = frozenset(
    {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd"}
)  # categories of Unicode
_MATCH_TYPE_SIGNS = frozenset('"[]')


@dataclass(frozen=True, slots=True)
class LeftOutKeyword:
    """A keyword that Google Ads does not accept, and why."""

    keyword: str
    reason: str

    def __str__(self) -> str:
        return f"left out {self.keyword!r}: {self.reason}"


def write_ads_editor(
    clusters: Iterable[Cluster], file: TextIO, *, campaign: str = "", match_type: str = "Broad"
) -> list[LeftOutKeyword]:
    r"""Write CSV that Google Ads Editor imports; returns the keywords that Google Ads would refuse.

    Without a campaign the file has no such column, and the Editor asks for one.

    >>> from io import StringIO
    >>> from querykin.clustering.clusters import Member
    >>> file = StringIO()
    >>> write_ads_editor([Cluster("rake", 5, (Member("garden rakes?", 0.9, 2),))], file, match_type="Exact")
    [LeftOutKeyword(keyword='garden rakes?', reason="Google Ads allows no '?' in a keyword")]
    >>> file.getvalue()
    'Ad group,Keyword,Match type\r\nrake,rake,Exact\r\n'
    """
    check_campaign(campaign, match_type)
    first = [campaign] if campaign else []
    file.write(csv_line([*(["Campaign"] if campaign else []), "Ad group", "Keyword", "Match type"]))
    left_out = []
    for ad_group, keyword in _keywords(clusters):
        reason = refused(keyword)
        if reason:
            left_out.append(LeftOutKeyword(keyword, reason))
        else:
            file.write(csv_line([*first, ad_group, keyword, match_type]))
    return left_out


def check_campaign(campaign: str, match_type: str) -> None:
    """Raise an InputError for a match type that Google Ads does not have, or a name that is too long."""
    if match_type not in MATCH_TYPES:
        raise InputError(f"the match type must be one of {', '.join(MATCH_TYPES)}, got {match_type!r}")
    if len(campaign) > MAX_NAME:
        raise InputError(
            f"the name of a campaign has at most {MAX_NAME} characters, got {len(campaign)}; shorten it"
        )


def _keywords(clusters: Iterable[Cluster]) -> Iterator[tuple[str, str]]:
    """The ad group and the text of each keyword."""
    for cluster in clusters:
        name = cluster.head[:MAX_NAME]
        yield name, cluster.head
        yield from ((name, member.query) for member in cluster.members)


def refused(keyword: str) -> str:
    """Why Google Ads does not accept a keyword; empty if it does.

    >>> refused("garden hose"), refused("x" * 81), refused("-used cars")
    ('', '81 characters; a keyword has at most 80', "'-' at the beginning makes a negative keyword")
    """
    if len(keyword) > MAX_CHARACTERS:
        return f"{len(keyword)} characters; a keyword has at most {MAX_CHARACTERS}"
    if len(keyword.split()) > MAX_WORDS:
        return f"{len(keyword.split())} words; a keyword has at most {MAX_WORDS}"
    if keyword.startswith("-"):
        return "'-' at the beginning makes a negative keyword"
    if keyword.startswith("+"):
        return "'+' at the beginning is no longer a match type"
    for sign in keyword:
        if sign in _MATCH_TYPE_SIGNS:
            return f"{sign!r} stands for a match type"
        if sign not in _ALLOWED_SIGNS and unicodedata.category(sign) not in _LETTERS_AND_DIGITS:
            return f"Google Ads allows no {sign!r} in a keyword"
    return "" if any(map(str.isalnum, keyword)) else "no letter or digit"
