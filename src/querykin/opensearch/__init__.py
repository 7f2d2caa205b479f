"""OpenSearch: the connection, indexing in bulk, and what an index lacks of what it should hold."""
