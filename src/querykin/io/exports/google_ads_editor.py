"""Google Ads Editor: keywords of campaigns, without counts."""

from querykin.io.exports.export import Export

EXPORT = Export(
    "Google Ads Editor",
    "queries",
    columns={
        "query": (
            (
                "Keyword",
                "Mot clé",
                "Mot-clé",
                "Palabra clave",
                "Palavra-chave",
                "Parola chiave",
                "Zoekwoord",
                "キーワード",
            ),
        ),
    },
    marks=(
        ("Campaign", "Kampagne", "Campagne", "Campaña", "Campanha", "Campagna", "キャンペーン"),
        (
            "Ad group",
            "Anzeigengruppe",
            "Groupe d'annonces",
            "Grupo de anuncios",
            "Grupo de anúncios",
            "Gruppo di annunci",
            "Advertentiegroep",
            "広告グループ",
        ),
    ),
)
