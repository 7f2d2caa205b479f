"""The limits of what is read from a file, in one place: each line, cell, record and element is bounded.

No limit is one of a whole file that is read as a stream. docs/reference/limits.md has them as a table.
"""

MAX_LINE_BYTES = 64 * 2**20  # also the largest file that is held in memory as a whole
MAX_GRADE = 1e15  # of a judged pair, positive or negative: sums of a thousand million of them stay finite
MAX_COLUMNS = 16_384  # of a table, as in Excel, and keys of a JSON object
MAX_ROW_LINES = 10_000  # that the quoted cells of one row may span

# Prose shrinks to a third, repetitive tables rarely below a fiftieth; a file that is made to fill memory or
# time reaches 1,000 (gzip) to 40,000 (bzip2).
MAX_RATIO = 200
RATIO_FROM = 64 * 2**20  # bytes, unpacked, from which on the ratio matters
MAX_ZSTD_WINDOW = 2**31  # the window of `zstd --long=31`
MAX_XZ_MEMORY = 2**30  # `xz -9` needs 65 MiB

MAX_ARCHIVE_FILES = 100_000
MAX_ARCHIVE_BYTES = 16 * 2**30  # of all its files, unpacked
MAX_ARCHIVE_DIRECTORY_BYTES = 32 * 2**20  # 320 bytes for each of the files
MAX_ARCHIVE_NAME = 1_024  # characters of the path of one of the files; a name on disk has at most 255

MAX_ARROW_BYTES = MAX_ARCHIVE_BYTES  # of the copy of a Parquet or Arrow file on disk
MAX_ARROW_MEMORY = 4 * 2**30  # address space of the process that reads it; libraries reserve a part of it

MAX_WORKBOOK_BYTES = 512 * 2**20  # of XML, unpacked
MAX_WORKBOOK_CELLS = 20_000_000  # of the rectangles from A1 to the last cell, 32 bytes each in memory
MAX_WORKBOOK_CHARACTERS = 256 * 2**20  # in all cells; a shared text counts wherever it is used

MAX_XML_DEPTH = 200
MAX_XML_TAG_BYTES = 2**20  # of one tag with its attributes, or one comment
MAX_XML_RECORD_CHARACTERS = 64 * 2**20  # of one record; MediaWiki's own limit for a page is 2 MB
MAX_XML_RECORD_PARTS = 100_000  # elements directly within a record
MAX_HTML_DEPTH = 512  # as in browsers; tags beyond it are ignored, their text is not

# Sitemaps hold 50,000 addresses of 2,048 characters each by their protocol; this is for a whole folder.
MAX_SITEMAP_URLS = 1_000_000
MAX_URL_CHARACTERS = 2_048

MAX_REPLY_BYTES = 16 * 2**20  # of a search engine; a page of 200 results with long snippets is below 1 MiB
