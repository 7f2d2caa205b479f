"""Tables: exports of search tools and shops in several languages, and the tables of spreadsheets."""

from .document_tables import DOCUMENTS
from .query_tables import QUERIES

EXAMPLES = [*QUERIES, *DOCUMENTS]
