"""Google Search Console, performance report: Queries.csv, also as a spreadsheet."""

from querykin.io.exports.export import Export
from querykin.io.exports.header_names import CLICKS, IMPRESSIONS

EXPORT = Export(
    "Search Console",
    "queries",
    columns={
        "query": (
            (
                "Top queries",
                "Query",
                "Queries",
                "Häufigste Suchanfragen",
                "Suchanfrage",
                "Requêtes les plus fréquentes",
                "Requête",
                "Consultas principales",
                "Consulta",
                "Principais consultas",
                "Query principali",
                "Populairste zoekopdrachten",
                "Zoekopdracht",
                "上位のクエリ",
                "クエリ",
            ),
        ),
        # Impressions, not clicks: an impression is a search that showed the site.
        "count": (IMPRESSIONS,),
    },
    marks=(
        CLICKS,
        ("Position", "Posición", "Posição", "Posizione", "Positie", "掲載順位"),
    ),
)
