"""Semrush Keyword Overview, Keyword Magic Tool and organic positions."""

from querykin.io.exports.export import Export

EXPORT = Export(
    "Semrush",
    "queries",
    columns={
        "query": (
            (
                "Keyword",
                "Schlüsselwort",
                "Mot clé",
                "Mot-clé",
                "Palabra clave",
                "Palavra-chave",
                "Parola chiave",
            ),
        ),
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
