"""Bing Webmaster Tools, search performance by keyword."""

from querykin.io.exports.export import Export
from querykin.io.exports.header_names import CLICKS, IMPRESSIONS, KEYWORD

EXPORT = Export(
    "Bing Webmaster",
    "queries",
    columns={
        "query": (KEYWORD,),
        "count": (IMPRESSIONS,),
    },
    marks=(
        CLICKS,
        (
            "Avg. Position",
            "Average Position",
            "Durchschn. Position",
            "Durchschnittliche Position",
            "Position moyenne",
            "Posición media",
            "Posição média",
            "Posizione media",
            "Gem. positie",
            "Gemiddelde positie",
            "平均掲載順位",
        ),
    ),
)
