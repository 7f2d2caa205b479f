"""The database of judgements: connections, tables, checksums of rows, integrity."""
