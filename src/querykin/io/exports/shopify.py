"""Shopify products: a row for every variant and image of a product, all with its handle."""

from querykin.io.exports.export import Export

EXPORT = Export(
    "Shopify products",
    "documents",
    columns={
        "title": (("Title",),),
        "text": (
            ("Body (HTML)", "Body HTML", "Description"),
            ("Vendor",),
            ("Type",),
            ("Tags",),
            ("Option1 Value", "Option1 value"),
            ("Option2 Value", "Option2 value"),
            ("Option3 Value", "Option3 value"),
        ),
        "id": (("Handle", "URL handle"),),
    },
    marks=(("Handle", "URL handle"), ("Vendor",)),
    variants=True,
    placeholders=("Default Title",),  # the option of a product without options
)
