"""Files in and out: documents, tables, query files, search logs, judged pairs, qrels and runs."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.io.columns import ColumnsRead
    from querykin.io.documents import read_documents
    from querykin.io.judgement_files import read_judged_pairs
    from querykin.io.judgement_writers import write_judged_pairs, write_run
    from querykin.io.keyword_tables import KeywordTable, read_keyword_table
    from querykin.io.log_files import LogRecord, read_log
    from querykin.io.query_files import read_queries
    from querykin.io.trec import read_qrels, read_run

__all__ = [
    "ColumnsRead",
    "KeywordTable",
    "LogRecord",
    "read_documents",
    "read_judged_pairs",
    "read_keyword_table",
    "read_log",
    "read_qrels",
    "read_queries",
    "read_run",
    "write_judged_pairs",
    "write_run",
]

__getattr__ = lazy_imports(
    __name__,
    {
        "ColumnsRead": "columns",
        "KeywordTable": "keyword_tables",
        "read_keyword_table": "keyword_tables",
        "read_documents": "documents",
        "read_judged_pairs": "judgement_files",
        "write_judged_pairs": "judgement_writers",
        "write_run": "judgement_writers",
        "LogRecord": "log_files",
        "read_log": "log_files",
        "read_queries": "query_files",
        "read_qrels": "trec",
        "read_run": "trec",
    },
)
