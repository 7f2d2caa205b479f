"""Google Ads Editor: keywords of campaigns, without counts."""

from querykin.io.exports.export import Export
from querykin.io.exports.header_names import KEYWORD

EXPORT = Export(
    "Google Ads Editor",
    "queries",
    columns={
        "query": (KEYWORD,),
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
