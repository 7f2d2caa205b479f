"""Workbooks, Parquet and Arrow files, archives, feeds, sitemaps, JSON arrays, folders of all kinds."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from arro3.core import Array, DataType, Table
from arro3.io import write_ipc, write_parquet

from .example import Example

Cell = str | int | float

_PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def archive(files: Mapping[str, bytes]) -> bytes:
    """A zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def workbook(sheets: Mapping[str, Sequence[Sequence[Cell]]], hidden: Sequence[str] = ()) -> bytes:
    """The smallest workbook with these rows."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    sheet_type = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="{sheet_type}.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        + "".join(
            f'<sheet name="{escape(title)}" sheetId="{number}" r:id="s{number}"'
            f' state="{"hidden" if title in hidden else "visible"}"/>'
            for number, title in enumerate(sheets, start=1)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        + "".join(
            f'<Relationship Id="s{number}" Type="{office}/worksheet" Target="worksheets/sheet{number}.xml"/>'
            for number in range(1, len(sheets) + 1)
        )
        + "</Relationships>",
    }
    for number, rows in enumerate(sheets.values(), start=1):
        cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>'
        )
    return archive({name: part.encode() for name, part in parts.items()})


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def table(columns: Mapping[str, Sequence[object]]) -> Table:
    """An Arrow table of texts and whole numbers."""
    arrays = {
        name: Array(values, DataType.int64() if isinstance(values[0], int) else DataType.utf8())
        for name, values in columns.items()
    }
    return Table.from_pydict(arrays)


def parquet(columns: Mapping[str, Sequence[object]]) -> bytes:
    """A Parquet file."""
    file = io.BytesIO()
    write_parquet(table(columns), file)
    return file.getvalue()


def arrow(columns: Mapping[str, Sequence[object]]) -> bytes:
    """An Arrow IPC file, which is also the Feather format."""
    file = io.BytesIO()
    write_ipc(table(columns), file)
    return file.getvalue()


_MOWER = ("M-1", "Quiet mower", "Cuts and collects.")
_RAKE = ("R-1", "Rake", "Of ash.")
_SITEMAP = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.org/</loc><lastmod>2024-05-01</lastmod></url>
  <url><loc>https://example.org/garden/</loc></url>
  <url><loc>https://example.org/tea%20cups</loc></url>
</urlset>
"""
_PAGES = {
    "index.html": b"<title>Home</title><p>Welcome to the shop.",
    "garden/index.html": b"<!doctype html><title>Garden</title><p>Mowers and rakes.",
    "tea cups.html": b"<title>Tea cups</title><p>Of porcelain.",
}
_RSS = """<?xml version="1.0" encoding="{encoding}"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>The garden</title><link>https://example.org/</link><description>News</description>
  <item><title>Mähen &amp; Sammeln</title><link>https://example.org/1</link>
    <description>In short.</description>
    <content:encoded><![CDATA[<p>The <b>whole</b> text.</p><script>x()</script>]]></content:encoded>
    <category>lawn</category><category>quiet</category><guid isPermaLink="false">post-1</guid>
    <media:title>a picture</media:title></item>
  <item><title>Rakes</title><link>https://example.org/2</link>
    <description>&lt;p>Of ash.&lt;/p></description></item>
  <item><link>https://example.org/3</link></item>
</channel></rss>
"""
_ATOM = b"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>The garden</title><id>urn:feed</id>
  <entry><title type="html">Fish &amp;amp; chips</title><id>urn:1</id><updated>2024-01-01T00:00:00Z</updated>
    <link rel="self" href="https://example.org/feed/1"/><link rel="alternate" href="https://example.org/1"/>
    <summary>In short.</summary>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>two.</p></div></content></entry>
</feed>
"""
_MERCHANT_RSS = b"""<?xml version="1.0"?>
<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel><title>Shop</title>
  <item><g:id>M-1</g:id><g:title>Quiet mower</g:title>
    <g:description>&lt;b>Cuts&lt;/b> and collects.</g:description>
    <g:link>https://example.org/mower</g:link><g:price>199.00 EUR</g:price><g:brand>Green</g:brand>
    <g:availability>in_stock</g:availability><g:product_type>Garden > Mowers</g:product_type></item>
</channel></rss>
"""
_MERCHANT_ATOM = b"""<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>Shop</title>
  <entry><g:id>R-1</g:id><title>Rake</title><link href="https://example.org/rake"/>
    <g:description>Of ash.</g:description><g:availability>in_stock</g:availability>
    <g:brand>Green</g:brand></entry>
</feed>
"""

QUERIES = [
    Example(
        "excel-planner",
        "queries",
        "a keyword list in Excel: notes on the first sheet, a title above the header on the second",
        {
            "keywords.xlsx": workbook(
                {
                    "Notes": [["Made in May"]],
                    "Keywords": [
                        ["Garden"],
                        [],
                        ["Keyword", "Volume"],
                        ["quiet mower", 1900],
                        ["rake", 70.0],
                    ],
                    "Old": [["Keyword", "Volume"], ["scythe", 5]],
                }
            )
        },
        [("quiet mower", 1900), ("rake", 70)],
        "sheet 'Keywords'; not read: sheet 'Old'",
    ),
    Example(
        "excel-own-names",
        "queries",
        "a workbook with headers of its own, named with --columns",
        {"log.xlsx": workbook({"Log": [["Begriffe", "Male"], ["rasenmäher", 3]]})},
        [("rasenmäher", 3)],
        "Excel, sheet 'Log'",
        columns="query=Begriffe,count=Male",
    ),
    Example(
        "json-array",
        "queries",
        "a JSON array of objects, as from a web service",
        {"queries.json": json.dumps([{"query": "mower", "count": 3}, {"query": "rake"}], indent=1).encode()},
        [("mower", 3), ("rake", 1)],
        "JSON array",
    ),
    Example(
        "json-texts",
        "queries",
        "a JSON array of texts",
        {"queries.json": b'["mower", "rake"]'},
        [("mower", 1), ("rake", 1)],
        "JSON array",
    ),
    Example(
        "parquet-log",
        "queries",
        "a search log from a data warehouse",
        {"log.parquet": parquet({"search_term": ["mower", "rake"], "hits": [3, 1]})},
        [("mower", 3), ("rake", 1)],
        "Parquet",
        columns="query=search_term,count=hits",
    ),
    Example(
        "search-console-zip",
        "queries",
        "Search Console's export as it is downloaded: an archive in which one table has the queries",
        {
            "example.org-Performance-on-Search.zip": archive(
                {
                    "Chart.csv": b"Date,Clicks,Impressions,CTR,Position\n2024-05-01,1,20,5%,9.1\n",
                    "Countries.csv": b"Country,Clicks,Impressions,CTR,Position\nFrance,1,20,5%,9.1\n",
                    "Queries.csv": b"Top queries,Clicks,Impressions,CTR,Position\nquiet mower,1,20,5%,9.1\n",
                }
            )
        },
        [("quiet mower", 20)],
        "Search Console",
        skipped=2,
    ),
]

DOCUMENTS = [
    Example(
        "excel-products",
        "documents",
        "a product list in Excel: article numbers as numbers, an empty row, a hidden sheet",
        {
            "products.xlsx": workbook(
                {
                    "Prices": [["Name", "Description"], ["Secret", "Hidden."]],
                    "Artikel": [
                        ["Artikelnummer", "Produktname", "Beschreibung", "Preis"],
                        [1001, "Leiser Mäher", "<p>Mäht &amp; sammelt.</p>", 199.5],
                        [],
                        [1002, "Rechen", "Aus Esche.", 19],
                    ],
                },
                hidden=["Prices"],
            )
        },
        [("1001", "Leiser Mäher", "Mäht & sammelt."), ("1002", "Rechen", "Aus Esche.")],
        "Excel, sheet 'Artikel'",
    ),
    Example(
        "excel-shopify",
        "documents",
        "Shopify's products, opened and saved in Excel, with --columns for the id",
        {
            "products.xlsx": workbook(
                {"products_export": [["Code", "Name", "Body"], ["M-1", "Quiet mower", "Cuts and collects."]]}
            )
        },
        [_MOWER],
        "Excel",
        columns="id=Code",
    ),
    Example(
        "parquet-products",
        "documents",
        "products from a data warehouse",
        {
            "products.parquet": parquet(
                {"sku": ["M-1", "R-1"], "name": [_MOWER[1], _RAKE[1]], "description": [_MOWER[2], _RAKE[2]]}
            )
        },
        [_MOWER, _RAKE],
        "Parquet",
    ),
    Example(
        "feather-products",
        "documents",
        "a data frame saved as Feather",
        {"products.feather": arrow({"id": ["M-1"], "title": [_MOWER[1]], "text": [_MOWER[2]]})},
        [_MOWER],
        "Arrow",
    ),
    Example(
        "json-array",
        "documents",
        "a JSON array of objects, as from a web service",
        {"products.json": json.dumps([dict(zip(("id", "title", "text"), _RAKE, strict=True))]).encode()},
        [_RAKE],
        "JSON",
    ),
    Example(
        "zip",
        "documents",
        "an archive made on a Mac: folders, a table, an archive within, files of the system",
        {
            "export.zip": archive(
                {
                    "shop/products.csv": b"id,title,text\nM-1,Quiet mower,Cuts and collects.\n",
                    "shop/pages/rake.html": b"<title>Rake</title><p>Of ash.",
                    "shop/old.zip": archive({"a.txt": b"old"}),
                    "shop/.DS_Store": b"\0\0",
                    "__MACOSX/shop/._products.csv": b"\0\5",
                }
            )
        },
        [(None, "Rake", "Of ash."), _MOWER],
        skipped=1,
    ),
    Example(
        "rss",
        "documents",
        "a blog's RSS 2.0 feed in ISO 8859-1, with the full content and an item without text",
        {"feed.xml": _RSS.format(encoding="ISO-8859-1").encode("latin-1")},
        [("post-1", "Mähen & Sammeln", "The whole text."), ("https://example.org/2", "Rakes", "Of ash.")],
        "RSS feed",
        skipped=1,
    ),
    Example(
        "rss-utf16",
        "documents",
        "the same feed in UTF-16, with the ending .rss",
        {"feed.rss": _RSS.format(encoding="UTF-16").encode("utf-16")},
        [("post-1", "Mähen & Sammeln", "The whole text."), ("https://example.org/2", "Rakes", "Of ash.")],
        "RSS feed",
        skipped=1,
    ),
    Example(
        "atom",
        "documents",
        "an Atom feed with XHTML content",
        {"blog.atom": _ATOM},
        [("urn:1", "Fish & chips", "One  two.")],
        "Atom feed",
    ),
    Example(
        "merchant-rss",
        "documents",
        "Google Merchant Center, product feed as RSS 2.0",
        {"products.xml": _MERCHANT_RSS},
        [("M-1", "Quiet mower", "Cuts and collects.\nGreen\nGarden > Mowers")],
        "Merchant Center",
    ),
    Example(
        "merchant-atom",
        "documents",
        "Google Merchant Center, product feed as Atom",
        {"products.xml": _MERCHANT_ATOM},
        [("R-1", "Rake", "Of ash.\nGreen")],
        "Merchant Center",
    ),
    Example(
        "site",
        "documents",
        "a saved site with its sitemap, which gives the pages their URLs",
        {f"site/{name}": content for name, content in {"sitemap.xml": _SITEMAP, **_PAGES}.items()},
        [
            ("https://example.org/", "Home", "Welcome to the shop."),
            ("https://example.org/tea%20cups", "Tea cups", "Of porcelain."),
            ("https://example.org/garden/", "Garden", "Mowers and rakes."),
        ],
        added=("site",),
    ),
    Example(
        "site-zip",
        "documents",
        "the same site as an archive, saved by wget in a folder named after the host",
        {
            "site.zip": archive(
                {"sitemap.xml": _SITEMAP, **{f"example.org/{name}": page for name, page in _PAGES.items()}}
            )
        },
        [
            ("https://example.org/garden/", "Garden", "Mowers and rakes."),
            ("https://example.org/", "Home", "Welcome to the shop."),
            ("https://example.org/tea%20cups", "Tea cups", "Of porcelain."),
        ],
    ),
    Example(
        "mixed-folder",
        "documents",
        "a folder in which a PDF, an image, a PDF saved as .csv and a cut archive stand beside the texts",
        {
            "docs/a.txt": b"Rakes are made of ash.",
            "docs/report.pdf": _PDF,
            "docs/logo.png": _PNG,
            "docs/table.csv": _PDF,
            "docs/cut.zip": archive({"a.txt": b"text"})[:40],
        },
        [(None, "Rakes are made of ash.", "Rakes are made of ash.")],
        skipped=4,
        added=("docs",),
    ),
]
EXAMPLES = [*QUERIES, *DOCUMENTS]
