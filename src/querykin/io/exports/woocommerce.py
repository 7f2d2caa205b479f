"""WooCommerce products; headers are in the language of the shop."""

from querykin.io.exports.export import Export

EXPORT = Export(
    "WooCommerce products",
    "documents",
    columns={
        "title": (("Name", "Nom", "Nombre", "Nome", "Naam", "名前"),),
        "text": (
            (
                "Short description",
                "Kurzbeschreibung",
                "Description courte",
                "Descripción corta",
                "Descrição breve",
                "Descrição curta",
                "Breve descrizione",
                "Korte beschrijving",
                "簡単な説明",
            ),
            (
                "Description",
                "Beschreibung",
                "Descripción",
                "Descrição",
                "Descrizione",
                "Beschrijving",
                "説明",
            ),
            (
                "Categories",
                "Kategorien",
                "Catégories",
                "Categorías",
                "Categorias",
                "Categorie",
                "Categorieën",
                "カテゴリー",
            ),
            ("Tags", "Schlagwörter", "Étiquettes", "Etiquetas", "Tag", "タグ"),
        ),
        "id": (("ID", "SKU", "Artikelnummer", "UGS", "COD", "REF"),),
    },
    marks=(
        (
            "Short description",
            "Kurzbeschreibung",
            "Description courte",
            "Descripción corta",
            "Descrição breve",
            "Descrição curta",
            "Breve descrizione",
            "Korte beschrijving",
            "簡単な説明",
        ),
        ("SKU", "Artikelnummer", "UGS", "COD", "REF"),
    ),
    escaped_line_ends=True,
)
