"""Google Merchant Center product feed; attributes have English or localized names."""

from querykin.io.exports.export import Export

EXPORT = Export(
    "Merchant Center",
    "documents",
    columns={
        "title": (("title", "titel", "titre", "título", "titolo", "商品名"),),
        "text": (
            (
                "description",
                "beschreibung",
                "descripción",
                "descrição",
                "descrizione",
                "beschrijving",
                "商品説明",
            ),
            ("brand", "marke", "marque", "marca", "merk", "ブランド"),
            (
                "product type",
                "product_type",
                "produkttyp",
                "type de produit",
                "tipo de producto",
                "tipo de produto",
                "tipo di prodotto",
                "producttype",
                "商品カテゴリ",
            ),
        ),
        "id": (("id", "商品 id"),),
        "url": (("link", "lien", "enlace", "ligação", "リンク"),),
    },
    marks=(
        (
            "availability",
            "verfügbarkeit",
            "disponibilité",
            "disponibilidad",
            "disponibilidade",
            "disponibilità",
            "beschikbaarheid",
            "在庫状況",
        ),
        ("link", "lien", "enlace", "ligação", "リンク"),
    ),
)
