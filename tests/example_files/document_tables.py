"""Tables of documents: products of shops and feeds, and the tables of spreadsheets and databases."""

from .example import Example

SHOPIFY = (
    "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price"
)

DOCUMENTS = [
    Example(
        "shopify-en",
        "documents",
        "Shopify, products export: three variants of one product, and another product",
        {
            "products_export.csv": (
                f"{SHOPIFY}\n"
                'quiet-mower,Quiet mower,"<p>Cuts &amp; collects.</p>\n<ul><li>40 cm</li></ul>",Green,Mowers,"lawn, quiet",'
                "true,Colour,Red,QM-1,199.00\n"
                "quiet-mower,,,,,,,,Blue,QM-2,199.00\nquiet-mower,,,,,,,,Black,QM-3,209.00\n"
                "rake,Rake,<p>Of ash.</p>,Green,Tools,,true,Title,Default Title,R-1,19.00\n"
            ).encode()
        },
        [
            (
                "quiet-mower",
                "Quiet mower",
                "Cuts & collects.\n40 cm\nGreen\nMowers\nlawn, quiet\nRed, Blue, Black",
            ),
            ("rake", "Rake", "Of ash.\nGreen\nTools"),
        ],
        "Shopify products",
    ),
    Example(
        "shopify-de",
        "documents",
        "Shopify, products export of a German shop, the newer headers, CRLF",
        {
            "produkte.csv": (
                "Title,URL handle,Description,Vendor,Product category,Type,Tags,Option1 name,Option1 value\r\n"
                "Leiser Mäher,leiser-maeher,<p>Mäht &amp; sammelt.</p>,Grün,,Mäher,garten,Farbe,Rot\r\n"
                ",leiser-maeher,,,,,,,Blau\r\n"
            ).encode()
        },
        [("leiser-maeher", "Leiser Mäher", "Mäht & sammelt.\nGrün\nMäher\ngarten\nRot, Blau")],
        "Shopify products",
    ),
    Example(
        "woocommerce-en",
        "documents",
        "WooCommerce, products export, English",
        {
            "wc-product-export.csv": (
                "ID,Type,SKU,Name,Published,Short description,Description,Categories,Tags,Regular price\n"
                '44,simple,QM-1,Quiet mower,1,"Cuts, collects.",<p>For small lawns.</p>\\nQuiet.,Garden > Mowers,quiet,199\n'
            ).encode("utf-8-sig")
        },
        [("44", "Quiet mower", "Cuts, collects.\nFor small lawns.\nQuiet.\nGarden > Mowers\nquiet")],
        "WooCommerce products",
    ),
    Example(
        "woocommerce-de",
        "documents",
        "WooCommerce, products export, German",
        {
            "produkte.csv": (
                "ID,Typ,Artikelnummer,Name,Veröffentlicht,Kurzbeschreibung,Beschreibung,Kategorien,Schlagwörter\n"
                "44,simple,QM-1,Leiser Mäher,1,Mäht.,<p>Für kleine Gärten.</p>,Garten,leise\n"
            ).encode()
        },
        [("44", "Leiser Mäher", "Mäht.\nFür kleine Gärten.\nGarten\nleise")],
        "WooCommerce products",
    ),
    Example(
        "merchant-center-en",
        "documents",
        "Google Merchant Center, product feed with tabs, English",
        {
            "feed.tsv": (
                b"id\ttitle\tdescription\tlink\timage_link\tavailability\tprice\tbrand\tproduct_type\n"
                b"QM-1\tQuiet mower\tCuts &amp; collects.\thttps://example.org/qm\thttps://example.org/qm.jpg\tin_stock\t"
                b"199.00 USD\tGreen\tGarden > Mowers\n"
            )
        },
        [("QM-1", "Quiet mower", "Cuts & collects.\nGreen\nGarden > Mowers")],
        "Merchant Center",
    ),
    Example(
        "merchant-center-de",
        "documents",
        "Google Merchant Center, product feed, German attributes, CP1252",
        {
            "feed.txt.tsv": (
                "id\ttitel\tbeschreibung\tlink\tverfügbarkeit\tpreis\tmarke\n"
                "QM-1\tLeiser Mäher\tMäht für Sie.\thttps://example.org/qm\tauf lager\t199,00 EUR\tGrün\n"
            ).encode("cp1252")
        },
        [("QM-1", "Leiser Mäher", "Mäht für Sie.\nGrün")],
        "Merchant Center",
    ),
    Example(
        "own-headers",
        "documents",
        "a price list with headers of its own, named with --columns; | as delimiter",
        {"liste.csv": b"SKU|Name|Body|Tags|Preis\n7|Rechen|<b>Esche</b>, leicht|garten|19,00\n"},
        [("7", "Rechen", "Esche, leicht\ngarten")],
        "CSV",
        columns="title=Name,text=Body+Tags,id=SKU",
    ),
    Example(
        "quoted-newlines",
        "documents",
        "a database dump: quoted line ends, quotes within quotes, HTML, no ids",
        {
            "pages.csv": b'title,text,url\r\n"Java, the ""isle""","one\r\ntwo",https://example.org/java\r\n'
            b'Bali,"a < b, AT&T &amp; <i>co</i>",\r\n'
        },
        [("https://example.org/java", 'Java, the "isle"', "one\r\ntwo"), (None, "Bali", "a < b, AT&T & co")],
        "CSV",
    ),
    Example(
        "quoted-tsv",
        "documents",
        "a TSV export with quoting: tabs and line ends in cells",
        {"pages.tsv": b'id\ttitle\ttext\n1\tJava\t"one\ttwo\nthree"\n2\tBali\tplain\n'},
        [("1", "Java", "one\ttwo\nthree"), ("2", "Bali", "plain")],
        "TSV",
    ),
    Example(
        "rows of different lengths",
        "documents",
        "a spreadsheet: short and long rows, empty cells, a header twice, an unnamed column, empty lines",
        {
            "t.csv": b"id,title,title,,text\n1,Java\n\n2,Bali,x,y,An island,,\n3,Lombok,x,y,z,too long\n,,,,\n4,,,,Sumatra\n"
        },
        [("1", "Java", ""), ("2", "Bali", "An island"), ("4", "", "Sumatra")],
        "CSV",
        skipped=1,
    ),
    Example(
        "utf-16-without-mark",
        "documents",
        "a database export in UTF-16 without a byte order mark",
        {"t.csv": "Titre;Texte\nÎle de Ré;Une île française\n".encode("utf-16-le")},
        [(None, "Île de Ré", "Une île française")],
        "UTF-16",
    ),
    Example(
        "utf-32",
        "documents",
        "a table in UTF-32",
        {"t.csv": "タイトル,本文\nジャワ島,インドネシアの島\n".encode("utf-32")},
        [(None, "ジャワ島", "インドネシアの島")],
        "UTF-32",
    ),
    Example(
        "latin-2",
        "documents",
        "a table in Latin-2 (ISO 8859-2), Polish",
        {
            "t.csv": "title;text\nżółta koszula;buty męskie, śnieg\nłódź podwodna;pół godziny jazdy w górę rzeki\n".encode(
                "iso8859-2"
            )
        },
        [
            (None, "żółta koszula", "buty męskie, śnieg"),
            (None, "łódź podwodna", "pół godziny jazdy w górę rzeki"),
        ],
        "ISO 8859-2",
    ),
    Example(
        "same-twice",
        "documents",
        "two tables with a row in common: the same content is one document, whatever its file and line",
        {"a.csv": b"title,text\nJava,An island\nBali,Another\n", "b.csv": b"text,title\nAn island,Java\n"},
        [(None, "Java", "An island"), (None, "Bali", "Another"), (None, "Java", "An island")],
        "CSV",
    ),
]
