"""Semrush Keyword Overview, Keyword Magic Tool and organic positions."""

from querykin.io.exports.export import Export
from querykin.io.exports.header_names import KEYWORD

EXPORT = Export(
    "Semrush",
    "queries",
    columns={
        "query": (KEYWORD,),
        "count": (
            (
                "Volume",
                "Search Volume",
                "Suchvolumen",
                "Volumen",
                "Volumen de búsqueda",
                "Volume de recherche",
                "Volume di ricerca",
            ),
        ),
    },
    marks=(
        (
            "Keyword Difficulty",
            "KD %",
            "Keyword-Schwierigkeit",
            "Difficulté du mot clé",
            "Dificultad de la palabra clave",
            "Competition",
            "Competitive Density",
            "Wettbewerbsdichte",
            "Number of Results",
        ),
    ),
)
