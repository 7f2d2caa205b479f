"""The repository of past queries, query mining and document frequencies of query words."""
