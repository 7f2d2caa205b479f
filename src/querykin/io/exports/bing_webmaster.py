"""Bing Webmaster Tools, search performance by keyword."""

from querykin.io.exports.export import Export

EXPORT = Export(
    "Bing Webmaster",
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
                "Trefwoord",
                "キーワード",
            ),
        ),
        "count": (
            (
                "Impressions",
                "Impressionen",
                "Impresiones",
                "Impressões",
                "Impressioni",
                "Vertoningen",
                "表示回数",
            ),
        ),
    },
    marks=(
        ("Clicks", "Klicks", "Clics", "Cliques", "Clic", "Klikken", "クリック数"),
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
