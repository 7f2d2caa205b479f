"""Google Ads search terms report: what people typed before they saw an ad; the last rows are totals."""

from querykin.io.exports.export import Export
from querykin.io.exports.header_names import IMPRESSIONS

EXPORT = Export(
    "Google Ads search terms",
    "queries",
    columns={
        "query": (
            (
                "Search term",
                "Suchbegriff",
                "Terme de recherche",
                "Término de búsqueda",
                "Termo de pesquisa",
                "Termine di ricerca",
                "Zoekterm",
                "検索語句",
            ),
        ),
        "count": (("Impr.", "Vertn.", *IMPRESSIONS),),
    },
    marks=(
        (
            "Added/Excluded",
            "Hinzugefügt/Ausgeschlossen",
            "Ajouté/Exclu",
            "Añadido/Excluido",
            "Agregado/Excluido",
            "Adicionada/excluída",
            "Aggiunta/Esclusa",
            "Toegevoegd/uitgesloten",
            "追加 / 除外",
            "Match type",
            "Übereinstimmungstyp",
            "Type de correspondance",
            "Tipo de concordancia",
            "Tipo de correspondência",
            "Tipo di corrispondenza",
            "Zoektype",
            "マッチタイプ",
        ),
    ),
    totals=("Total:", "Total :", "Totals", "Gesamt:", "Totale:", "Totaal:", "合計:"),
)
