"""Google Ads Keyword Planner: keyword ideas, usually in UTF-16 with tabs, below a title and a date."""

from querykin.io.exports.export import Export
from querykin.io.exports.header_names import KEYWORD

EXPORT = Export(
    "Keyword Planner",
    "queries",
    columns={
        "query": ((*KEYWORD, "Keyword (by relevance)"),),
        "count": (
            (
                "Avg. monthly searches",
                "Avg. Monthly Searches (exact match only)",
                "Durchschnittl. Suchanfragen pro Monat",
                "Durchschnittliche Suchanfragen pro Monat",
                "Nombre moyen de recherches mensuelles",
                "Recherches mensuelles moyennes",
                "Promedio de búsquedas mensuales",
                "Búsquedas mensuales promedio",
                "Média de pesquisas mensais",
                "Média pesquisas mensais",
                "Media delle ricerche mensili",
                "Media ricerche mensili",
                "Gem. maandelijkse zoekopdrachten",
                "月間平均検索ボリューム",
            ),
        ),
    },
)
